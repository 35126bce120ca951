// An edit: what would change and what is open, chosen by group and by place, then written and, if need be, taken back.

import { pathText, trouble, waiting } from "../kit/answer.js";
import { act } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";

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
const LADDER = ["proven", "likely", "code", "all"];
const GROUPS = {
  proven: "Proven",
  likely: "Likely",
  code: "Open, in code",
  all: "Open, in texts",
  docs: "In comments and documents",
};
const MOST = 100; // places that a request may name

export async function show(main, place, here) {
  const given = { path: place.rest, line: place.line, column: place.values.get("column") ?? 1, root: here.root };
  const to = place.values.get("to") ?? "";
  const kind = Object.hasOwn(EDITS, place.values.get("do") ?? "") ? place.values.get("do") : "rename";
  const what = el(
    "select",
    { name: "do" },
    Object.entries(EDITS).map(([name, each]) => el("option", { value: name, selected: name === kind }, each.title)),
  );
  const said = el("span", {}, EDITS[kind].said);
  what.addEventListener("change", () => fill(said, EDITS[what.value].said));
  const named = el("input", { name: "to", value: to, required: true, autocomplete: "off", spellcheck: "false" });
  const submit = (event) => {
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
      { class: "page rename" },
      el("h1", { tabindex: "-1" }, el("span", { class: "what" }, `${EDITS[kind].title} at `), where),
      form,
      body,
    ),
  );
  if (to) await plan(body, { ...given, edit: EDITS[kind], [EDITS[kind].taken]: to }, here);
  else named.focus();
}

async function plan(body, given, here) {
  fill(body, waiting("Proving…"));
  try {
    const found = await act(given.edit.path, { action: "plan", diff: true, ...given, edit: null }, here.signal);
    fill(body, planned(found, body, given, here));
    here.said(`${found.status}, ${count(found.edits.length, "place")}`);
  } catch (error) {
    if (error.name !== "AbortError")
      fill(
        body,
        trouble(error, () => plan(body, given, here)),
      );
  }
}

function planned(found, body, given, here) {
  const head = el("p", { class: "lead" }, visible(`${found.title}: ${found.status}`));
  const rest = found.next
    .filter((each) => typeof each.call === "string")
    .map((each) => el("li", {}, el("code", {}, visible(each.call)), ` ${visible(each.why)}`));
  const ways = rest.length ? [el("h2", {}, "What else can be done"), el("ul", {}, rest)] : null;
  if (!found.plan_id)
    return [
      head,
      el(
        "ul",
        { class: "warnings" },
        found.reasons.map((each) => el("li", {}, visible(each))),
      ),
      ways,
    ];
  const groups = grouped(found);
  const boxes = groups.map((group) => fieldset(group, found, here));
  const write = () =>
    apply(body, { root: given.root, action: "apply", plan_id: found.plan_id, ...chosen(groups, boxes) }, given, here);
  const button = el("button", { type: "button", on: { click: write } }, "Write what is checked");
  const why = el("span", { class: "cut", role: "status" });
  const look = () => {
    const asked = chosen(groups, boxes);
    button.disabled = !asked;
    fill(
      why,
      asked
        ? ""
        : taken(boxes).size
          ? ` More than ${MOST} places to tell apart: check or uncheck whole files.`
          : " Nothing is checked.",
    );
  };
  look();
  return [
    head,
    found.proof.by === "syntax"
      ? el("p", { class: "cut" }, "Proven by syntax alone, without an indexer's facts.")
      : null,
    constructs(found, here),
    el("div", { on: { change: look } }, boxes),
    el("p", { class: "deed" }, button, why),
    ways,
    found.diff
      ? el(
          "details",
          { open: !found.new_name },
          el("summary", {}, "What is proven, as a diff"),
          el(
            "pre",
            { class: "code" },
            found.diff.split("\n").map((each) => `${visible(each)}\n`),
          ),
        )
      : null,
  ];
}

/** The places of each choice that no narrower one has. */
function grouped(found) {
  const key = (each) => `${each.path}:${each.line}:${each.column}`;
  const shown = new Map(found.open.map((each) => [key(each), each.text]));
  const offered = new Map(found.candidates.map((each) => [each.choice, each.edits]));
  offered.set("proven", found.decided ? offered.get("proven") : found.edits);
  const seen = new Set();
  const groups = [];
  for (const name of [...LADDER, ...[...offered.keys()].filter((each) => !LADDER.includes(each))]) {
    const places = (offered.get(name) ?? []).filter((each) => !seen.has(key(each)));
    for (const each of places) seen.add(key(each));
    if (places.length)
      groups.push({
        name,
        places: places.map((each) => ({
          ...each,
          key: key(each),
          shown: shown.get(key(each)) ?? `${each.before}${each.text}${each.after}`.trim(),
        })),
      });
  }
  return groups;
}

