// The outline of a file: what it defines, drawn as it is looked at, since a file can define tens of thousands of names.

import { el } from "../kit/dom.js";
import { grouped, visible } from "../kit/text.js";

const CHUNK = 200;

/** @typedef {{name: string, kind: string, signature?: string, depth: number}} Named */
/** @typedef {Named & {start_line: number, end_line: number}} Symbol */

export class Outline {
  /** `address` gives the address of a line. @param {Symbol[]} symbols @param {(line: number) => string} address */
  constructor(symbols, address) {
    this.symbols = symbols;
    this.address = address;
    /** @type {HTMLElement[]} */
    this.entries = [];
    /** @type {Map<number, HTMLElement>} */
    this.rests = new Map();
    /** @type {Element | null} */
    this.marked = null;
    this.seen = new IntersectionObserver((found) =>
      found
        .filter((each) => each.isIntersecting)
        .forEach((each) => this.draw(Number(/** @type {HTMLElement} */ (each.target).dataset.first))),
    );
    /** The one entry that Tab comes to; from there arrows walk. @type {Element | null} */
    this.stop = null;
    this.element = el("ul", {
      on: {
        keydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event),
        focusin: (/** @type {any} */ event) => this.stopAt(event.target.closest("a")),
      },
    });
    for (let first = 0; first < symbols.length; first += CHUNK) this.element.append(this.rest(first));
    this.draw(0);
    this.stopAt(this.entries[0]?.firstElementChild ?? null);
  }

  /** @param {Element | null} link */
  stopAt(link) {
    if (!link) return;
    this.stop?.setAttribute("tabindex", "-1");
    this.stop = link;
    link.setAttribute("tabindex", "0");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const at = this.entries.findIndex((each) => each?.contains(document.activeElement));
    const last = this.symbols.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.open(Math.min(last, Math.max(0, to)));
  }

  /**
   * A place as high as the entries that it stands for; whoever can't scroll opens it by its button.
   * @param {number} first
   */
  rest(first) {
    const number = Math.min(CHUNK, this.symbols.length - first);
    const found = el(
      "li",
      { class: "rest", "data-first": first },
      el("button", { type: "button", on: { click: () => this.open(first) } }, `${grouped(number)} more`),
    );
    found.style.setProperty("--entries", String(number));
    this.rests.set(first, found);
    this.seen.observe(found);
    return found;
  }

  /** @param {number} first */
  draw(first) {
    const rest = this.rests.get(first);
    if (!rest) return;
    this.rests.delete(first);
    this.seen.unobserve(rest);
    const entries = this.symbols.slice(first, first + CHUNK).map((each) => this.entry(each));
    entries.forEach((each, at) => {
      this.entries[first + at] = each;
    });
    rest.replaceWith(...entries);
  }

  /** @param {number} at */
  open(at) {
    this.draw(at - (at % CHUNK));
    /** @type {HTMLElement} */ (this.entries[at].firstElementChild).focus();
  }

  /** @param {Symbol} symbol */
  entry(symbol) {
    return el(
      "li",
      { "data-depth": Math.min(symbol.depth, 5) },
      el(
        "a",
        { href: this.address(symbol.start_line), tabindex: "-1", title: visible(symbol.signature ?? "") },
        el("span", { class: "kind", "aria-hidden": "true" }, visible(symbol.kind.slice(0, 1))),
        el("bdi", {}, visible(symbol.name)),
        el("span", { class: "unseen" }, `, ${visible(symbol.kind)}, line ${symbol.start_line}`),
      ),
    );
  }

  /** Mark the innermost entry that holds a line, and have it in sight. @param {number} line */
  mark(line) {
    const at = this.symbols.findLastIndex((each) => each.start_line <= line && line <= each.end_line);
    const found = this.entries[at]?.firstElementChild;
    if (found && found === this.marked) return;
    this.marked?.removeAttribute("aria-current");
    if (at >= 0) this.draw(at - (at % CHUNK));
    this.marked = this.entries[at]?.firstElementChild ?? null;
    this.marked?.setAttribute("aria-current", "true");
    this.stopAt(this.marked);
    const area = this.element.closest("#outline");
    if (!area || !this.marked || area.contains(document.activeElement)) return;
    // Only the outline moves: to scroll an entry into view would move every pane around it.
    const [own, around] = [this.marked.getBoundingClientRect(), area.getBoundingClientRect()];
    if (own.top < around.top + 40 || own.bottom > around.bottom)
      area.scrollTop += own.top - around.top - around.height / 2;
  }
}
