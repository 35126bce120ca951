// Which tests see a change of it, the likeliest first, and why.

import { changed } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { count, grouped, visible } from "../kit/text.js";
import { copyButtons } from "./copy.js";
import { notesOf } from "./notes.js";
import { whereText } from "./rows.js";

const FIRST = 50;
const NAMES = 6;
const STEPS = [1, 2, 3, 5, 10];

export class Tests {
  static id = "tests";
  static label = "Tests";
  static key = "g t";

  /** @param {import("./telling.js").Telling} telling @param {HTMLElement} panel @param {URLSearchParams} values */
  constructor(telling, panel, values) {
    this.telling = telling;
    this.panel = panel;
    this.limit = Math.max(FIRST, Number(values.get("show")) || 0);
    this.weak = values.get("weak") === "1";
    this.depth = depthOf(values, 3);
  }

  values() {
    return {
      show: this.limit > FIRST ? this.limit : "",
      weak: this.weak ? "1" : "",
      depth: this.depth === 3 ? "" : this.depth,
    };
  }

  again() {
    return this.open();
  }

  async open() {
    const { telling } = this;
    const values = {
      places: telling.target,
      root: telling.root,
      limit: this.limit,
      weak: this.weak,
      depth: this.depth,
    };
    const document = await ask("/v1/tests", values, telling.signal);
    const rows = document.tests;
    telling.counted("tests", document.total);
    const set = (/** @type {Partial<Tests>} */ given) => {
      Object.assign(this, given);
      telling.moved();
      telling.run(this);
    };
    fill(
      this.panel,
      el(
        "p",
        { class: "total" },
        count(document.total, "test file"),
        rows.length
          ? copyButtons(() =>
              rows.map((/** @type {any} */ row) => ({
                path: row.path,
                rows: [{ line: 1, text: row.names.join(" ") }],
              })),
            )
          : null,
      ),
      el(
        "div",
        { class: "filters" },
        steps(this.depth, (depth) => set({ depth })),
        document.weak || this.weak
          ? el(
              "button",
              {
                class: "chip",
                type: "button",
                "aria-pressed": String(this.weak),
                on: { click: () => set({ weak: !this.weak }) },
              },
              "also weak ones",
              el("span", { class: "number" }, grouped(document.weak)),
            )
          : null,
      ),
      rows.length
        ? el(
            "ul",
            { class: "test-list" },
            rows.map((/** @type {any} */ row) => this.row(row)),
          )
        : el("p", { class: "nothing" }, "No test is known to see it."),
      document.total > rows.length
        ? el(
            "p",
            { class: "cut" },
            `${grouped(rows.length)} of ${count(document.total, "test file")} are shown. `,
            el(
              "button",
              { class: "more", type: "button", on: { click: () => set({ limit: Math.min(2_000, document.total) }) } },
              "Show all",
            ),
          )
        : null,
      notes(document),
      telling.standing(document),
    );
  }

  /** @param {any} row */
  row(row) {
    const why = row.reasons.map((/** @type {any} */ each) => reason(each));
    return el(
      "li",
      {},
      el(
        "a",
        {
          class: "use",
          "data-item": true,
          "data-place": `${row.path}:1`,
          href: fileLink(this.telling.root, row.path),
        },
        whereText(row.path, null),
      ),
      el(
        "span",
        { class: "about" },
        why.map((/** @type {string} */ each) => el("span", {}, visible(each))),
        changed(row),
      ),
      row.names.length ? this.names(row.names) : null,
    );
  }

  /** The tests in a file, the first of them until all are asked for. @param {string[]} names */
  names(names) {
    const listed = (/** @type {string[]} */ shown) => shown.map((name) => [el("code", {}, visible(name)), " "]);
    const into = el("span", { class: "names" });
    const more = () => fill(into, listed(names));
    const left = names.length - NAMES;
    const button = el("button", { class: "more", type: "button", on: { click: more } }, `${grouped(left)} more`);
    return fill(into, left > 1 ? [listed(names.slice(0, NAMES)), button] : listed(names));
  }
}

/** @param {any} each */
function reason(each) {
  const far = each.distance > 1 ? ` over ${each.distance} steps` : "";
  if (each.how === "together") return `changed together in ${count(each.count, "commit")}`;
  if (each.how === "package") return "of the same package";
  if (each.how === "name") return "names it";
  return `${each.how} ${each.of}${far}`.trim();
}

/** How many steps the address asks for. @param {URLSearchParams} values @param {number} usual */
export function depthOf(values, usual) {
  return Math.min(10, Math.max(1, Number(values.get("depth")) || usual));
}

/** How many steps are followed. @param {number} depth @param {(depth: number) => void} choose */
export function steps(depth, choose) {
  return el(
    "label",
    { class: "steps" },
    "Over ",
    el(
      "select",
      { "aria-label": "Steps", on: { change: (/** @type {any} */ event) => choose(Number(event.target.value)) } },
      [...new Set([...STEPS, depth])].map((value) =>
        el("option", { value, selected: value === depth }, value === 1 ? "a step" : `${value} steps`),
      ),
    ),
  );
}

/** What there is to know of an answer about a change, but what a control says. @param {any} document */
export function notes(document) {
  return notesOf(document, (code) => !["places_cut", "impact_cut", "no_uses"].includes(code));
}