function fieldset(group, found, here) {
  const rows = group.places.map((each) =>
    el(
      "li",
      {},
      el(
        "label",
        {},
        el("input", { type: "checkbox", value: each.key, checked: group.name === "proven" }),
        el("a", { href: fileLink(here.root, each.path, each.line) }, pathText(`${each.path}:${each.line}`)),
        el("code", {}, visible(each.shown.replaceAll("\n", " "))),
      ),
    ),
  );
  const all = el("input", { type: "checkbox", checked: group.name === "proven" });
  all.addEventListener("change", () => {
    for (const row of rows) row.querySelector("input").checked = all.checked;
  });
  return el(
    "fieldset",
    {},
    el(
      "legend",
      {},
      el(
        "label",
        { class: "group" },
        all,
        ` ${GROUPS[group.name] ?? visible(group.name)}: ${count(group.places.length, "place")}`,
      ),
    ),
    el("ul", { class: "places" }, rows),
  );
}

function constructs(found, here) {
  if (!found.constructs.length) return null;
  const name = visible(found.target.name);
  return el(
    "section",
    { "aria-label": "What reads names at run time" },
    el("h2", {}, `These read names at run time: may one of them mean ${name}?`),
    el("p", { class: "cut" }, "Who writes the rename has answered for them, until they change."),
    el(
      "ul",
      { class: "uses" },
      found.constructs.map((each) =>
        el(
          "li",
          {},
          el("a", { href: fileLink(here.root, each.path, each.line) }, pathText(`${each.path}:${each.line}`)),
          ` ${visible(each.why)} `,
          el("code", {}, visible(each.text)),
        ),
      ),
    ),
  );
}

/** The keys of the places that are checked. */
function taken(boxes) {
  return new Set(
    boxes.flatMap((box) =>
      [...box.querySelectorAll("li input")].filter((each) => each.checked).map((each) => each.value),
    ),
  );
}

/** What is checked, as the parameters of a request: the widest choice, and what is left out of it; null if it is none. */
function chosen(groups, boxes) {
  const checked = taken(boxes);
  const some = groups.filter((group) => group.places.some((each) => checked.has(each.key))).map((each) => each.name);
  if (!some.length) return null;
  const widest = LADDER.filter((each) => some.includes(each)).at(-1) ?? "proven";
  const beside = some.filter((each) => !LADDER.includes(each));
  const within = groups
    .filter(
      ({ name }) => beside.includes(name) || (LADDER.includes(name) && LADDER.indexOf(name) <= LADDER.indexOf(widest)),
    )
    .flatMap((each) => each.places);
  const choice = { take: [widest, ...beside].join(",") };
  const [only, but] = [true, false].map((side) => named(within, (each) => checked.has(each.key) === side));
  if (!but.length) return choice;
  if (but.length <= MOST) return { ...choice, except: but };
  return only.length <= MOST ? { ...choice, only } : null;
}

/** The places that are meant, in as few words as tell them from the others: a file, a line, or the place itself. */
function named(places, isMeant) {
  const line = (each) => `${each.path}:${each.line}`;
  const mixed = new Set(places.filter((each) => !isMeant(each)).flatMap((each) => [each.path, line(each), each.key]));
  const names = places
    .filter(isMeant)
    .map((each) => [each.path, line(each), each.key].find((name) => !mixed.has(name)));
  return [...new Set(names)];
}

async function apply(body, asked, given, here) {
  try {
    const done = await act(given.edit.path, asked, here.signal);
    const undo = async () => {
      try {
        await act(given.edit.path, { root: given.root, action: "undo", edit_id: done.applied.edit_id }, here.signal);
        await plan(body, given, here);
      } catch (error) {
        fill(body, trouble(error));
      }
    };
    const said = `${count(done.places, "place")} in ${count(done.applied.files.length, "file")} written.`;
    fill(
      body,
      el("p", { class: "lead" }, said),
      el(
        "ul",
        {},
        done.applied.files.map((each) => el("li", {}, pathText(each))),
      ),
      el("p", { class: "deed" }, el("button", { type: "button", on: { click: undo } }, "Undo")),
    );
    here.said(said);
  } catch (error) {
    if (error.name !== "AbortError")
      fill(
        body,
        trouble(error, () => plan(body, given, here)),
      );
  }
}
