// A rename: what would change and what is open, chosen by group and by place, then written and, if need be, taken back.

import { pathText, trouble, waiting } from "./answer.js";
import { act } from "./api.js";
import { el, fill } from "./dom.js";
import { fileLink, link } from "./place.js";
import { count, visible } from "./text.js";

const RENAME = "/v1/rename";
const LADDER = ["proven", "likely", "code", "all"];
const GROUPS = { proven: "Proven", likely: "Likely", code: "Open, in code", all: "Open, in texts", docs: "In comments and documents" };
const MOST = 100; // places that a request may name

export async function show(main, place, here) {
  const given = { path: place.rest, line: place.line, column: place.values.get("column") ?? 1, root: here.root };
  const to = place.values.get("to") ?? "";
  const named = el("input", { name: "to", value: to, required: true, autocomplete: "off", spellcheck: "false" });
  const submit = (event) => {
    event.preventDefault();
    location.hash = link("rename", given.path, { in: here.root, column: given.column, to: named.value }, given.line);
  };
  const form = el("form", { class: "filters", "aria-label": "The new name", on: { submit } }, el("label", {}, el("span", {}, "New name"), named), el("button", {}, "Show what changes"));
  const body = el("div", {});
  const where = el("a", { href: fileLink(here.root, given.path, given.line) }, pathText(`${given.path}:${given.line}`));
  fill(main, el("div", { class: "page rename" }, el("h1", { tabindex: "-1" }, el("span", { class: "what" }, "Rename at "), where), form, body));
  if (to) await plan(body, { ...given, new_name: to }, here);
  else named.focus();
}

async function plan(body, given, here) {
  fill(body, waiting("Proving…"));
  try {
    const found = await act(RENAME, { action: "plan", diff: true, ...given }, here.signal);
    fill(body, planned(found, body, given, here));
    here.said(`${found.status}, ${count(found.edits.length, "place")}`);
  } catch (error) {
    if (error.name !== "AbortError") fill(body, trouble(error, () => plan(body, given, here)));
  }
}

function planned(found, body, given, here) {
  const head = el("p", { class: "lead" }, visible(`${found.title}: ${found.status}`));
  const rest = found.next.filter((each) => typeof each.call === "string").map((each) => el("li", {}, el("code", {}, visible(each.call)), ` ${visible(each.why)}`));
  const ways = rest.length ? [el("h2", {}, "What else can be done"), el("ul", {}, rest)] : null;
  if (!found.plan_id) return [head, el("ul", { class: "warnings" }, found.reasons.map((each) => el("li", {}, visible(each)))), ways];
  const groups = grouped(found);
  const boxes = groups.map((group) => fieldset(group, found, here));
  const write = () => apply(body, { root: given.root, action: "apply", plan_id: found.plan_id, ...chosen(groups, boxes) }, given, here);
  return [
    head,
    found.proof.by === "syntax" ? el("p", { class: "cut" }, "Proven by syntax alone, without an indexer's facts.") : null,
    constructs(found, here),
    boxes,
    el("p", { class: "deed" }, el("button", { type: "button", on: { click: write } }, "Write what is checked")),
    ways,
    found.diff ? el("details", {}, el("summary", {}, "What is proven, as a diff"), el("pre", { class: "code" }, found.diff.split("\n").map((each) => `${visible(each)}\n`))) : null,
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
    if (places.length) groups.push({ name, places: places.map((each) => ({ ...each, key: key(each), shown: shown.get(key(each)) ?? `${each.before}${each.text}${each.after}`.trim() })) });
  }
  return groups;
}

function fieldset(group, found, here) {
  const rows = group.places.map((each) => el("li", {}, el("label", {}, el("input", { type: "checkbox", value: each.key, checked: group.name === "proven" }), el("a", { href: fileLink(here.root, each.path, each.line) }, pathText(`${each.path}:${each.line}`)), el("code", {}, visible(each.shown.replaceAll("\n", " "))))));
  const all = el("input", { type: "checkbox", checked: group.name === "proven" });
  all.addEventListener("change", () => {
    for (const row of rows) row.querySelector("input").checked = all.checked;
  });
  return el("fieldset", {}, el("legend", {}, el("label", { class: "group" }, all, ` ${GROUPS[group.name] ?? visible(group.name)}: ${count(group.places.length, "place")}`)), el("ul", { class: "places" }, rows));
}

function constructs(found, here) {
  if (!found.constructs.length) return null;
  const name = visible(found.target.name);
  return el(
    "section",
    { "aria-label": "What reads names at run time" },
    el("h2", {}, `These read names at run time: may one of them mean ${name}?`),
    el("p", { class: "cut" }, "Who writes the rename has answered for them, until they change."),
    el("ul", { class: "uses" }, found.constructs.map((each) => el("li", {}, el("a", { href: fileLink(here.root, each.path, each.line) }, pathText(`${each.path}:${each.line}`)), ` ${visible(each.why)} `, el("code", {}, visible(each.text))))),
  );
}

/** What is checked, as the parameters of a request: the widest choice, and what is left out of it. */
function chosen(groups, boxes) {
  const checked = (at) => [...boxes[at].querySelectorAll("li input")].filter((each) => each.checked).map((each) => each.value);
  const taken = groups.filter((_, at) => checked(at).length).map((each) => each.name);
  const widest = LADDER.filter((each) => taken.includes(each)).at(-1) ?? "proven";
  const beside = taken.filter((each) => !LADDER.includes(each));
  const within = groups.map((each, at) => [each, at]).filter(([each]) => beside.includes(each.name) || (LADDER.includes(each.name) && LADDER.indexOf(each.name) <= LADDER.indexOf(widest)));
  const only = within.flatMap(([, at]) => checked(at));
  const but = within.flatMap(([each, at]) => each.places.map((one) => one.key).filter((one) => !checked(at).includes(one)));
  const choice = { take: [widest, ...beside].join(",") };
  if (!but.length) return choice;
  return but.length <= MOST ? { ...choice, except: but } : { ...choice, only };
}

async function apply(body, asked, given, here) {
  try {
    const done = await act(RENAME, asked, here.signal);
    const undo = async () => {
      try {
        await act(RENAME, { root: given.root, action: "undo", edit_id: done.applied.edit_id }, here.signal);
        await plan(body, given, here);
      } catch (error) {
        fill(body, trouble(error));
      }
    };
    const said = `${count(done.places, "place")} in ${count(done.applied.files.length, "file")} written.`;
    fill(body, el("p", { class: "lead" }, said), el("ul", {}, done.applied.files.map((each) => el("li", {}, pathText(each)))), el("p", { class: "deed" }, el("button", { type: "button", on: { click: undo } }, "Undo")));
    here.said(said);
  } catch (error) {
    if (error.name !== "AbortError") fill(body, trouble(error, () => plan(body, given, here)));
  }
}
