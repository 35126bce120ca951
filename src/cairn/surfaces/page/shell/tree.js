// The files of the codebase: folders that open when asked, what the branch changed, and a filter. A tree of any size is
// drawn by the few rows that are seen.

import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { leftOutIn, leftOutLike, together } from "../kit/leftout.js";
import { fileLink } from "../kit/place.js";
import { grouped } from "../kit/text.js";
import { live } from "./live.js";
import { closeDrawers, Pane } from "./panes.js";
import { foldersOf, rowOf } from "./row.js";

const ROW = 24;
const MORE = 12;
const TYPING_MS = 60;
const FOUND = 200;
const MOST_CHANGED = 20_000;
/** @typedef {import("../kit/leftout.js").Entry} Entry */
/** @typedef {import("./row.js").Row} Row */

class Tree {
  constructor() {
    this.pane = new Pane("tree");
    /** @type {string | null} */
    this.root = null;
    /** @type {string | null} */
    this.path = null;
    /** What each folder holds, as far as it was asked. @type {Map<string, Entry[]>} */
    this.folders = new Map();
    /** @type {Set<string>} */
    this.open = new Set([""]);
    /** @type {Map<string, string>} */
    this.changes = new Map();
    /** The folders that hold what changed. @type {Set<string>} */
    this.within = new Set();
    this.branch = "";
    /** @type {{path: string, reason: string}[] | null} */
    this.found = null;
    /** @type {Row[]} */
    this.rows = [];
    this.active = "";
    this.typed = "";
    this.typedAt = 0;
    this.asking = new AbortController();
    this.filter = el("input", {
      type: "search",
      placeholder: "Filter files",
      "aria-label": "Filter files",
      autocomplete: "off",
      spellcheck: "false",
      on: { input: () => this.filtered(), keydown: (/** @type {KeyboardEvent} */ event) => this.fromFilter(event) },
    });
    this.only = el("input", { type: "checkbox", id: "tree-changed", on: { change: () => this.lay() } });
    this.number = el("span", { class: "number" });
    this.space = el("div", { class: "space", role: "none" });
    this.list = el(
      "div",
      {
        class: "rows",
        role: "tree",
        "aria-label": "Files",
        on: {
          scroll: () => this.draw(),
          click: (/** @type {MouseEvent} */ event) => this.clicked(event),
          keydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event),
        },
      },
      this.space,
    );
    let height = 0;
    new ResizeObserver(() => {
      const was = height;
      height = this.list.clientHeight;
      // A drawer that opens shows where one is.
      const at = was ? -1 : this.rows.findIndex((each) => each.path === this.path);
      if (at >= 0 && height) this.inSight(at, true);
      this.draw(!was);
    }).observe(this.list);
    this.waiting = 0;
  }

  /** @param {string | null} root @param {string | null} path */
  async at(root, path) {
    const isOther = root !== this.root;
    this.path = path;
    if (isOther) {
      this.asking.abort();
      this.asking = new AbortController();
      this.root = root;
      this.folders.clear();
      this.changes.clear();
      this.open = new Set([""]);
      this.found = null;
      this.filter.value = "";
      if (!root) return this.pane.hide();
      live.onSnapshot(root, () => void this.again(), this.asking.signal);
      const only = el("label", { for: "tree-changed" }, this.only, el("span", {}, "Only changed ", this.number));
      this.pane.show(
        el("h2", { class: "unseen" }, "Files"),
        el("div", { class: "head" }, this.filter, only),
        this.list,
      );
      void this.look();
    }
    if (root) await this.reveal();
  }

  /** Another snapshot: what is open is asked again, and stays open. */
  async again() {
    const open = [...this.open];
    this.folders.clear();
    await Promise.all([...open.map((each) => this.load(each)), this.look()]);
    if (this.filter.value) await this.filtered(0);
    this.lay();
  }

  /** What the branch changed. */
  async look() {
    try {
      const values = { root: this.root, limit: MOST_CHANGED };
      const found = await ask("/v1/diff", values, this.asking.signal);
      this.changes = new Map(found.files.map((/** @type {any} */ each) => [each.path, each.status]));
      this.within = new Set([...this.changes.keys()].flatMap(foldersOf));
      this.branch = found.since.slice(0, 10);
      this.number.textContent = found.total ? grouped(found.total) : "";
      this.number.title = this.branch ? `differ from ${this.branch}` : "";
    } catch {
      this.changes = new Map(); // A tree without marks is still the tree.
    }
    this.lay();
  }

  /** @param {string} folder */
  async load(folder) {
    if (this.folders.has(folder)) return true;
    const others = leftOutIn(this.root, folder, this.asking.signal);
    /** @type {Entry[]} */
    let entries = [];
    try {
      entries = (await ask("/v1/tree", { root: this.root, folder }, this.asking.signal)).entries;
    } catch {
      // It went with the last snapshot, or holds nothing but what is left out.
      if (!(await others).length) {
        this.open.delete(folder);
        return false;
      }
    }
    this.folders.set(folder, entries);
    // Why a file is left out takes a look at the whole tree, which the others don't wait for.
    void others.then((found) => found.length && this.folders.get(folder) === entries && this.join(folder, found));
    return true;
  }

  /** Show with what a folder holds what is left out of the index. @param {string} folder @param {Entry[]} others */
  join(folder, others) {
    this.folders.set(folder, together(this.folders.get(folder) ?? [], others));
    this.lay();
    const start = folder ? `${folder}/` : "";
    if (others.some((each) => start + each.name === this.path)) void this.reveal();
  }

  /** Open what leads to the file that is shown, and have it in sight. */
  async reveal() {
    const folders = ["", ...foldersOf(this.path ?? "")];
    await Promise.all(folders.map((each) => this.load(each)));
    for (const each of folders) if (this.folders.has(each)) this.open.add(each);
    if (this.path) this.active = this.path;
    this.lay();
    const at = this.rows.findIndex((each) => each.path === this.path);
    if (at >= 0) this.inSight(at, true);
  }

  /** The rows as they are now, from what is open, found or changed. */
  lay() {
    const only = this.only.checked;
    if (this.found || only) this.rows = this.few(this.found ?? this.changed(), only);
    else {
      this.rows = [];
      this.append("", 0);
    }
    if (!this.rows.some((each) => each.path === this.active)) this.active = this.rows[0]?.path ?? "";
    this.space.style.setProperty("--rows", String(this.rows.length));
    this.draw(true);
  }

  changed() {
    return [...this.changes.keys()].map((path) => ({ path, reason: "" }));
  }

  /** @param {{path: string, reason: string}[]} found @param {boolean} only @returns {Row[]} */
  few(found, only) {
    const wanted = only ? found.filter((each) => this.changes.has(each.path)) : found;
    return wanted.map(({ path, reason }, at) => {
      return { path, name: path, depth: 0, isFolder: false, files: 1, reason, at: at + 1, of: wanted.length };
    });
  }

  /** @param {string} folder @param {number} depth */
  append(folder, depth) {
    const entries = this.folders.get(folder) ?? [];
    entries.forEach((each, at) => {
      const path = folder ? `${folder}/${each.name}` : each.name;
      const { name, files, is_folder: isFolder, reason } = each;
      this.rows.push({ path, name, depth, isFolder, files, reason, at: at + 1, of: entries.length });
      if (isFolder && this.open.has(path)) this.append(path, depth + 1);
    });
  }

  /** Draw the rows that are seen. */
  draw(isOther = false) {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - MORE);
    const last = Math.min(this.rows.length, Math.ceil((this.list.scrollTop + this.list.clientHeight) / ROW) + MORE);
    const key = `${first} ${last}`;
    if (!isOther && this.space.dataset.drawn === key) return;
    this.space.dataset.drawn = key;
    const hadFocus = this.space.contains(document.activeElement);
    const at = this.rows.findIndex((each) => each.path === this.active);
    const numbers = Array.from({ length: Math.max(0, last - first) }, (_, each) => first + each);
    // Whoever walks by keys keeps the row that has the focus, wherever the list is scrolled to.
    if (at >= 0 && !numbers.includes(at)) numbers.push(at);
    const empty = this.rows.length ? null : el("p", { class: "nothing" }, this.said());
    fill(
      this.space,
      empty,
      numbers.map((each) => rowOf(this.rows[each], each, this)),
    );
    if (hadFocus) this.focus();
  }

  said() {
    if (this.only.checked && !this.found)
      return this.branch ? `Nothing differs from ${this.branch}.` : "Nothing changed.";
    return this.found ? "No file is called so." : "";
  }

  /** @param {number} at @param {boolean} [isMiddle] */
  inSight(at, isMiddle = false) {
    const { scrollTop, clientHeight } = this.list;
    if (at * ROW >= scrollTop && (at + 1) * ROW <= scrollTop + clientHeight) return;
    if (isMiddle) this.list.scrollTop = at * ROW - clientHeight / 2;
    else this.list.scrollTop = at * ROW < scrollTop ? at * ROW : (at + 1) * ROW - clientHeight;
    this.draw();
  }

  focus() {
    const found = /** @type {HTMLElement | null} */ (this.space.querySelector("[tabindex='0']"));
    found?.focus({ preventScroll: true });
  }

  /** @param {number} at */
  go(at) {
    const row = this.rows[Math.max(0, Math.min(this.rows.length - 1, at))];
    if (!row) return;
    this.active = row.path;
    this.inSight(this.rows.indexOf(row));
    this.draw(true);
    this.focus();
  }

  /** @param {string} folder */
  async toggle(folder) {
    if (this.open.delete(folder)) return this.lay();
    this.open.add(folder);
    await this.load(folder);
    this.lay();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const found = /** @type {HTMLElement} */ (event.target).closest("[data-at]");
    if (!(found instanceof HTMLElement)) return;
    const row = this.rows[Number(found.dataset.at)];
    this.active = row.path;
    if (row.isFolder) void this.toggle(row.path).then(() => this.focus());
    else if (!event.ctrlKey && !event.metaKey) closeDrawers();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Escape" || event.key === "Tab") return;
    const at = this.rows.findIndex((each) => each.path === this.active);
    const row = this.rows[at];
    if (!row) return;
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
    /** @type {Record<string, () => void>} */
    const doing = {
      ArrowDown: () => this.go(at + 1),
      ArrowUp: () => this.go(at - 1),
      Home: () => this.go(0),
      End: () => this.go(this.rows.length - 1),
      PageDown: () => this.go(at + page),
      PageUp: () => this.go(at - page),
      ArrowRight: () => this.inwards(at),
      ArrowLeft: () => this.outwards(at),
      Enter: () => this.opened(row),
      " ": () => this.opened(row),
    };
    if (doing[event.key]) doing[event.key]();
    else if (event.key.length !== 1 || "/?[]".includes(event.key)) return;
    else this.typeAhead(event.key, event.timeStamp, at);
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Row} row */
  opened(row) {
    if (row.isFolder) return void this.toggle(row.path);
    location.hash = fileLink(this.root, row.path);
  }

  /** @param {number} at */
  inwards(at) {
    const row = this.rows[at];
    if (!row.isFolder) return;
    if (this.open.has(row.path)) this.go(at + 1);
    else void this.toggle(row.path).then(() => this.focus());
  }

  /** @param {number} at */
  outwards(at) {
    const row = this.rows[at];
    if (row.isFolder && this.open.has(row.path)) return void this.toggle(row.path).then(() => this.focus());
    const parent = this.rows.findLastIndex((each, number) => number < at && each.depth < row.depth);
    if (parent >= 0) this.go(parent);
  }

  /** @param {string} key @param {number} time @param {number} at */
  typeAhead(key, time, at) {
    this.typed = time - this.typedAt < 800 ? this.typed + key : key;
    this.typedAt = time;
    const start = this.typed.toLowerCase();
    const next = this.typed.length === 1 ? at + 1 : at;
    const order = [...this.rows.keys()].map((_, number) => (next + number) % this.rows.length);
    const found = order.find((number) => this.rows[number].name.toLowerCase().startsWith(start));
    if (found !== undefined) this.go(found);
  }

  async filtered(pause = TYPING_MS) {
    clearTimeout(this.waiting);
    const typed = this.filter.value.trim();
    if (!typed) {
      this.found = null;
      return this.lay();
    }
    await new Promise((done) => {
      this.waiting = setTimeout(done, pause);
    });
    try {
      const found = await ask("/v1/paths", { q: typed, root: this.root, limit: FOUND }, this.asking.signal);
      if (this.filter.value.trim() !== typed) return;
      this.found = found.results.map((/** @type {string} */ path) => ({ path, reason: "" }));
      this.list.scrollTop = 0;
      this.lay();
      const others = await leftOutLike(this.root, typed, this.asking.signal);
      if (this.filter.value.trim() !== typed) return;
      this.found = [...(this.found ?? []), ...others];
    } catch {
      this.found = null; // The whole tree stands in the place of what could not be asked.
    }
    this.lay();
  }

  /** @param {KeyboardEvent} event */
  fromFilter(event) {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      if (event.key === "Enter" && this.found?.length) this.opened(this.rows[0]);
      else this.go(0);
    } else if (event.key === "Escape" && this.filter.value) {
      event.stopPropagation();
      this.filter.value = "";
      void this.filtered();
    }
  }
}

/** The tree follows where the page is. */
export function startTree() {
  const tree = new Tree();
  document.addEventListener("cairn-place", (event) => {
    const { root, path } = /** @type {CustomEvent} */ (event).detail;
    void tree.at(root, path);
  });
}
