// What every answer says of itself: where it came from, how fresh it is, what is missing; or an error's sentence.

import { el } from "./dom.js";
import { fileLink } from "./place.js";
import { base, count, folder, grouped, visible } from "./text.js";

/** @typedef {(parameter: string, value: number) => void} More */
/** What the API answers. @typedef {any} Document */

/** @type {Record<string, string>} */
const CHECKED = { cited_files: "cited files are unchanged", tree: "the tree is unchanged" };
/** @type {Record<string, string>} */
const TIERS = {
  semantic: "a compiler's index says so",
  proven: "one chain leads there",
  likely: "the chain has a guess in it",
  name: "it bears the name, no more",
};

// The page's own words for what was cut: its control shows more, where a sentence of HTTP names a parameter.
/** @type {Record<string, (note: any) => string>} */
const CUTS = {
  places_cut: (note) =>
    `Only ${grouped(note.limit)} of ${note.partial ? "more than " : ""}${count(note.total, note.noun)} are shown.`,
  lines_cut: (note) => `Only the first ${count(note.limit, "line")} are shown.`,
  nodes_cut: (note) => `Only ${count(note.limit, "definition")} are drawn.`,
  fan_out_cut: (note) =>
    `Of each definition at most ${count(note.limit, "caller or call", "callers or calls")} are drawn.`,
  notes_truncated: () => "Not all notes are shown.",
  map_cut: () => "The map is not shown whole.",
};

/** The line under an answer. @param {Document} document */
export function standing(document) {
  const all = document.codebases ?? [document];
  return el(
    "footer",
    { class: "standing", "aria-label": "Where this answer comes from" },
    all.map((/** @type {Document} */ each) =>
      el("p", {}, each.error ? failedMember(each) : member(each, all.length > 1)),
    ),
    document.timings_ms && el("p", { class: "took" }, `${Math.max(1, Math.round(document.timings_ms.total))} ms`),
  );
}

/** @param {Document} each @param {boolean} named */
function member(each, named) {
  const freshness = each.freshness ?? {};
  const moved = freshness.moved === true;
  const said = moved
    ? "the tree has moved since"
    : freshness.synced
      ? "brought up to date first"
      : (CHECKED[freshness.checked] ?? "not held against the tree");
  return [
    named && el("span", {}, el("bdi", {}, visible(base(each.root ?? "")))),
    el("span", {}, "snapshot ", el("code", { class: "snapshot" }, visible(each.snapshot_id ?? "none"))),
    el("span", { class: moved ? "fresh moved" : "fresh" }, said),
    each.degraded && el("span", { class: "fresh moved" }, "degraded"),
  ];
}

/** @param {Document} each */
function failedMember(each) {
  return el("span", { class: "fresh moved" }, visible(`${base(each.root ?? "")}: ${each.error.message}`));
}

/** Warnings of an answer, if it has any; `more` is told which parameter, with which value, shows what was cut.
 * @param {Document} document @param {More | null} [more] */
export function warnings(document, more = null) {
  const notices = document.notices ?? [];
  return warned(
    (document.warnings ?? []).map((/** @type {string} */ text, /** @type {number} */ at) =>
      warning(text, notices[at] ?? {}, more),
    ),
  );
}

/** @param {Element[]} rows */
function warned(rows) {
  return rows.length ? el("ul", { class: "warnings", "aria-label": "Warnings" }, rows) : null;
}

/** @param {string} text @param {any} note @param {More | null} more */
function warning(text, note, more) {
  const own = CUTS[note.code];
  const said = own ? `${note.root ? `${base(note.root)}: ` : ""}${own(note)}` : text;
  const again = more && note.lift ? () => more(note.lift.parameter, note.lift.value) : null;
  return el(
    "li",
    {},
    visible(said),
    again && [" ", el("button", { class: "more", type: "button", on: { click: again } }, "Show more")],
  );
}

/** An error: one sentence, what mends it, and a way to try again.
 * @param {any} error @param {(() => void) | null} [again] */
export function trouble(error, again = null) {
  const code = error.code ?? "internal";
  // What to ask with is said to programs; here one can but ask again.
  const hint = code === "timeout" ? "The machine may be busy with something else." : (error.hint ?? "");
  return el(
    "section",
    { class: "trouble", role: "alert" },
    el("p", { class: "what" }, visible(error.message)),
    hint && el("p", { class: "hint" }, visible(hint)),
    el(
      "p",
      { class: "code" },
      el("code", {}, visible(code)),
      again && el("button", { type: "button", on: { click: again } }, "Try again"),
    ),
  );
}

/** @param {string} text */
export function waiting(text) {
  return el("p", { class: "waiting", role: "status" }, text);
}

/** @param {string | null | undefined} name @param {boolean} [dispatch] */
export function tier(name, dispatch = false) {
  return name
    ? el(
        "span",
        { class: `tier ${TIERS[name] ? name : ""}`, title: TIERS[name] ?? "" },
        visible(dispatch ? `${name}, dispatch` : name),
      )
    : null;
}

/** @param {string | null | undefined} name */
export function layer(name) {
  return name ? el("span", { class: "layer", title: `from the ${name} layer` }, visible(name)) : null;
}

/** @param {any} row */
export function changed(row) {
  return row.changed_since
    ? el("span", { class: "changed", title: "The file is not as the snapshot knows it" }, "changed since")
    : null;
}

/** A path whose last part stands out, as a link to the place.
 * @param {string | null} root @param {string} path @param {number | null} [line]
 * @param {import("./dom.js").Attributes} [attributes] */
export function pathLink(root, path, line = null, attributes = {}) {
  return el("a", { class: "path", href: fileLink(root, path, line), ...attributes }, pathText(path, line));
}

/** @param {string} path @param {number | null} [line] */
export function pathText(path, line = null) {
  return el(
    "bdi",
    {},
    el("span", { class: "folder" }, visible(folder(path))),
    el("span", { class: "base" }, visible(base(path))),
    line ? el("span", { class: "at" }, `:${line}`) : null,
  );
}
