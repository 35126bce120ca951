// The text of a file: mere text until somebody is about to see it, then rows with numbers, names and colours.

import { el, fill } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { coded } from "../kit/text.js";
import { lineNodes } from "./tokens.js";

/** @typedef {[number, number, string][]} Pieces */

const BLOCK = 100;
const SHOWN = 400;

export class Blocks {
  /**
   * @param {string[]} lines
   * @param {{root: string | null, path: string}} where
   * @param {(row: HTMLElement, line: number) => void} drawn told of each row that is made
   */
  constructor(lines, where, drawn) {
    this.lines = lines;
    this.where = where;
    this.drawn = drawn;
    /** @type {Map<number, Pieces>} */
    this.pieces = new Map();
    /** @type {string | null} */
    this.name = null;
    /** @type {RegExp | null} */
    this.marked = null;
    // The panes scroll by themselves: a margin around the window alone would not see beyond their edges.
    this.seen = new IntersectionObserver(
      (entries) => entries.filter((each) => each.isIntersecting).forEach((each) => this.draw(each.target)),
      /** @type {IntersectionObserverInit} */ ({ rootMargin: "600px", scrollMargin: "600px" }),
    );
    /** @type {HTMLElement[]} */
    this.elements = [];
    for (let first = 0; first < lines.length; first += BLOCK) this.elements.push(this.plain(first));
  }

  /** How many digits the longest number has. */
  get digits() {
    return String(this.lines.length).length;
  }

  /** Mere text, found by a search in the page, and as high as the rows that take its place. @param {number} first */
  plain(first) {
    const lines = this.lines.slice(first, first + BLOCK);
    const block = el(
      "div",
      { class: "block plain", "data-first": first },
      coded(lines.map((line) => line.slice(0, SHOWN) || " ").join("\n")),
    );
    block.style.setProperty("--lines", String(lines.length));
    this.seen.observe(block);
    return block;
  }

  /** @param {any} block */
  draw(block) {
    if (!block.classList.contains("plain")) return;
    this.seen.unobserve(block);
    block.classList.remove("plain");
    const first = Number(block.dataset.first);
    const rows = this.lines.slice(first, first + BLOCK).map((_, at) => this.made(first + at + 1));
    fill(block, rows);
  }

  /** @param {number} line */
  made(line) {
    const text = el("span", { class: "text" });
    const href = fileLink(this.where.root, this.where.path, line);
    const row = el(
      "div",
      { class: "row", "data-line": line },
      el("a", { class: "number", tabindex: "-1", href, "aria-label": `line ${line}` }, String(line)),
      text,
    );
    this.paint(text, line);
    this.drawn(row, line);
    return row;
  }

  /** @param {HTMLElement} text @param {number} line */
  paint(text, line) {
    const own = this.lines[line - 1];
    // A long line that was opened stays open when its colours come.
    const most = text.dataset.whole ? Infinity : undefined;
    fill(text, own ? lineNodes(own, this.pieces.get(line) ?? [], this.marked, most) : el("br"));
    this.markName(text);
  }

  /** The row of a line, drawn if need be. @param {number} line @returns {HTMLElement} */
  row(line) {
    const block = this.elements[Math.floor((line - 1) / BLOCK)];
    this.draw(block);
    return /** @type {HTMLElement} */ (block.children[(line - 1) % BLOCK]);
  }

  /** Every row that is drawn. @returns {HTMLElement[]} */
  rows() {
    return this.elements
      .filter((each) => !each.classList.contains("plain"))
      .flatMap((each) => /** @type {HTMLElement[]} */ ([...each.children]));
  }

  /** Take the colours of some or all lines. @param {Map<number, Pieces>} pieces */
  colour(pieces) {
    for (const [line, own] of pieces) this.pieces.set(line, own);
    for (const row of this.rows()) {
      const line = Number(row.dataset.line);
      if (pieces.has(line)) this.repaint(row, line);
    }
  }

  /** What is picked stays so, and a row in which somebody selects text keeps its nodes.
   *  @param {HTMLElement} row @param {number} line */
  repaint(row, line) {
    const selection = getSelection();
    if (selection && !selection.isCollapsed && selection.containsNode(row, true)) return;
    const text = /** @type {HTMLElement} */ (row.querySelector(".text"));
    const picked = /** @type {HTMLElement | null} */ (text.querySelector(".picked"));
    const at = picked?.dataset.at;
    this.paint(text, line);
    if (at !== undefined) text.querySelector(`[data-at="${at}"]`)?.classList.add("picked");
  }

  /** Mark all occurrences of a name softly. @param {string | null} name */
  markNames(name) {
    if (name === this.name) return;
    this.name = name;
    for (const block of this.elements) if (!block.classList.contains("plain")) this.markName(block);
  }

  /** @param {HTMLElement} within */
  markName(within) {
    for (const each of within.querySelectorAll(".same")) each.classList.remove("same");
    if (!this.name) return;
    for (const each of within.querySelectorAll("[data-at]"))
      if (each.textContent === this.name) each.classList.add("same");
  }

  /** Lines on which a name stands, as a word. @param {string} name */
  linesWith(name) {
    const word = new RegExp(
      `(?<![\\p{L}\\p{N}_$])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}_$])`,
      "u",
    );
    return this.linesThat(word);
  }

  /** @param {RegExp} pattern */
  linesThat(pattern) {
    const plain = new RegExp(pattern.source, pattern.flags.replace("g", ""));
    return this.lines.flatMap((line, at) => (plain.test(line) ? [at + 1] : []));
  }

  leave() {
    this.seen.disconnect();
  }
}

/** @param {string} text */
export function linesOf(text) {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""));
}
