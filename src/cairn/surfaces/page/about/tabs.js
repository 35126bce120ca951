// Tabs: one list of which one is chosen, walked by arrow keys, each with its own panel.

import { el, fill } from "../kit/dom.js";
import { grouped } from "../kit/text.js";

let made = 0;

/** @typedef {{id: string, label: string, key: string}} TabName */

export class Tabs {
  /**
   * @param {TabName[]} names
   * @param {(id: string, walked: boolean) => void} choose
   */
  constructor(names, choose) {
    made += 1;
    this.names = names;
    this.choose = choose;
    this.chosen = "";
    /** @type {Map<string, HTMLElement>} */
    this.buttons = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.panels = new Map();
    for (const name of names) {
      const [tab, panel] = [`about-${made}-${name.id}`, `about-${made}-${name.id}-panel`];
      this.buttons.set(name.id, this.button(name, tab, panel));
      this.panels.set(
        name.id,
        el("div", {
          class: "tab-panel",
          role: "tabpanel",
          id: panel,
          "aria-labelledby": tab,
          tabindex: "0",
          hidden: true,
        }),
      );
    }
    this.list = el(
      "div",
      {
        class: "tabs",
        role: "tablist",
        "aria-label": "About the name",
        on: { keydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event) },
      },
      [...this.buttons.values()],
    );
  }

  /** @param {TabName} name @param {string} id @param {string} panel @returns {HTMLElement} */
  button(name, id, panel) {
    return el(
      "button",
      {
        class: "tab",
        type: "button",
        role: "tab",
        id,
        "aria-controls": panel,
        "aria-selected": "false",
        "aria-keyshortcuts": name.key,
        "data-tab": name.id,
        tabindex: "-1",
        on: { click: () => this.choose(name.id, false) },
      },
      name.label,
      el("span", { class: "number" }),
    );
  }

  /** Show one of them. @param {string} id */
  show(id) {
    this.chosen = id;
    for (const name of this.names) {
      const button = /** @type {HTMLElement} */ (this.buttons.get(name.id));
      button.setAttribute("aria-selected", String(name.id === id));
      button.tabIndex = name.id === id ? 0 : -1;
      /** @type {HTMLElement} */ (this.panels.get(name.id)).hidden = name.id !== id;
    }
    this.buttons.get(id)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Say how much there is; null where nobody knows yet. @param {string} id @param {number | null} number */
  count(id, number, more = false) {
    const shown = this.buttons.get(id)?.querySelector(".number");
    if (shown) fill(shown, number === null ? null : `${grouped(number)}${more ? "+" : ""}`);
  }

  /** @param {string} id @returns {HTMLElement} */
  panel(id) {
    return /** @type {HTMLElement} */ (this.panels.get(id));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const at = this.names.findIndex((each) => each.id === this.chosen);
    const last = this.names.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose(this.names[to].id, true);
    this.buttons.get(this.names[to].id)?.focus();
  }
}
