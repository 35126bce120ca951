// A tab of so many definitions at most, which a button lifts; the address has the number.

import { el } from "../kit/dom.js";
import { grouped } from "../kit/text.js";

const MOST = 2_000;

export class Bounded {
  /**
   * @param {import("./telling.js").Telling} telling @param {HTMLElement} panel @param {URLSearchParams} values
   * @param {number} usual
   */
  constructor(telling, panel, values, usual) {
    this.telling = telling;
    this.panel = panel;
    this.usual = usual;
    this.nodes = Math.min(MOST, Number(values.get("nodes")) || usual);
  }

  values() {
    return { nodes: this.nodes > this.usual ? this.nodes : "" };
  }

  /** What the tab shows. @returns {Promise<void>} */
  async open() {}

  again() {
    return this.open();
  }

  /** Says what was cut of an answer, and shows more of it. @param {any} document */
  cut(document) {
    if (!document.limits_hit.length || this.nodes >= MOST) return null;
    const more = () => {
      this.nodes = Math.min(MOST, this.nodes * 4);
      this.telling.moved();
      this.open();
    };
    return el(
      "p",
      { class: "cut" },
      `At most ${grouped(this.nodes)} are shown. `,
      el("button", { class: "more", type: "button", on: { click: more } }, "Show more"),
    );
  }
}
