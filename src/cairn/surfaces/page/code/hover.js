// What is under the pointer, after a short rest: its head, what is said of it, and then how often it is used.

import { pathLink, tier } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { count, visible } from "../kit/text.js";
import { excerpt } from "./lines.js";

const REST_MS = 350;

export class Hover {
  /** @param {(span: HTMLElement) => Promise<any>} place what is asked of a name; null where it can't be told now
   *  @param {string} root */
  constructor(place, root) {
    this.place = place;
    this.root = root;
    this.timer = 0;
    this.asking = new AbortController();
    this.element = el("div", { class: "hover-card", role: "tooltip", hidden: true });
    this.element.addEventListener("pointerleave", () => this.hide());
  }

  /** The pointer is somewhere. @param {any} event */
  over(event) {
    if (this.element.contains(event.target)) return;
    const span = event.target.closest?.(".text-of [data-at]") ?? null;
    if (span === this.span) return;
    clearTimeout(this.timer);
    this.span = span;
    if (event.pointerType === "touch") return;
    if (span && !event.buttons) this.timer = setTimeout(() => this.show(present(span)), REST_MS);
    else if (!this.element.hidden) this.timer = setTimeout(() => this.hide(), REST_MS);
  }

  /** @param {any} span @param {boolean} [asked] by a key, and not by a rest that may be by chance */
  async show(span, asked = false) {
    this.hide();
    if (!span) return;
    this.span = span;
    this.asking = new AbortController();
    const { signal } = this.asking;
    try {
      const place = await this.place(span);
      if (!place || signal.aborted) return;
      const found = await ask("/v1/hover", { root: this.root, ...place }, signal);
      span = present(span);
      if (signal.aborted || !span) return;
      if (found.moved) return this.put(span, el("p", { class: "doc" }, "The text has changed; it is not told about."));
      if (!found.definitions.length)
        return asked && this.put(span, el("p", { class: "doc" }, "No definition of it is known here."));
      const uses = el("p", { class: "uses-of" }, "counting uses…");
      this.put(
        span,
        found.definitions.map((/** @type {any} */ each) => this.defined(each)),
        found.total > found.definitions.length &&
          el("p", { class: "doc" }, `and ${count(found.total - found.definitions.length, "more definition")}`),
        uses,
      );
      const name = `${place.file}:${place.line}:${place.column}`;
      const used = await ask("/v1/refs", { root: this.root, name, limit: 1 }, signal);
      if (signal.aborted) return;
      fill(
        uses,
        count(used.total, "use"),
        Object.entries(used.tiers ?? {}).map(([each, number]) => [" ", tier(each), ` ${number}`]),
      );
    } catch (error) {
      if (!signal.aborted) this.hide();
    }
  }

  /** @param {any} each */
  defined(each) {
    return el(
      "section",
      {},
      el(
        "pre",
        { class: "signature" },
        excerpt({ text: each.head, root: this.root, path: each.path, first: each.line }).map((row) =>
          row.querySelector(".text"),
        ),
      ),
      el(
        "p",
        { class: "where" },
        el("span", { class: "kind" }, visible(each.kind)),
        " ",
        pathLink(this.root, each.path, each.line),
      ),
      each.doc.length
        ? el("p", { class: "doc" }, each.doc.map((/** @type {string} */ line) => visible(line)).join("\n"))
        : null,
    );
  }

  /** @param {HTMLElement} span @param {...unknown} children */
  put(span, ...children) {
    fill(this.element, ...children);
    this.element.hidden = false;
    const { left, top, bottom } = span.getBoundingClientRect();
    const { width, height } = this.element.getBoundingClientRect();
    const above = top - height - 6;
    this.element.style.setProperty("--x", `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`);
    this.element.style.setProperty("--y", `${above > 60 ? above : bottom + 6}px`);
  }

  hide() {
    clearTimeout(this.timer);
    this.asking.abort();
    this.span = null;
    const was = !this.element.hidden;
    this.element.hidden = true;
    return was;
  }
}

/** A name, or what stands in its place since its line got colours. @param {Element} span */
function present(span) {
  return span.isConnected ? span : document.querySelector(".text-of .picked, .text-of [data-at]:hover");
}
