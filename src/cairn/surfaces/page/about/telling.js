// What is known about a name, in tabs: the same in the right pane and as a page of its own.

import { trouble, waiting } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { step } from "../kit/keys.js";
import { link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";
import { Calls } from "./calls.js";
import { Definition } from "./definition.js";
import { difference } from "./difference.js";
import { followed } from "./follow.js";
import { Impact } from "./impact.js";
import { Kin } from "./kin.js";
import { Past } from "./past.js";
import { Tests } from "./sees.js";
import { Tabs } from "./tabs.js";
import { Uses } from "./uses.js";

const KINDS = [Definition, Uses, Calls, Kin, Tests, Impact, Past];
const KEPT = "cairn-about-tab";
const SEQUENCE_MS = 1_200;
const MANY = 50;

/** @typedef {import("../shell/here.js").Here} Here */
/** @typedef {Definition | Uses | Calls | Kin | Tests | Impact | Past} Tab */
/** @typedef {{path?: string, line?: number, column?: number | null, name?: string, tab?: string}} Place */

export class Telling {
  /**
   * @param {Place} place @param {Here} here @param {URLSearchParams} values what the address says of it
   * @param {{close?: () => void, moved?: (telling: Telling, tab: boolean) => void}} door
   */
  constructor(place, here, values, door) {
    this.place = place;
    this.here = here;
    this.root = here.root ?? "";
    this.given = values;
    this.door = door;
    this.over = new AbortController();
    this.signal = AbortSignal.any([here.signal, this.over.signal]);
    this.limit = MANY;
    this.chosen = values.get("of") ?? "";
    /** @type {any} */
    this.found = null;
    /** @type {Map<string, Tab>} */
    this.tabsOpen = new Map();
    /** @type {Set<string>} */
    this.stale = new Set();
    this.first = { key: "", at: 0 };
    this.tabs = new Tabs(
      KINDS.map(({ id, label, key }) => ({ id, label, key })),
      (id, walked) => this.choose(id, walked),
    );
    this.title = el(door.close ? "h2" : "h1", { class: "about-name", tabindex: "-1" });
    this.sub = el("p", { class: "about-kind" });
    this.chooser = el("div", { class: "chooser" });
    this.ways = el("p", { class: "ways-on" });
    this.said = el("p", { class: "news", role: "status" });
    this.body = el("div", { class: "about-body" }, waiting("Looking…"));
    this.element = el(
      "div",
      { class: "telling", on: { keydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event) } },
      el(
        "header",
        { class: "about-head" },
        el("div", { class: "about-title" }, this.title, this.closing()),
        this.sub,
        this.chooser,
        this.ways,
        this.said,
      ),
      this.tabs.list,
      this.body,
    );
  }

  closing() {
    if (!this.door.close) return null;
    return el("button", { class: "icon", type: "button", "aria-label": "Close", on: { click: this.door.close } }, "×");
  }

  /** Ask what it is, and open the tab that was chosen last. */
  async open() {
    fill(this.title, el("bdi", {}, visible(this.place.name ?? "…")));
    const wanted = this.given.get("tab") ?? this.place.tab ?? localStorage.getItem(KEPT) ?? "definition";
    this.tabs.show(KINDS.some((each) => each.id === wanted) ? wanted : "definition");
    try {
      await this.ask();
    } catch (error) {
      if (/** @type {any} */ (error).name !== "AbortError")
        fill(
          this.body,
          trouble(error, () => this.open()),
        );
      return;
    }
    fill(this.body, [...this.tabs.panels.values()]);
    this.here.onSnapshot((codebase) => {
      if (codebase?.snapshot_id !== this.found.snapshot_id) this.again();
    });
    if (this.place.path) this.here.onFile(this.place.path, () => this.again());
    await this.show();
  }

  /** What the place or the name is. */
  async ask() {
    const found = await ask("/v1/about", { name: this.asked, root: this.root, limit: this.limit }, this.signal);
    if (found.place_moved) {
      throw Object.assign(new Error("The file has changed, and the index doesn't know its new text yet."), {
        code: "busy",
        hint: "It is brought up to date: try again in a moment.",
      });
    }
    this.found = found;
    if (this.chosen && !this.rowOf(this.chosen)) this.chosen = "";
    this.head();
  }

  /** The name or the place as questions take it. */
  get asked() {
    const { path, line, column, name } = this.place;
    return name ?? `${path}:${line}${column ? `:${column}` : ""}`;
  }

  /** What tabs ask about: the definition that was chosen, or all that is meant. */
  get target() {
    if (this.chosen) return this.chosen;
    if (this.found.results.length || this.found.local) return this.asked;
    return this.found.word;
  }

  /** @param {string} place */
  rowOf(place) {
    return this.found.results.find((/** @type {any} */ each) => `${each.path}:${each.line}` === place);
  }

  /** The definitions that are meant. @returns {any[]} */
  meant() {
    return this.chosen ? [this.rowOf(this.chosen)] : this.found.results;
  }

  /** Its name, what it is, and the choice where several things bear the name. */
  head() {
    const { found, here } = this;
    const rows = this.meant();
    const [row] = rows;
    fill(this.title, el("bdi", {}, visible(rows.length === 1 ? row.qualified_name : found.word)));
    const of = found.local ? ` of ${row.container || "its file"}` : "";
    const kind =
      rows.length === 1
        ? `${row.kind}${of}`
        : rows.length
          ? count(found.total, "definition")
          : found.namesakes
            ? "not known here"
            : "from outside";
    fill(this.sub, visible(kind));
    fill(this.chooser, found.results.length > 1 ? this.choice() : null);
    const at = rows.length === 1 ? { rest: row.path, line: row.line } : { rest: this.asked, line: null };
    fill(
      this.ways,
      this.door.close ? el("a", { href: this.address() }, "Open as a page") : null,
      el("a", { href: link("calls", at.rest, { in: this.root }, at.line) }, "Graph"),
      rows.length === 1 ? el("a", { href: this.renaming(row) }, "Rename") : null,
    );
  }

  /** @param {any} row */
  renaming(row) {
    const { path, line, column } = this.place;
    const here = column ? { path, line, column } : { path: row.path, line: row.line, column: null };
    return link("rename", here.path ?? "", { in: this.root, column: here.column }, here.line ?? null);
  }

  choice() {
    const { results, total } = this.found;
    return el(
      "select",
      { "aria-label": "Which definition", on: { change: (/** @type {any} */ event) => this.pick(event.target.value) } },
      el("option", { value: "" }, `All ${count(total, "definition")}`),
      results.map((/** @type {any} */ each) => {
        const value = `${each.path}:${each.line}`;
        return el(
          "option",
          { value, selected: value === this.chosen },
          visible(`${each.kind} ${each.qualified_name} · ${value}`),
        );
      }),
    );
  }

  /** Keep to one of several definitions. @param {string} place */
  pick(place) {
    this.chosen = place;
    this.head();
    for (const { id } of KINDS) this.tabs.count(id, null);
    for (const tab of this.tabsOpen.values()) fill(tab.panel);
    this.tabsOpen.clear();
    this.moved(true);
    return this.show();
  }

  /** Show more definitions. @param {number} limit */
  async lift(limit) {
    this.limit = Math.min(2_000, limit);
    await this.again();
  }

  /** Open another tab; whoever walks over tabs need not walk back over each. @param {string} id */
  choose(id, walked = false) {
    if (id === this.tabs.chosen && this.tabsOpen.has(id)) return;
    this.tabs.show(id);
    localStorage.setItem(KEPT, id);
    this.moved(!walked);
    return this.show();
  }

  /** The tab that is chosen; it asks when it is first seen, and when it is older than the snapshot. */
  async show() {
    if (!this.found) return;
    const id = this.tabs.chosen;
    const known = this.tabsOpen.get(id);
    if (known && !this.stale.has(id)) return;
    this.stale.delete(id);
    if (known) return this.run(known, true);
    const Kind = /** @type {typeof Uses} */ (KINDS.find((each) => each.id === id));
    const panel = this.tabs.panel(id);
    fill(panel, waiting("Looking…"));
    const values = this.given.get("tab") === id ? this.given : new URLSearchParams();
    const tab = new Kind(this, panel, values);
    this.tabsOpen.set(id, tab);
    await this.run(tab);
  }

  /** Let a tab ask. @param {Tab} tab */
  async run(tab, again = false) {
    tab.panel.setAttribute("aria-busy", "true");
    try {
      await (again ? tab.again() : tab.open());
    } catch (error) {
      this.failed(tab, error);
    } finally {
      tab.panel.removeAttribute("aria-busy");
    }
  }

  /** @param {Tab} tab @param {any} error */
  failed(tab, error) {
    if (error.name !== "AbortError")
      fill(
        tab.panel,
        trouble(error, () => this.run(tab)),
      );
  }

  /** The codebase has another snapshot: ask again, and say what is otherwise now. */
  async again() {
    if (!this.element.isConnected) this.end();
    if (!this.found || this.signal.aborted) return;
    const before = this.found;
    const kept = this.chosen && this.rowOf(this.chosen);
    try {
      this.place = await followed(this.place, before, this.root, this.signal);
      this.chosen = "";
      await this.ask();
    } catch (error) {
      if (/** @type {any} */ (error).name !== "AbortError") this.news(visible(/** @type {Error} */ (error).message));
      return;
    }
    const same =
      kept &&
      this.found.results.find(
        (/** @type {any} */ each) => each.path === kept.path && each.qualified_name === kept.qualified_name,
      );
    if (same) {
      this.chosen = `${same.path}:${same.line}`;
      this.head();
    }
    this.news(difference(before, this.found));
    this.stale = new Set(this.tabsOpen.keys());
    const scroll = scrolled(this.element);
    const top = scroll?.scrollTop ?? 0;
    await this.show();
    if (scroll) scroll.scrollTop = top;
  }

  /** Say what is otherwise now. @param {string} text */
  news(text) {
    if (!text) return;
    const said = this.said.textContent;
    this.said.textContent =
      said && !said.includes(text) && this.newsAt === this.found ? `${said}; ${text}` : `Now: ${text}`;
    this.newsAt = this.found;
  }

  /** @param {string} id @param {number} number */
  counted(id, number, more = false) {
    this.tabs.count(id, number, more);
  }

  /** The heading of a part, one below the name. @param {...unknown} children */
  heading(...children) {
    return el(this.door.close ? "h3" : "h2", { class: "part" }, children);
  }

  /** The line of an answer that says what it rests on. @param {any} document */
  standing(document) {
    const moved = document.freshness?.moved === true;
    const text = moved
      ? "files named here have changed since"
      : document.freshness?.synced
        ? "brought up to date first"
        : "as the files are now";
    return el(
      "footer",
      { class: "standing", "aria-label": "Where this answer comes from" },
      el("span", {}, "snapshot ", el("code", { class: "snapshot" }, visible(document.snapshot_id ?? "none"))),
      el("span", { class: moved ? "fresh moved" : "fresh" }, text),
    );
  }

  /** What is shown is otherwise now, so its address is. */
  moved(another = false) {
    this.head();
    this.door.moved?.(this, another);
  }

  /** All that is shown, as the values of an address. */
  values() {
    const tab = this.tabs.chosen;
    return { tab: tab === "definition" ? "" : tab, of: this.chosen, ...(this.tabsOpen.get(tab)?.values() ?? {}) };
  }

  /** The page of the name with what is shown now. */
  address() {
    const { path, line, column, name } = this.place;
    const values = { in: this.root, ...this.values() };
    return path ? link("names", path, { ...values, column }, line) : link("names", name ?? "", values);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Escape" && target.closest("input, textarea, select")) return;
    const recent = this.first.key && event.timeStamp - this.first.at < SEQUENCE_MS;
    const key = recent ? `${this.first.key} ${event.key}` : event.key;
    this.first = { key: key === "g" ? "g" : "", at: event.timeStamp };
    if (key === "g" || !this.does(key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** What a key does here; false where it does nothing. @param {string} key */
  does(key) {
    const tab = KINDS.find((each) => each.key === key);
    if (tab) {
      this.choose(tab.id);
      this.tabs.buttons.get(tab.id)?.focus();
      return true;
    }
    switch (key) {
      case "j":
      case "k":
        return step(this.tabs.panel(this.tabs.chosen), key === "j" ? 1 : -1);
      case "o":
        return this.preview();
      case "Escape":
        return this.door.close ? (this.door.close(), true) : false;
      default:
        return false;
    }
  }

  /** Open the place that has the focus in the middle pane, and stay here. */
  preview() {
    const link = document.activeElement?.closest("a[data-place]");
    if (!link || !this.element.contains(link)) return false;
    history.pushState(null, "", link.getAttribute("href"));
    this.here.again();
    for (const each of this.element.querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
    link.setAttribute("aria-current", "location");
    return true;
  }

  /** End what it asks. */
  end() {
    this.over.abort();
  }
}

/** What scrolls around an element. @param {HTMLElement} element @returns {HTMLElement | null} */
function scrolled(element) {
  return /** @type {HTMLElement | null} */ (element.closest("#right, #main"));
}
