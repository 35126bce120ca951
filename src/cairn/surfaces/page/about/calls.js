// Who calls it and what it calls: two trees that open a step at a time.

import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { count, grouped } from "../kit/text.js";
import { Bounded } from "./bounded.js";
import { notesOf } from "./notes.js";
import { symbolLink, unsure, whereText } from "./rows.js";
import { tree } from "./tree.js";

const NODES = 200;
const TEST = /(^|\/)(tests?|spec|__tests__)\/|(^|\/)test_[^/]*$|[._-](test|spec|tests)\.[^/.]+$|_test\.[^/.]+$/i;
const WAYS = { callers: "Called by", callees: "Calls" };

/** @typedef {"callers" | "callees"} Way */
/** @typedef {Awaited<ReturnType<Calls["step"]>>} Step */

export class Calls extends Bounded {
  static id = "calls";
  static label = "Calls";
  static key = "g c";

  /** @param {import("./telling.js").Telling} telling @param {HTMLElement} panel @param {URLSearchParams} values */
  constructor(telling, panel, values) {
    super(telling, panel, values, NODES);
  }

  async open() {
    const { telling } = this;
    const target = telling.target;
    const [up, down] = await Promise.all([this.step(target, "callers"), this.step(target, "callees")]);
    if (telling.signal.aborted) return;
    telling.counted("calls", up.others.length + up.tests.length, up.document.limits_hit.length > 0);
    fill(
      this.panel,
      this.side("callers", up),
      this.side("callees", down),
      el(
        "p",
        { class: "ways-on" },
        el("a", { href: link("calls", target, { in: telling.root, direction: "both" }) }, "Open as a graph"),
      ),
      telling.standing(up.document),
    );
  }

  /** One step each way from a definition. @param {string} target @param {Way} way */
  async step(target, way) {
    const { root, signal } = this.telling;
    const values = {
      name: target,
      root,
      direction: way,
      depth: 1,
      nodes: this.nodes,
      fan_out: 500,
      notes: 0,
    };
    const document = await ask("/v1/callgraph", values, signal);
    const roots = new Set(document.roots);
    const [from, to] = way === "callers" ? ["target", "source"] : ["source", "target"];
    const nodes = new Map(document.nodes.map((/** @type {any} */ node) => [node.id, node]));
    /** @type {{node: any, edge: any}[]} */
    const rows = document.edges
      .filter((/** @type {any} */ edge) => roots.has(edge[from]) && nodes.has(edge[to]))
      .map((/** @type {any} */ edge) => ({ node: nodes.get(edge[to]), edge }));
    const once = [...new Map(rows.map((row) => [row.node.id, row])).values()];
    return {
      document,
      others: once.filter((row) => !TEST.test(row.node.path)),
      tests: once.filter((row) => TEST.test(row.node.path)),
    };
  }

  /** @param {Way} way @param {Step} found */
  side(way, found) {
    const number = found.others.length + found.tests.length;
    const said = notesOf(found.document, (code) => ["no_callers", "unread"].includes(code));
    return el(
      "section",
      { class: "calls-side", "aria-label": WAYS[way] },
      this.telling.heading(WAYS[way], " ", el("span", { class: "number" }, grouped(number))),
      this.entries(way, WAYS[way], found, []),
      number || said
        ? null
        : el("p", { class: "nothing" }, way === "callers" ? "Nothing calls it." : "It calls nothing of this codebase."),
      found.document.unresolved
        ? el("p", { class: "cut" }, `Of ${count(found.document.unresolved, "call")} no more than the name is known.`)
        : null,
      this.cut(found.document),
      said,
    );
  }

  /** @param {Way} way @param {string} label @param {Step} found @param {string[]} above */
  entries(way, label, found, above) {
    const rows = this.below(way, found, above);
    return rows.length ? tree(label, rows) : null;
  }

  /**
   * @param {Way} way @param {Step} found @param {string[]} above
   * @returns {import("./tree.js").Entry[]}
   */
  below(way, found, above) {
    const own = found.others.map((row) => this.entry(way, row, above));
    const tests = found.tests.map((row) => this.entry(way, row, above));
    if (!tests.length) return own;
    if (!own.length && tests.length < 4) return tests;
    return [
      ...own,
      {
        key: "tests",
        shown: el("span", { class: "fold-name" }, "in tests ", el("span", { class: "number" }, grouped(tests.length))),
        below: async () => tests,
      },
    ];
  }

  /**
   * @param {Way} way @param {{node: any, edge: any}} row @param {string[]} above
   * @returns {import("./tree.js").Entry}
   */
  entry(way, { node, edge }, above) {
    const { root } = this.telling;
    const again = above.includes(node.id);
    const lines = edge.lines.slice(0, 4);
    const at = way === "callers" ? node.path : null;
    return {
      key: node.name,
      shown: el(
        "span",
        { class: "call" },
        symbolLink({ root, path: node.path, line: node.line, name: node.name, kind: "" }),
        whereText(node.path, node.line),
        at && lines.length
          ? el(
              "span",
              { class: "lines" },
              lines.map((/** @type {number} */ line) => [
                el("a", { href: fileLink(root, at, line) }, `line ${line}`),
                " ",
              ]),
            )
          : null,
        edge.count > 1 ? el("span", { class: "number" }, `${grouped(edge.count)} times`) : null,
        unsure(edge.tier),
        edge.dispatch ? el("span", { class: "tier" }, "by dispatch") : null,
        again ? el("span", { class: "tag" }, "calls itself in a circle") : null,
      ),
      note: way === "callers" ? "Nothing calls it." : "It calls nothing of this codebase.",
      below:
        again || node.kind === "file"
          ? null
          : async () => this.below(way, await this.step(`${node.path}:${node.line}`, way), [...above, node.id]),
    };
  }
}
