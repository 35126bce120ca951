// What changing it reaches: users over some steps, files that depend on it, tests.

import { changed } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { count, grouped, visible } from "../kit/text.js";
import { fileLink } from "../kit/place.js";
import { copyButtons } from "./copy.js";
import { symbolLink, unsure, whereText } from "./rows.js";
import { depthOf, notes, steps } from "./sees.js";

const NODES = 500;
const MOST = 2_000;
const FIRST = 100;

export class Impact {
  static id = "impact";
  static label = "Impact";
  static key = "";

  /** @param {import("./telling.js").Telling} telling @param {HTMLElement} panel @param {URLSearchParams} values */
  constructor(telling, panel, values) {
    this.telling = telling;
    this.panel = panel;
    this.depth = depthOf(values, 2);
    this.nodes = Math.min(MOST, Number(values.get("nodes")) || NODES);
    /** @type {Set<string>} */
    this.whole = new Set();
  }

  values() {
    return { depth: this.depth === 2 ? "" : this.depth, nodes: this.nodes > NODES ? this.nodes : "" };
  }

  again() {
    return this.open();
  }

  async open() {
    const { telling } = this;
    const values = {
      name: telling.target,
      root: telling.root,
      depth: this.depth,
      nodes: this.nodes,
      fan_out: this.nodes > NODES ? 500 : 100,
    };
    const document = await ask("/v1/reach", values, telling.signal);
    telling.counted("impact", document.users.length);
    this.draw(document);
  }

  /** @param {any} document */
  draw(document) {
    const { telling } = this;
    const set = (/** @type {Partial<Impact>} */ given) => {
      Object.assign(this, given);
      telling.moved();
      telling.run(this);
    };
    const far = [...new Set(document.users.map((/** @type {any} */ each) => each.distance))];
    fill(
      this.panel,
      el(
        "p",
        { class: "total" },
        [
          count(document.users.length, "user"),
          count(document.dependants.length, "dependent file"),
          count(document.tests.length, "test file"),
        ].join(", "),
        copyButtons(() =>
          document.users.map((/** @type {any} */ each) => ({
            path: each.path,
            rows: [{ line: each.line, text: each.name }],
          })),
        ),
      ),
      el(
        "div",
        { class: "filters" },
        steps(this.depth, (depth) => set({ depth })),
      ),
      document.limits_hit.length
        ? el(
            "p",
            { class: "cut" },
            "There is more than was followed. ",
            this.nodes < MOST
              ? el(
                  "button",
                  { class: "more", type: "button", on: { click: () => set({ nodes: MOST }) } },
                  "Follow more",
                )
              : null,
          )
        : null,
      far.map((distance) => {
        const rows = document.users.filter((/** @type {any} */ each) => each.distance === distance);
        return this.part(document, distance === 1 ? "Use it" : `After ${distance} steps`, rows, (row) =>
          this.user(row),
        );
      }),
      this.part(document, "Files that depend on it", document.dependants, (row) =>
        this.file(row, `imports ${row.imports}`),
      ),
      this.part(document, "Tests", document.tests, (row) => this.file(row, row.how)),
      document.users.length || document.dependants.length
        ? null
        : el("p", { class: "nothing" }, "Nothing is known to be reached by a change of it."),
      notes(document),
      telling.standing(document),
    );
  }

  /** @param {any} document @param {string} label @param {any[]} rows @param {(row: any) => HTMLElement} draw */
  part(document, label, rows, draw) {
    if (!rows.length) return null;
    const shown = this.whole.has(label) ? rows : rows.slice(0, FIRST);
    const more = () => (this.whole.add(label), this.draw(document));
    return el(
      "section",
      { class: "reached", "aria-label": label },
      this.telling.heading(label, " ", el("span", { class: "number" }, grouped(rows.length))),
      el("ul", {}, shown.map(draw)),
      shown.length < rows.length
        ? el("button", { class: "more", type: "button", on: { click: more } }, `Show all ${grouped(rows.length)}`)
        : null,
    );
  }

  /** @param {any} row */
  user(row) {
    const { root } = this.telling;
    return el(
      "li",
      {},
      symbolLink({ root, path: row.path, line: row.line, name: row.name, kind: "" }),
      whereText(row.path, row.line),
      el("span", { class: "role" }, visible(`${row.role} ${row.of}`)),
      unsure(row.tier),
      changed(row),
    );
  }

  /** @param {any} row @param {string} why */
  file(row, why) {
    return el(
      "li",
      {},
      el(
        "a",
        {
          class: "symbol",
          "data-item": true,
          "data-place": `${row.path}:1`,
          href: fileLink(this.telling.root, row.path),
        },
        whereText(row.path, null),
      ),
      el("span", { class: "role" }, visible(why)),
      changed(row),
    );
  }
}
