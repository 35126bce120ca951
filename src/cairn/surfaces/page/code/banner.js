// The lines under the head of a file that say what has to be known of its text. Whoever says one takes it back.

import { el, fill } from "../kit/dom.js";

/** @typedef {"disk" | "line" | "blame" | "outline" | "index" | "binary"} Of */

export class Banner {
  constructor() {
    /** @type {Map<Of, unknown[]>} */
    this.lines = new Map();
    this.element = el("div", { class: "file-banner", role: "status", hidden: true });
  }

  /** Say something, or with nothing take back what was said. @param {Of} of @param {...unknown} children */
  say(of, ...children) {
    if (!children.length && !this.lines.has(of)) return;
    if (children.length) this.lines.set(of, children);
    else this.lines.delete(of);
    fill(
      this.element,
      [...this.lines.values()].map((each) => el("p", {}, each)),
    );
    this.element.hidden = !this.lines.size;
  }
}
