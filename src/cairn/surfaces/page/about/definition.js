// Where it is defined: kind, name, signature, what is written about it, and its code.

import { changed, layer, trouble } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";
import { copyButtons } from "./copy.js";
import { notesOf } from "./notes.js";
import { codeBlock, codeLine, symbolLink, whereText } from "./rows.js";

const LINES = 16;

export class Definition {
  static id = "definition";
  static label = "Definition";
  static key = "g d";

  /** @param {import("./telling.js").Telling} telling @param {HTMLElement} panel */
  constructor(telling, panel) {
    this.telling = telling;
    this.panel = panel;
    /** @type {Set<string>} */
    this.unfolded = new Set();
  }

  values() {
    return {};
  }

  async open() {
    this.draw();
  }

  async again() {
    this.draw();
  }

  draw() {
    const { found } = this.telling;
    const rows = this.telling.meant();
    this.telling.here.said(rows.length ? count(rows.length === 1 ? 1 : found.total, "definition") : "no definition");
    const others = Object.entries(found.otherwise ?? {});
    fill(
      this.panel,
      rows.length ? rows.map((row) => this.card(row, rows.length === 1)) : this.none(),
      others.length
        ? el(
            "p",
            { class: "cut" },
            "Spelt otherwise: ",
            others.map(([name, number]) => [this.other(name), ` ${number} `]),
          )
        : null,
      found.total > found.results.length
        ? el(
            "p",
            { class: "cut" },
            `${found.results.length} of ${count(found.total, "definition")} are shown. `,
            el(
              "button",
              { class: "more", type: "button", on: { click: () => this.telling.lift(found.total) } },
              "Show all",
            ),
          )
        : null,
      notesOf(found, (code) => !["local", "places_cut"].includes(code)),
      this.telling.standing(found),
      rows.length
        ? copyButtons(() => rows.map((row) => ({ path: row.path, rows: [{ line: row.line, text: row.signature }] })))
        : null,
    );
  }

  /** @param {string} name */
  other(name) {
    return el("a", { href: link("names", name, { in: this.telling.root }) }, visible(name));
  }

  /** What bears the name elsewhere. @param {string} word @param {number} number */
  alike(word, number) {
    const href = link("names", word, { in: this.telling.root });
    return el("a", { href }, `${count(number, "definition")} of this codebase`);
  }

  none() {
    const { word, namesakes } = this.telling.found;
    const named = el("code", {}, visible(word));
    return el(
      "p",
      { class: "nothing" },
      namesakes
        ? ["What ", named, " means here is not known; the name is borne by ", this.alike(word, namesakes), ". "]
        : ["Nothing in this codebase defines ", named, ": it comes from outside, or the language has it by itself. "],
      el(
        "button",
        { class: "more", type: "button", on: { click: () => this.telling.choose("uses") } },
        "Where it is used",
      ),
    );
  }

  /** @param {any} row @param {boolean} alone */
  card(row, alone) {
    const { root } = this.telling;
    const lines = row.end_line - row.start_line + 1;
    const code = el("div", { class: "code-of" });
    const body = el(
      "article",
      { class: "definition" },
      el(
        "div",
        { class: "head" },
        symbolLink({ root, path: row.path, line: row.line, name: row.qualified_name, kind: row.kind }),
        layer(row.layer === "semantic" ? row.layer : ""),
        this.telling.found.local ? el("span", { class: "tag" }, "local") : null,
        row.exported ? el("span", { class: "tag" }, "exported") : null,
        changed(row),
      ),
      el("p", {}, el("a", { class: "path", href: fileLink(root, row.path, row.line) }, whereText(row.path, row.line))),
      row.signature ? el("pre", { class: "signature" }, codeLine(root, row.path, row.line, row.signature)) : null,
      row.doc ? el("p", { class: "doc" }, visible(row.doc)) : null,
      row.places?.length
        ? el(
            "p",
            { class: "also" },
            "Also said in ",
            row.places.map((/** @type {string} */ each) => [this.place(each), " "]),
          )
        : null,
      code,
    );
    if (this.telling.found.local || lines <= 1) return body;
    const key = `${row.path}:${row.qualified_name}`;
    const show = () => (this.unfolded.add(key), this.code(code, row, lines));
    if (alone || this.unfolded.has(key)) this.code(code, row, lines);
    else
      fill(code, el("button", { class: "more", type: "button", on: { click: show } }, `Show ${count(lines, "line")}`));
    return body;
  }

  /** @param {string} place */
  place(place) {
    const at = place.lastIndexOf(":");
    const [path, line] = [place.slice(0, at), Number(place.slice(at + 1))];
    return el("a", { href: fileLink(this.telling.root, path, line) }, whereText(path, line));
  }

  /**
   * Its code, the first lines of it until all are asked for.
   * @param {HTMLElement} into @param {any} row @param {number} lines
   */
  async code(into, row, lines) {
    const { root } = this.telling;
    let found;
    try {
      const values = { name: `${row.path}:${row.line}`, root, code: true, limit: 20 };
      const answer = await ask("/v1/symbol", values, this.telling.signal);
      found = answer.results.find((/** @type {any} */ each) => each.qualified_name === row.qualified_name)?.code;
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError")
        fill(
          into,
          trouble(error, () => this.code(into, row, lines)),
        );
      return;
    }
    if (!found) return;
    const key = `${row.path}:${row.qualified_name}`;
    const all = found.split("\n");
    const whole = this.unfolded.has(key) || all.length <= LINES + 4;
    const more = () => (this.unfolded.add(key), this.code(into, row, lines));
    fill(
      into,
      codeBlock(root, row.path, row.start_line, (whole ? all : all.slice(0, LINES)).join("\n")),
      whole
        ? null
        : el("button", { class: "more", type: "button", on: { click: more } }, `Show all ${count(all.length, "line")}`),
    );
  }
}
