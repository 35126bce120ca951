// A button that opens a list: by mouse and by keys, one at a time.

import { el, fill } from "../kit/dom.js";

/** @typedef {{text: string, href?: string, act?: () => void, current?: boolean, kind?: string}} Entry */

/** @type {Menu | null} */
let open = null;

export class Menu {
  /**
   * @param {unknown} shown what is on the button
   * @param {{label: string, entries: () => Entry[] | Promise<Entry[]>, class?: string}} given
   */
  constructor(shown, given) {
    this.given = given;
    this.button = el(
      "button",
      {
        class: given.class ?? "menu-button",
        type: "button",
        "aria-haspopup": "menu",
        "aria-expanded": "false",
        "aria-label": given.label,
        on: { click: () => this.toggle() },
      },
      shown,
    );
    this.list = el("ul", { class: "menu-list", role: "menu", "aria-label": given.label, hidden: true });
    this.element = el("span", { class: "menu", on: { keydown: (/** @type {any} */ event) => this.pressed(event) } }, [
      this.button,
      this.list,
    ]);
  }

  static get isOpen() {
    return Boolean(open?.element.isConnected);
  }

  async toggle() {
    if (open === this) return this.close();
    open?.close();
    open = this;
    this.button.setAttribute("aria-expanded", "true");
    const entries = await this.given.entries();
    fill(
      this.list,
      entries.length
        ? entries.map((each) => this.entry(each))
        : el("li", { class: "nothing", role: "none" }, "Nothing"),
    );
    this.list.hidden = false;
    const { left } = this.element.getBoundingClientRect();
    this.list.classList.toggle("to-left", left > innerWidth / 2);
    const first = this.list.querySelector("[aria-current]") ?? this.list.querySelector("[role=menuitem]");
    const current = /** @type {HTMLElement | null} */ (first);
    current?.focus();
    current?.scrollIntoView({ block: "nearest" });
    document.addEventListener("pointerdown", this);
  }

  /** A press elsewhere closes it. @param {any} event */
  handleEvent(event) {
    if (!this.element.contains(event.target)) this.close();
  }

  close() {
    if (open !== this) return;
    open = null;
    const had = this.list.contains(document.activeElement);
    this.list.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", this);
    if (had) this.button.focus();
  }

  /** @param {Entry} each */
  entry(each) {
    const act = () => {
      this.close();
      each.act?.();
    };
    const attributes = { role: "menuitem", tabindex: "-1", "aria-current": each.current ? "true" : null };
    const shown = [
      each.kind && el("span", { class: "kind", "aria-hidden": "true" }, each.kind),
      el("bdi", {}, each.text),
    ];
    return el(
      "li",
      { role: "none" },
      each.href
        ? el("a", { ...attributes, href: each.href, on: { click: act } }, shown)
        : el("button", { ...attributes, type: "button", on: { click: act } }, shown),
    );
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (open !== this) {
      if (event.key === "ArrowDown" && event.target === this.button) {
        event.preventDefault();
        event.stopPropagation();
        this.toggle();
      }
      return;
    }
    const items = /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll("[role=menuitem]")]);
    const at = items.indexOf(/** @type {any} */ (document.activeElement));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) {
      items[(to + items.length) % items.length]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      this.close();
    } else if (/^\S$/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const key = event.key.toLowerCase();
      const rest = [...items.slice(at + 1), ...items.slice(0, at + 1)];
      rest.find((each) => (each.lastElementChild?.textContent ?? "").toLowerCase().startsWith(key))?.focus();
    } else {
      return;
    }
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  }
}
