// What a codebase is made of and which of its files matter most.

import { changed, pathLink, standing, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { base, count, grouped, visible } from "../kit/text.js";
import { select } from "./calls.js";

const BUDGET = 6_000;
const BUDGETS = [2_000, BUDGET, 20_000, 100_000];
const NAMED = 5;
const CHIPS = 10;

/** @param {HTMLElement} main @param {any} place @param {any} here */
export async function show(main, place, here) {
  const budget = Number(place.values.get("budget")) || BUDGET;
  const found = await ask("/v1/map", { root: here.root, budget }, here.signal);
  const lines = found.languages.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.lines, 0);
  const files = found.languages.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.files, 0);
  fill(
    main,
    el(
      "div",
      { class: "page wide" },
      el("h1", { tabindex: "-1" }, el("bdi", {}, visible(base(here.root)))),
      el("p", { class: "lead" }, `${count(files, "file")}, ${count(lines, "line")}`),
      warnings(
        found,
        (/** @type {string} */ parameter, /** @type {unknown} */ value) =>
          (location.hash = link("map", "", { in: here.root, [parameter]: value })),
      ),
      languages(found.languages, lines),
      el(
        "div",
        { class: "map-columns" },
        part("Files that matter most", hubs(found.hubs, here)),
        el(
          "div",
          {},
          part("Folders", folders(found.folders)),
          part(
            "Ways in",
            found.entry_points.map((/** @type {any} */ each) =>
              el(
                "li",
                {},
                pathLink(here.root, each.path, null, { "data-item": true }),
                el("span", { class: "about" }, visible(each.why)),
              ),
            ),
          ),
          part(
            "Public interface",
            found.public_api.map((/** @type {any} */ each) => api(each, here)),
          ),
          part("Tests", tests(found.tests)),
        ),
      ),
      leftOut(found),
      standing(found),
    ),
  );
  here.onSnapshot?.(() => here.again());
  here.said(`The map of ${visible(base(here.root))}`);
}

/** How much of the map is shown. @param {number} budget @param {any} here */
function sizes(budget, here) {
  const values = BUDGETS.includes(budget) ? BUDGETS : [...BUDGETS, budget];
  const options = values.map((each) => [String(each), `${grouped(each)} tokens`]);
  const change = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    location.hash = link("map", "", { in: here.root, budget: value });
  };
  const form = { class: "filters", "aria-label": "How much is shown", on: { change } };
  return el("form", form, select("budget", "Size", options, String(budget)));
}

/** @param {string} title @param {any} rows */
function part(title, rows) {
  return (
    rows.length > 0 && el("section", { class: "part", "aria-label": title }, el("h2", {}, title), el("ul", {}, rows))
  );
}

/** @param {any} rows @param {any} lines */
function languages(rows, lines) {
  const shown = rows.filter((/** @type {any} */ each) => each.lines > 0).slice(0, NAMED);
  const rest = lines - shown.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.lines, 0);
  const parts = [
    ...shown.map((/** @type {any} */ each) => [each.language, each.lines]),
    ...(rest > 0 ? [["more", rest]] : []),
  ];
  return el(
    "section",
    { class: "languages", "aria-label": "Languages" },
    el(
      "div",
      { class: "bar-of", "aria-hidden": "true" },
      parts.map(([, number], at) => el("span", { class: `shade-${at}`, part: number / lines })),
    ),
    el(
      "ul",
      {},
      parts.map(([name, number], at) =>
        el(
          "li",
          {},
          el("span", { class: `dot shade-${at}`, "aria-hidden": "true" }),
          visible(name),
          " ",
          el("span", { class: "number" }, percent(number / lines)),
        ),
      ),
    ),
  );
}

/** @param {any} share */
function percent(share) {
  return share < 0.005 ? "<1%" : `${Math.round(share * 100)}%`;
}

/** @param {any} rows @param {any} here */
function hubs(rows, here) {
  const most = Math.max(...rows.map((/** @type {any} */ each) => each.rank), 1e-9);
  return rows.map((/** @type {any} */ each) =>
    el(
      "li",
      { class: "hub" },
      el(
        "div",
        { class: "head" },
        pathLink(here.root, each.path, null, { "data-item": true }),
        changed(each),
        el("span", { class: "score", part: each.rank / most, title: `rank ${each.rank}` }),
      ),
      chips(each, here),
    ),
  );
}

/** @param {any} row @param {any} here */
function chips(row, here) {
  const found = row.symbols.map((/** @type {string} */ name) =>
    el("a", { class: "chip", href: link("names", name, { in: here.root }) }, el("bdi", {}, visible(name))),
  );
  const over = found.length - CHIPS;
  const more = el("button", { class: "chip", type: "button" }, `${over} more`);
  const box = el("div", { class: "chips" }, over > 1 ? [found.slice(0, CHIPS), more] : found);
  more.addEventListener("click", () => {
    fill(box, found);
    found[CHIPS].focus();
  });
  return box;
}

/** @param {any} rows */
function folders(rows) {
  const most = Math.max(...rows.map((/** @type {any} */ each) => each.lines), 1);
  return rows.map((/** @type {any} */ each) =>
    el(
      "li",
      { class: "folder-row" },
      el("span", { class: "name" }, el("bdi", {}, visible(each.path ? `${each.path}/` : "./"))),
      el("span", { class: "meter", part: each.lines / most }),
      el("span", { class: "number" }, `${grouped(each.files)} · ${grouped(each.lines)} lines`),
    ),
  );
}

/** @param {any} row @param {any} here */
function api(row, here) {
  return el(
    "li",
    {},
    pathLink(here.root, row.path, null, { "data-item": true }),
    el("span", { class: "about" }, visible(row.names.join(", "))),
  );
}

/** @param {any} rows */
function tests(rows) {
  return rows.map((/** @type {any} */ each) =>
    el(
      "li",
      {},
      el("bdi", {}, visible(each.path ? `${each.path}/` : "./")),
      el("span", { class: "about" }, count(each.files, "file")),
    ),
  );
}

/** @param {any} found */
function leftOut(found) {
  if (!found.files_left_out && !found.definitions_left_out) return null;
  return el(
    "p",
    { class: "cut" },
    `${count(found.files_left_out, "file")} and ${count(found.definitions_left_out, "name")} are left out.`,
  );
}
