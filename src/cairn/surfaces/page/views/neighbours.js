// What is drawn or folded in a call graph, as a list.

import { changed, pathLink, tier } from "../kit/answer.js";
import { el } from "../kit/dom.js";
import { count, visible } from "../kit/text.js";

/** @typedef {import("./model.js").Graph} Graph */
/** @typedef {import("./model.js").Node} Node */
/** @typedef {import("./model.js").Call} Call */

/** Everything that is drawn or folded, in words. @param {any} view the view of the graph */
export function list(view) {
  const graph = /** @type {Graph} */ (view.graph);
  const { roots, nodes } = graph;
  const { here, found } = view;
  const row = (/** @type {Node} */ node, /** @type {Call | undefined} */ call = undefined) =>
    el(
      "li",
      {},
      el("a", { class: "symbol", "data-item": true, href: view.to(node.id) }, el("bdi", {}, visible(node.name))),
      tier(call?.tier, call?.dispatch),
      node.apart ? el("span", { class: "kind" }, node.apart) : null,
      changed(node),
      pathLink(here.root, node.path, call && call.source === node.id ? call.lines[0] : node.line),
    );
  const rows = (/** @type {Call[]} */ calls, /** @type {"source" | "target"} */ end) =>
    calls.flatMap((call) => {
      const node = nodes.get(call[end]);
      return node ? [row(node, call)] : [];
    });
  const calls = [...graph.calls.values()];
  const into = calls.filter((call) => roots.has(call.target) && !roots.has(call.source));
  const out = calls.filter((call) => roots.has(call.source) && !roots.has(call.target));
  const near = new Set([...roots, ...into.map((call) => call.source), ...out.map((call) => call.target)]);
  const further = [...nodes.values()].filter((node) => !near.has(node.id));
  return el(
    "div",
    { class: "neighbours-list" },
    group(
      "Defined at",
      graph.rootNodes().map((node) => row(node)),
    ),
    group("Called by", rows(into, "source")),
    group("Calls", rows(out, "target")),
    group(
      "Further away",
      further.map((node) => row(node)),
    ),
    found.notes?.length
      ? el(
          "details",
          { class: "notes" },
          el("summary", {}, `${count(found.total_note_count ?? found.notes.length, "note")}: what could not be drawn`),
          el(
            "ul",
            {},
            found.notes.map((/** @type {any} */ note) =>
              el("li", {}, pathLink(here.root, note.file, note.start_line), " ", visible(note.detail)),
            ),
          ),
        )
      : null,
  );
}

/** @param {string} title @param {unknown[]} rows */
export function group(title, rows) {
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
