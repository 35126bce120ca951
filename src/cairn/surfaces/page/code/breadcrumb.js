// Where one is: codebase, folders, file, and the symbols around the line; each part opens what stands beside it.

import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { leftOutIn, together, why } from "../kit/leftout.js";
import { fileLink, link } from "../kit/place.js";
import { base, visible } from "../kit/text.js";
import { Menu } from "./menu.js";

/** @typedef {import("./menu.js").Entry} Entry */

export class Breadcrumb {
  /**
   * @param {string} path
   * @param {() => any} here
   * @param {(line: number) => void} go
   */
  constructor(path, here, go) {
    this.path = path;
    this.here = here;
    this.go = go;
    /** @type {any[]} */
    this.symbols = [];
    this.shown = "";
    this.around = el("span", { class: "crumbs-around" });
    this.element = el(
      "nav",
      { class: "crumbs", "aria-label": "Where one is" },
      el("h1", { tabindex: "-1" }, el("span", { class: "unseen" }, visible(path)), this.places()),
      this.around,
    );
  }

  /** The codebase, its folders and the file. */
  places() {
    const { root, known } = this.here();
    const parts = this.path.split("/");
    const codebase = new Menu(el("bdi", {}, visible(base(root ?? ""))), {
      label: `Codebase ${visible(base(root ?? ""))}`,
      entries: () =>
        known().map((/** @type {any} */ each) => ({
          text: visible(base(each.root)),
          href: link("map", "", { in: each.root }),
          current: each.root === root,
        })),
    });
    const others = parts.map((part, at) => {
      const isFile = at === parts.length - 1;
      return new Menu(el("bdi", { class: isFile ? "base" : "folder" }, visible(part)), {
        label: `${isFile ? "File" : "Folder"} ${visible(part)}, and what stands beside it`,
        entries: () => this.beside(parts.slice(0, at).join("/"), part),
      });
    });
    return [codebase, ...others].map((each, at) => [
      at ? el("span", { class: "sep", "aria-hidden": "true" }, "/") : null,
      each.element,
    ]);
  }

  /** What a folder holds. @param {string} folder @param {string} [current] @returns {Promise<Entry[]>} */
  async beside(folder, current = "") {
    const { root, signal } = this.here();
    const others = leftOutIn(root, folder, signal);
    /** @type {import("../kit/leftout.js").Entry[]} */
    let entries = [];
    try {
      entries = (await ask("/v1/tree", { root, folder }, signal)).entries;
    } catch (error) {
      // The snapshot has no folder of which everything is left out.
      if (!(await others).length) throw error;
    }
    return together(entries, await others).map((each) => {
      const path = folder ? `${folder}/${each.name}` : each.name;
      const text = visible(each.name) + (each.reason && `, ${why(each.reason)}`);
      const entry = { text, current: each.name === current, kind: each.is_folder ? "▸" : "" };
      return each.is_folder ? { ...entry, act: () => this.enter(path) } : { ...entry, href: fileLink(root, path) };
    });
  }

  /** A menu of what a folder holds, in the place of the one it was chosen in. @param {string} folder */
  enter(folder) {
    const menu = new Menu(el("bdi", {}, visible(base(folder))), {
      label: `Folder ${visible(folder)}`,
      entries: () => this.beside(folder),
    });
    fill(this.around, el("span", { class: "sep", "aria-hidden": "true" }, "→"), menu.element);
    this.shown = "";
    menu.toggle();
  }

  /** Take what the file defines. @param {any[]} symbols */
  take(symbols) {
    this.symbols = symbols;
    this.shown = "";
  }

  /** Show the symbols around a line. @param {number} line */
  at(line) {
    const found = this.symbols.filter((each) => each.start_line <= line && line <= each.end_line);
    const chain = found.filter((each, at) => found.findLastIndex((other) => other.depth === each.depth) === at);
    const shown = chain.map((each) => `${each.name}:${each.start_line}`).join(" ");
    if (shown === this.shown) return;
    this.shown = shown;
    fill(
      this.around,
      chain.map((each) => {
        const menu = new Menu(el("bdi", {}, visible(each.name)), {
          label: `${visible(each.kind)} ${visible(each.name)}, and what stands beside it`,
          class: "menu-button symbol",
          entries: () => this.siblings(each),
        });
        return [el("span", { class: "sep", "aria-hidden": "true" }, "›"), menu.element];
      }),
    );
  }

  /** What stands in the same as a symbol. @param {any} symbol @returns {Entry[]} */
  siblings(symbol) {
    const at = this.symbols.indexOf(symbol);
    const above = this.symbols.slice(0, at).findLastIndex((each) => each.depth < symbol.depth);
    const after = this.symbols.slice(above + 1).findIndex((each) => each.depth < symbol.depth);
    const end = after < 0 ? this.symbols.length : above + 1 + after;
    return this.symbols
      .slice(above + 1, end)
      .filter((each) => each.depth === symbol.depth)
      .map((each) => ({
        text: visible(each.name),
        kind: visible(each.kind.slice(0, 1)),
        current: each === symbol,
        act: () => this.go(each.start_line),
      }));
  }
}
