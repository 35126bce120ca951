// An edit: what would change and what is open, chosen by group, file and place, then written and, if need be, undone.

import { pathText, trouble, waiting } from "../kit/answer.js";
import { act, Trouble } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";
import { chosen, grouped, whyNot } from "./choice.js";
import { constructs, diff, Preview } from "./preview.js";

/** @typedef {import("../shell/here.js").Here} Here */
/** @typedef {{path: string, line: number, column: string, root: string | null, edit: any}
 *   & Record<string, any>} Given */

/** @type {Record<string, {title: string, said: string, path: string, taken: string}>} */
const EDITS = {
  rename: { title: "Rename", said: "New name", path: "/v1/rename", taken: "new_name" },
  move: { title: "Move to another file", said: "File", path: "/v1/move", taken: "to_file" },
  add: { title: "Add a parameter", said: "name: type = default", path: "/v1/change-signature", taken: "add" },
  remove: { title: "Remove a parameter", said: "Its name", path: "/v1/change-signature", taken: "remove" },
  reorder: {
    title: "Reorder parameters",
    said: "Their names, with commas",
    path: "/v1/change-signature",
    taken: "reorder",
  },
};
const MOST_WATCHED = 200;

/** @param {HTMLElement} main @param {any} place @param {Here} here */
export async function show(main, place, here) {
  if (!place.line)
    throw new Trouble({
      code: "usage",
      message: "This address names no line to rename at.",
      hint: "Click a name in a file, and choose Rename beside it.",
    });
  const given = { path: place.rest, line: place.line, column: place.values.get("column") ?? "1", root: here.root };
  const to = place.values.get("to") ?? "";
  const kind = Object.hasOwn(EDITS, place.values.get("do") ?? "") ? place.values.get("do") : "rename";
  const what = /** @type {HTMLSelectElement} */ (
    el(
      "select",
      { name: "do" },
      Object.entries(EDITS).map(([name, each]) => el("option", { value: name, selected: name === kind }, each.title)),
    )
  );
  const said = el("span", {}, EDITS[kind].said);
  what.addEventListener("change", () => fill(said, EDITS[what.value].said));
  const named = /** @type {HTMLInputElement} */ (
    el("input", { name: "to", value: to, required: true, autocomplete: "off", spellcheck: "false" })
  );
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    location.hash = link(
      "rename",
      given.path,
      { in: here.root, column: given.column, do: what.value === "rename" ? null : what.value, to: named.value },
      given.line,
    );
  };
  const form = el(
    "form",
    { class: "filters", "aria-label": "What to do", on: { submit } },
    el("label", {}, el("span", {}, "Do"), what),
    el("label", {}, said, named),
    el("button", {}, "Show what changes"),
  );
  const body = el("div", {});
  const where = el("a", { href: fileLink(here.root, given.path, given.line) }, pathText(`${given.path}:${given.line}`));
  fill(
    main,
    el(
      "div",
      { class: "page wide rename" },
      el("h1", { tabindex: "-1" }, el("span", { class: "what" }, `${EDITS[kind].title} at `), where),
      form,
      body,
    ),
  );
  if (to) await new Edit(body, { ...given, edit: EDITS[kind], [EDITS[kind].taken]: to }, here).plan();
  else named.focus();
}

class Edit {
  /** @param {HTMLElement} body @param {Given} given @param {Here} here */
  constructor(body, given, here) {
    this.body = body;
    this.given = given;
    this.here = here;
    /** @type {Preview | null} */
    this.preview = null;
    /** @type {Set<string>} */
    this.watched = new Set();
    this.isPlan = false;
    here.onSnapshot(() => this.moved());
  }

  /** Ask for the plan; what was checked stays so. */
  async plan() {
    const { body, given, here } = this;
    const before = this.preview ? this.preview.checked() : null;
    this.isPlan = false;
    fill(body, waiting("Proving…"));
    try {
      const found = await act(given.edit.path, { action: "plan", diff: true, ...given, edit: null }, here.signal);
      fill(body, this.planned(found, before));
      this.isPlan = true;
      here.said(`${found.status}, ${count(found.edits.length, "place")}`);
    } catch (error) {
      this.failed(error);
    }
  }

  /** @param {any} error */
  failed(error) {
    if (error.name === "AbortError") return;
    this.isPlan = false;
    fill(
      this.body,
      trouble(error, () => this.plan()),
    );
  }

