// The outline of a file: what it defines, drawn as it is looked at, since a file can define tens of thousands of names.

import { el } from "../kit/dom.js";
import { grouped, visible } from "../kit/text.js";

const CHUNK = 200;

export class Outline {
  /** `address` gives the address of a line. */
  constructor(symbols, address) {
    this.symbols = symbols;
    this.address = address;
    this.entries = [];
    this.rests = new Map();
    this.marked = null;
    this.seen = new IntersectionObserver((found) =>
      found.filter((each) => each.isIntersecting).forEach((each) => this.draw(Number(each.target.dataset.first))),
    );
    this.element = el("ul", {});
    for (let first = 0; first < symbols.length; first += CHUNK) this.element.append(this.rest(first));
    this.draw(0);
  }

  /** A place as high as the entries that it stands for; whoever can't scroll opens it by its button. */
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

  open(first) {
    this.draw(first);
    this.entries[first].firstElementChild.focus();
  }

  entry(symbol) {
    return el(
      "li",
      { "data-depth": Math.min(symbol.depth, 5) },
      el(
        "a",
        { href: this.address(symbol.start_line), title: visible(symbol.signature ?? "") },
        el("span", { class: "kind", "aria-hidden": "true" }, visible(symbol.kind.slice(0, 1))),
        el("bdi", {}, visible(symbol.name)),
        el("span", { class: "unseen" }, `, ${visible(symbol.kind)}, line ${symbol.start_line}`),
      ),
    );
  }

  /** Mark the innermost entry that holds a line. */
  mark(line) {
    const at = this.symbols.findLastIndex((each) => each.start_line <= line && line <= each.end_line);
    this.marked?.removeAttribute("aria-current");
    if (at >= 0) this.draw(at - (at % CHUNK));
    this.marked = this.entries[at]?.firstElementChild ?? null;
    this.marked?.setAttribute("aria-current", "true");
  }
}
