// One dialog for all that is found by typing: files and symbols, `>` commands, `:` a line, `@` a symbol of the file.

import { trouble } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { leftOutLike, why } from "../kit/leftout.js";
import { fileLink, link } from "../kit/place.js";
import { base, folder, visible } from "../kit/text.js";
import { commands } from "./commands.js";
import { recent, remember } from "./recent.js";

const PAUSE_MS = 25;
const BUSY_MS = 300;
const SHOWN = 50;
const LISTED = 500;

/** @typedef {import("../kit/place.js").Place} Place */
/** @typedef {{root: string | null, place: Place, symbols: any[]}} Where */
/** @typedef {{text: string, detail?: string, kind: string, address?: string, run?: () => unknown}} Item */

class Palette {
  constructor() {
    this.dialog = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
    /** @type {Where} */
    this.where = /** @type {any} */ ({});
    /** @type {Item[]} */
    this.items = [];
    this.at = 0;
    this.asking = new AbortController();
    this.input = el("input", {
      type: "text",
      role: "combobox",
      "aria-label": "Find a file or a symbol",
      "aria-expanded": "true",
      "aria-controls": "palette-list",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: "200",
      placeholder: "File or symbol; > commands, : line, @ symbol of this file",
      on: { input: () => void this.look(), keydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event) },
    });
    this.list = el("div", {
      id: "palette-list",
      role: "listbox",
      "aria-label": "Found",
      on: { click: (/** @type {MouseEvent} */ event) => this.clicked(event) },
    });
    this.said = el("p", { class: "said", role: "status" });
    fill(this.dialog, this.input, this.list, this.said);
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  /** @param {Where} where @param {string} typed */
  open(where, typed) {
    this.where = where;
    this.input.value = typed;
    if (!this.dialog.open) this.dialog.showModal();
    this.input.select();
    void this.look();
  }

  async look() {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const typed = this.input.value.trim();
    const first = typed[0] ?? "";
    const rest = typed.slice(1).trim();
    if (first === ">") return this.show(like(commands(this.where), rest), "No command is called so.");
    if (first === ":") return this.show(this.line(rest), "Type the number of a line of the file that is open.");
    if (first === "@") return this.show(like(this.symbols(), rest), "The file that is open defines nothing like it.");
    if (!typed) return this.show(this.beginning(), "Type the name of a file or of a symbol.");
    const { root } = this.where;
    if (!root) return this.show([], "Choose a codebase above: files and symbols are those of one.");
    // Keys that come at once are one question: the daemon takes only so many of one client.
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    if (signal.aborted) return;
    try {
      const name = /^(.*?)(?::(\d+))?$/.exec(typed) ?? [];
      const values = { q: name[1], root, limit: SHOWN };
      const asked = [ask("/v1/paths", values, signal), ask("/v1/names", values, signal)];
      const [paths, names] = await Promise.all(asked);
      if (signal.aborted) return;
      const found = this.found(name[1], name[2], paths.results, names.results);
      this.show(found, "Nothing is called so.");
      // What the index leaves out comes last, and nobody waits for it.
      const others = await leftOutLike(root, name[1], signal);
      if (signal.aborted || !others.length) return;
      const { at } = this;
      this.show([...found, ...others.map((each) => this.unindexed(root, each))], "");
      this.mark(at);
    } catch (error) {
      if (signal.aborted || (error instanceof Error && error.name === "AbortError")) return;
      if (/** @type {any} */ (error).code === "too_many_requests") {
        // What was given up is still being answered.
        return void setTimeout(() => signal.aborted || void this.look(), BUSY_MS);
      }
      fill(this.list);
      fill(
        this.said,
        trouble(error, () => void this.look()),
      );
    }
  }

  /** What begins with what was typed comes first: of both kinds, then the rest, files and symbols by turns.
   * @param {string} typed @param {string | undefined} line @param {string[]} paths @param {any[]} names */
  found(typed, line, paths, names) {
    const { root } = this.where;
    const start = typed.toLowerCase();
    const begins = (/** @type {string} */ text) => text.toLowerCase().startsWith(start);
    const files = paths.map((path) => this.file(String(root), path, line ? Number(line) : null));
    const symbols = names.map((each) => {
      const address = fileLink(root, each.path, each.line);
      const text = each.container ? `${each.container}.${each.name}` : each.name;
      return { text, detail: `${each.path}:${each.line}`, kind: each.kind, address, name: each.name };
    });
    const ahead = [...symbols.filter((each) => begins(each.name)), ...files.filter((each) => begins(each.text))];
    const exact = (/** @type {any} */ each) => (each.name ?? each.text).toLowerCase() === start;
    ahead.sort((a, b) => Number(exact(b)) - Number(exact(a)));
    const behind = [];
    for (let at = 0; at < Math.max(symbols.length, files.length); at += 1)
      for (const each of [files[at], symbols[at]]) if (each && !ahead.includes(each)) behind.push(each);
    return [...ahead, ...behind];
  }

