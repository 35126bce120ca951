// Types and overrides: what it is derived from, and what is derived from it, as a tree.

import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { count, visible } from "../kit/text.js";
import { Bounded } from "./bounded.js";
import { notesOf } from "./notes.js";
import { placeRow, symbolLink, unsure, whereText } from "./rows.js";
import { tree } from "./tree.js";

const NODES = 100;

export class Kin extends Bounded {
  static id = "implementors";
  static label = "Implementors";
  static key = "g i";

  /** @param {import("./telling.js").Telling} telling @param {HTMLElement} panel @param {URLSearchParams} values */
  constructor(telling, panel, values) {
    super(telling, panel, values, NODES);
  }

  async open() {
    const { telling } = this;
    const values = { name: telling.target, root: telling.root, direction: "both", nodes: this.nodes };
    const document = await ask("/v1/hierarchy", values, telling.signal);
    const nodes = new Map(document.nodes.map((/** @type {any} */ node) => [node.id, node]));
    const sides = [
      this.side(document, nodes, "Derived from it", "target", "source"),
      this.side(document, nodes, "It is derived from", "source", "target"),
    ];
    telling.counted("implementors", derived(document).size);
    const outside = document.unknown.map((/** @type {any} */ each) => each.name);
    const none = !document.edges.length && !document.foreign.length && !outside.length;
    fill(
      this.panel,
      sides,
      outside.length
        ? el(
            "p",
            { class: "cut" },
            "Also from outside of this codebase: ",
            outside.map((/** @type {string} */ name) => [el("code", {}, visible(name)), " "]),
          )
        : null,
      document.foreign.length ? this.foreign(document.foreign) : null,
      none
        ? el("p", { class: "nothing" }, "Nothing extends, implements or overrides it, and it is derived from nothing.")
        : null,
      this.cut(document),
      notesOf(document, (code) => code === "unread"),
      telling.standing(document),
    );
  }

  /**
   * @param {any} document @param {Map<string, any>} nodes
   * @param {string} label @param {string} from @param {string} to
   */
  side(document, nodes, label, from, to) {
    /** @param {string} id @param {string[]} above @returns {import("./tree.js").Entry[]} */
    const of = (id, above) =>
      document.edges
        .filter((/** @type {any} */ edge) => edge[from] === id && nodes.has(edge[to]))
        .map((/** @type {any} */ edge) =>
          this.entry(nodes.get(edge[to]), edge, above.includes(edge[to]) ? [] : of(edge[to], [...above, edge[to]])),
        );
    const entries = document.roots.flatMap((/** @type {string} */ root) => of(root, [root]));
    return entries.length
      ? el("section", { class: "kin", "aria-label": label }, this.telling.heading(label), tree(label, entries))
      : null;
  }

  /**
   * @param {any} node @param {any} edge @param {import("./tree.js").Entry[]} further
   * @returns {import("./tree.js").Entry}
   */
  entry(node, edge, further) {
    const { root } = this.telling;
    return {
      key: node.name,
      shown: el(
        "span",
        { class: "call" },
        symbolLink({ root, path: node.path, line: node.line, name: node.name, kind: node.kind }),
        whereText(node.path, node.line),
        el("span", { class: "role" }, visible(edge.relation)),
        unsure(edge.tier),
      ),
      below: further.length ? async () => further : null,
      isOpen: further.length > 0,
    };
  }

  /** @param {any[]} rows */
  foreign(rows) {
    const { root } = this.telling;
    return el(
      "section",
      { class: "kin", "aria-label": "By something from outside" },
      this.telling.heading(`${count(rows.length, "place")} where something from outside is derived from it`),
      el(
        "ul",
        { class: "uses" },
        rows.map((row) =>
          placeRow({ root, path: row.path, line: row.line, text: row.text }, whereText(row.path, null)),
        ),
      ),
    );
  }
}

/** What is derived from the roots, over any number of steps. @param {any} document @returns {Set<string>} */
function derived(document) {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = [...document.roots];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (const edge of document.edges) {
      if (edge.target !== id || found.has(edge.source)) continue;
      found.add(edge.source);
      waiting.push(edge.source);
    }
  }
  return found;
}