  /** @param {any} found @param {Set<string> | null} before */
  planned(found, before) {
    const { here, given } = this;
    const head = el("p", { class: "lead" }, visible(`${found.title}: ${found.status.replaceAll("_", " ")}`));
    const ways = this.ways(found);
    this.preview = null;
    if (!found.plan_id)
      return [
        head,
        el(
          "ul",
          { class: "warnings" },
          found.reasons.map((/** @type {string} */ each) => el("li", {}, visible(each))),
        ),
        ways,
      ];
    const groups = grouped(found);
    const write = el("button", { type: "button", class: "main" }, "Write what is checked");
    const why = el("span", { class: "cut", role: "status" });
    const preview = new Preview(groups, here.root, before, () => look());
    const look = () => {
      const checked = preview.checked();
      const request = chosen(groups, checked);
      write.toggleAttribute("disabled", !request);
      fill(why, request ? ` ${count(checked.size, "place")} checked.` : ` ${whyNot(checked)}`);
    };
    write.addEventListener("click", () =>
      this.write({ root: given.root, action: "apply", plan_id: found.plan_id, ...chosen(groups, preview.checked()) }),
    );
    this.preview = preview;
    look();
    this.watch(groups.flatMap((each) => each.places.map(({ path }) => path)));
    here.acts({ x: () => preview.turn(false), X: () => preview.turn(true), w: () => write.focus() });
    return [
      head,
      found.proof.by === "syntax"
        ? el("p", { class: "cut" }, "Proven by syntax alone, without an indexer's facts.")
        : null,
      constructs(found, here.root),
      el("p", { class: "deed" }, write, why),
      el(
        "p",
        { class: "cut keys-hint" },
        [
          ["j", ""],
          ["k", "next, the one before "],
          ["x", "check it "],
          ["X", "its file "],
          ["w", "to the button"],
        ].map(([key, text]) => [el("kbd", {}, key), ` ${text}`]),
      ),
      preview.element,
      ways,
      found.diff
        ? el("details", { open: !found.new_name }, el("summary", {}, "What is proven, as a diff"), diff(found.diff))
        : null,
    ];
  }

  /** Hear of files that the plan was made of. @param {string[]} paths */
  watch(paths) {
    for (const path of [...new Set(paths)].slice(0, MOST_WATCHED)) {
      if (this.watched.has(path)) continue;
      this.watched.add(path);
      this.here.onFile(path, () => this.moved());
    }
  }

  /** What else can be done. @param {any} found */
  ways(found) {
    const { here } = this;
    const rest = found.next
      .filter((/** @type {any} */ each) => typeof each.call === "string" && each.do !== "another_name")
      .map((/** @type {any} */ each) => {
        const name = / with name=(.*)$/.exec(each.call);
        const text = `${visible(each.why)}`;
        if (name) return el("li", {}, el("a", { href: link("names", name[1], { in: here.root }) }, text));
        return el("li", {}, text, " ", el("code", {}, visible(each.call)));
      });
    return rest.length ? [el("h2", {}, "What else can be done"), el("ul", {}, rest)] : null;
  }

  /** Files are otherwise than when it was planned. */
  moved() {
    if (!this.isPlan || this.body.querySelector(".moved-on")) return;
    this.body.prepend(
      el(
        "p",
        { class: "moved-on", role: "status" },
        "Files have changed since this was planned. ",
        el("button", { type: "button", on: { click: () => this.plan() } }, "Plan again"),
      ),
    );
  }

  /** @param {Record<string, any>} asked */
  async write(asked) {
    const { body, given, here } = this;
    this.isPlan = false;
    try {
      const done = await act(given.edit.path, asked, here.signal);
      const undo = async () => {
        try {
          await act(given.edit.path, { root: given.root, action: "undo", edit_id: done.applied.edit_id }, here.signal);
          await this.plan();
        } catch (error) {
          this.failed(error);
        }
      };
      const said = `${count(done.places, "place")} in ${count(done.applied.files.length, "file")} written.`;
      const again = el("button", { type: "button", on: { click: undo } }, "Undo");
      fill(
        body,
        el("p", { class: "lead" }, said),
        el("p", { class: "deed" }, again),
        notes(done),
        el(
          "ul",
          { class: "written" },
          done.applied.files.map((/** @type {string} */ each) =>
            el("li", {}, el("a", { class: "path", href: fileLink(here.root, each) }, pathText(each))),
          ),
        ),
      );
      again.focus();
      here.said(said);
    } catch (error) {
      this.failed(error);
    }
  }
}

/** What the answer says beside what was written. @param {any} done */
function notes(done) {
  const left = [...done.applied.left, ...done.applied.lost];
  const said = (done.notes ?? []).map((/** @type {any} */ each) => each.message ?? each.code.replaceAll("_", " "));
  const all = [...said, ...left.map((path) => `${path} was left as it is`)];
  return all.length
    ? el(
        "ul",
        { class: "warnings" },
        all.map((each) => el("li", {}, visible(each))),
      )
    : null;
}