  /** @param {string} root @param {string} path @param {number | null} [line] @returns {Item} */
  file(root, path, line = null) {
    return { text: base(path), detail: folder(path), kind: "file", address: fileLink(root, path, line) };
  }

  /** @param {string} root @param {{path: string, reason: string}} each @returns {Item} */
  unindexed(root, { path, reason }) {
    const item = this.file(root, path);
    return { ...item, detail: [item.detail, `not in the index, ${why(reason)}`].filter(Boolean).join(" · ") };
  }

  /** @param {string} typed @returns {Item[]} */
  line(typed) {
    const { place, root } = this.where;
    if (place.view !== "file" || !/^\d{1,9}$/.test(typed) || typed === "0") return [];
    const address = link("file", place.rest, { in: root }, Number(typed));
    return [{ text: `Line ${typed}`, detail: place.rest, kind: "line", address }];
  }

  /** @returns {Item[]} */
  symbols() {
    const { place, root, symbols } = this.where;
    return symbols.map((each) => {
      const address = fileLink(root, place.rest, each.start_line);
      return { text: each.name, detail: `line ${each.start_line}`, kind: each.kind, address };
    });
  }

  beginning() {
    const { root } = this.where;
    return [...recent(root), ...commands(this.where).slice(0, 4)];
  }

  /** @param {Item[]} items @param {string} nothing */
  show(items, nothing) {
    this.items = items.slice(0, LISTED);
    this.at = 0;
    const left = items.length - this.items.length;
    fill(
      this.list,
      this.items.map((item, at) =>
        el(
          "div",
          { role: "option", id: `found-${at}`, "data-at": at, "aria-selected": String(at === 0) },
          el("span", { class: "what" }, visible(item.kind)),
          el("bdi", { class: "text" }, visible(item.text)),
          el("span", { class: "detail" }, el("bdi", { dir: "ltr" }, visible(item.detail ?? ""))),
        ),
      ),
    );
    fill(this.said, items.length ? (left ? `${left} more: type more of it.` : "") : nothing);
    this.mark(0);
  }

  /** @param {number} at */
  mark(at) {
    this.list.children[this.at]?.setAttribute("aria-selected", "false");
    this.at = Math.max(0, Math.min(this.items.length - 1, at));
    const found = this.list.children[this.at];
    found?.setAttribute("aria-selected", "true");
    found?.scrollIntoView({ block: "nearest" });
    if (found) this.input.setAttribute("aria-activedescendant", found.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    /** @type {Record<string, () => void>} */
    const doing = {
      ArrowDown: () => this.mark(this.at === this.items.length - 1 ? 0 : this.at + 1),
      ArrowUp: () => this.mark(this.at === 0 ? this.items.length - 1 : this.at - 1),
      PageDown: () => this.mark(this.at + 10),
      PageUp: () => this.mark(this.at - 10),
      Enter: () => this.choose(this.items[this.at], event.ctrlKey || event.metaKey),
    };
    if (!doing[event.key]) return;
    event.preventDefault();
    doing[event.key]();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const found = /** @type {HTMLElement} */ (event.target).closest("[data-at]");
    if (found instanceof HTMLElement) this.choose(this.items[Number(found.dataset.at)], event.ctrlKey || event.metaKey);
  }

  /** @param {Item | undefined} item @param {boolean} isAnother whether it is opened in a tab of its own */
  choose(item, isAnother) {
    if (!item) return;
    this.dialog.close();
    if (item.run) return void item.run();
    if (!item.address) return;
    remember(this.where.root, item);
    if (isAnother) window.open(item.address, "_blank", "noopener");
    else location.hash = item.address;
  }
}

/**
 * Those that hold the letters in order, the ones that begin with them first.
 * @param {Item[]} items @param {string} typed
 */
function like(items, typed) {
  const start = typed.toLowerCase();
  const letters = [...start].filter((each) => each.trim()).map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(letters.join(".*"), "i");
  const rank = (/** @type {Item} */ { text }) => {
    const lower = text.toLowerCase();
    return lower.startsWith(start) ? 0 : lower.includes(start) ? 1 : 2;
  };
  return items.filter((each) => pattern.test(each.text)).sort((a, b) => rank(a) - rank(b));
}

/** @type {Palette | null} */
let palette = null;

/** @param {Where} where @param {string} [typed] */
export function open(where, typed = "") {
  palette ??= new Palette();
  palette.open(where, typed);
}
