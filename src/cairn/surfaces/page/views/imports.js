// What a file imports and who imports it, drawn to be walked from file to file.

import { changed, pathText, standing, tier, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { drawing, legend } from "./drawing.js";
import { fileLink, link } from "../kit/place.js";
import { base, count, folder, visible } from "../kit/text.js";

const DRAWN = 40;

/** @param {HTMLElement} main @param {any} place @param {any} here */
export async function show(main, place, here) {
  const drawn = Number(place.values.get("drawn")) || DRAWN;
  const found = await ask("/v1/imports", { file: place.rest, root: here.root }, here.signal);
  const to = (/** @type {string} */ path) => link("imports", path, { in: here.root });
  const outgoing = targets(found);
  const outside = found.outgoing.filter((/** @type {any} */ each) => !each.paths.length);
  fill(
    main,
    el(
      "div",
      { class: "page wide" },
      el("h1", { tabindex: "-1" }, el("span", { class: "what" }, "Imports around "), pathText(found.path)),
      el(
        "p",
        { class: "ways-on" },
        el("a", { href: fileLink(here.root, found.path) }, "Open the file"),
        changed(found),
      ),
      warnings(found),
      el(
        "div",
        { class: "split" },
        el(
          "div",
          {},
          drawing(...graph(found, outgoing, outside, to, drawn), `Import map of ${visible(found.path)}`),
          legend(),
          drawnFewer(found, outgoing, here, drawn),
        ),
        el(
          "div",
          { class: "beside" },
          group(
            "Imported by",
            found.incoming.map((/** @type {any} */ each) => file(each.path, each, to)),
          ),
          group(
            "Imports",
            outgoing.map((/** @type {any} */ each) => file(each.path, each, to)),
          ),
          group("From outside", outside.map(foreign)),
        ),
      ),
      standing(found),
    ),
  );
  here.onSnapshot?.(() => here.again());
  here.said(`imported by ${count(found.incoming.length, "file")}, imports ${count(outgoing.length, "file")}`);
}

/** The files that are imported, each once. @param {any} found */
function targets(found) {
  const seen = new Map();
  for (const each of found.outgoing) {
    for (const path of each.paths)
      if (!seen.has(path)) seen.set(path, { path, tier: each.tier, names: each.names, line: each.line });
  }
  return [...seen.values()];
}

/**
 * @param {any} found @param {any} outgoing @param {any} outside @param {(path: string) => string} to
 * @param {number} drawn @returns {[import("./drawing.js").Node[], import("./drawing.js").Edge[]]}
 */
function graph(found, outgoing, outside, to, drawn) {
  const node = (/** @type {string} */ path, /** @type {number} */ column) => ({
    id: `${column}:${path}`,
    column,
    label: base(path),
    under: folder(path) || "./",
    title: path,
    href: to(path),
    root: column === 0,
  });
  const into = found.incoming.filter((/** @type {any} */ each) => each.path !== found.path).slice(0, drawn);
  const out = outgoing.filter((/** @type {any} */ each) => each.path !== found.path).slice(0, drawn);
  const me = node(found.path, 0);
  const nodes = [
    me,
    ...into.map((/** @type {any} */ each) => node(each.path, -1)),
    ...out.map((/** @type {any} */ each) => node(each.path, 1)),
  ];
  const edges = [
    ...into.map((/** @type {any} */ each) => ({
      source: `-1:${each.path}`,
      target: me.id,
      tier: each.tier,
      title: `line ${each.line}: ${each.tier}`,
    })),
    ...out.map((/** @type {any} */ each) => ({
      source: me.id,
      target: `1:${each.path}`,
      tier: each.tier,
      title: `line ${each.line}: ${each.names}`,
    })),
  ];
  if (outside.length) {
    const names = outside.map((/** @type {any} */ each) => each.source);
    nodes.push({
      id: "outside",
      column: 1,
      label: `${outside.length} from outside`,
      under: names.join(", "),
      title: `from outside: ${names.join(", ")}`,
      faint: true,
    });
    edges.push({ source: me.id, target: "outside", tier: "outside" });
  }
  return [nodes, edges];
}

/** @param {any} found @param {any} outgoing @param {any} here @param {number} drawn */
function drawnFewer(found, outgoing, here, drawn) {
  const over = Math.max(0, found.incoming.length - drawn) + Math.max(0, outgoing.length - drawn);
  if (!over) return null;
  const all = Math.max(found.incoming.length, outgoing.length);
  const more = el("a", { href: link("imports", found.path, { in: here.root, drawn: all }) }, "Draw them");
  return el("p", { class: "cut" }, `${count(over, "more file")} only in the list. `, more);
}

/** @param {string} title @param {any} rows */
function group(title, rows) {
  return (
    rows.length > 0 &&
    el(
      "section",
      { "aria-label": title },
      el("h2", {}, title, " ", el("span", { class: "number" }, String(rows.length))),
      el("ul", { class: "neighbours" }, rows),
    )
  );
}

/** @param {string} path @param {any} row @param {(path: string) => string} to */
function file(path, row, to) {
  return el(
    "li",
    {},
    el("a", { class: "path", "data-item": true, href: to(path) }, pathText(path)),
    tier(row.tier),
    changed(row),
  );
}

/** @param {any} row */
function foreign(row) {
  return el(
    "li",
    {},
    el("span", { class: "outside" }, visible(row.source)),
    el("span", { class: "at" }, `line ${row.line}`),
  );
}
