// Marks beside the scroll bar: where in the file something is, at a glance and by a click.

import { el, fill } from "../kit/dom.js";

const MOST = 600;

/** @typedef {{line: number, kind: string, text: string}} Mark */

export class Minimap {
  /** @param {number} lines @param {(line: number) => void} go */
  constructor(lines, go) {
    this.lines = lines;
    this.go = go;
    /** @type {Map<string, Mark[]>} */
    this.kinds = new Map();
    this.element = el("div", { class: "minimap", role: "group", "aria-label": "Marks in the file", hidden: true });
  }

  /** Put the marks of one kind in the place of the former ones. @param {string} kind @param {Mark[]} marks */
  set(kind, marks) {
    this.kinds.set(kind, marks);
    /** @type {Map<string, Mark>} */
    const shown = new Map();
    for (const each of [...this.kinds.values()].flat())
      shown.set(`${each.kind} ${Math.round((each.line / Math.max(1, this.lines)) * MOST)}`, each);
    this.element.hidden = !shown.size;
    fill(
      this.element,
      [...shown.values()].map((each) => {
        const mark = el("button", {
          type: "button",
          class: `mark-${each.kind}`,
          tabindex: "-1",
          title: each.text,
          "aria-label": each.text,
          on: { click: () => this.go(each.line) },
        });
        mark.style.setProperty("--at", String((each.line - 1) / Math.max(1, this.lines)));
        return mark;
      }),
    );
  }
}
