// A file: its text as it is on disk, where one is in it, and for every name in it what it means.

import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { copied, count, grouped, size, visible } from "../kit/text.js";
import { actions, copy } from "./actions.js";
import { blameOf, isWanted, want } from "./blame.js";
import { Banner } from "./banner.js";
import { Blocks, linesOf } from "./blocks.js";
import { Breadcrumb } from "./breadcrumb.js";
import { Disk, textOf } from "./disk.js";
import { Hover } from "./hover.js";
import { wordsPattern } from "./lines.js";
import { marks } from "./marks.js";
import { Minimap } from "./minimap.js";
import { LEFT_OUT, Naming } from "./naming.js";
import { scroller } from "./reveal.js";
import { piecesByLine } from "./tokens.js";

/** @typedef {import("../shell/here.js").Here} Here */

const LONG = 3_000;
const NEAR = 400;

/** @param {HTMLElement} main @param {any} place @param {Here} here */
export async function show(main, place, here) {
  const before = /** @type {any} */ (main.querySelector(".file-view"));
  const key = JSON.stringify([here.root, place.rest]);
  if (before && before.current.key === key) {
    before.current.take(here, place);
    return before.current.visit(place);
  }
  before?.current.leave();
  let document;
  try {
    document = await textOf(place.rest, here);
  } catch (error) {
    // A file that comes, or may be read from now on, is shown.
    here.onFile(place.rest, (state) => state.present && here.again(), "");
    throw error;
  }
  const view = new FileView(document, here, key);
  fill(main, view.element);
  view.take(here, place);
  view.visit(place, place.line !== null);
  await view.contents();
}

export class FileView {
  /** @param {any} document @param {Here} here @param {string} key */
  constructor(document, here, key) {
    this.key = key;
    this.here = here;
    this.line = 1;
    this.end = 1;
    /** @type {any} */
    this.blame = null;
    /** @type {RegExp | null} */
    this.marked = null;
    this.blocks = /** @type {Blocks} */ (/** @type {unknown} */ (null));
    this.map = /** @type {Minimap} */ (/** @type {unknown} */ (null));
    /** @type {any[] | null} */
    this.symbols = null;
    this.marksOf = "";
    this.names = new Naming(this);
    this.disk = new Disk(this);
    this.text = el("div", {
      class: "text-of",
      role: "region",
      "aria-label": "Text",
      tabindex: "0",
      on: {
        click: (/** @type {any} */ event) => this.clicked(event),
        pointermove: (/** @type {any} */ event) => this.hover.over(event),
        pointerleave: (/** @type {any} */ event) => this.hover.over(event),
        copy: copied,
      },
    });
    this.hover = new Hover((span) => this.names.spot(span), here.root ?? "");
    this.banner = new Banner();
    /** How many bytes of the text are wanted, where somebody asked for more of it. @type {number | null} */
    this.most = null;
    this.standing = el("p", { class: "standing" });
    this.facts = el("p", { class: "facts" });
    this.crumbs = new Breadcrumb(
      document.path,
      () => this.here,
      (line) => this.go(line, { push: true }),
    );
    this.acts = actions({
      path: document.path,
      root: here.root ?? "",
      line: () => this.line,
      address: () => this.address(),
      said: here.said,
      blame: () => this.switchBlame(),
      imports: link("imports", document.path, { in: here.root }),
    });
    this.side = el("div", { class: "file-side" });
    this.element = el(
      "div",
      { class: "file-view" },
      el("header", { class: "file-head" }, this.crumbs.element, this.acts.element, this.banner.element),
      el("div", { class: "file-facts" }, this.facts, this.standing),
      el("div", { class: "file-body" }, this.text, this.side),
      this.hover.element,
    );
    /** @type {any} */ (this.element).current = this;
    this.put(document);
  }

  /** Show a text. @param {any} document */
  put(document) {
    this.document = document;
    this.blocks?.leave();
    const raw = linesOf(document.text);
    const where = { root: this.here.root, path: document.path };
    this.blame = null;
    this.marksOf = "";
    this.blocks = new Blocks(raw, where, (row, line) => this.blame && row.prepend(this.blame.cell(line)));
    this.blocks.marked = this.marked;
    this.text.style.setProperty("--digits", String(this.blocks.digits));
    this.map = new Minimap(raw.length, (line) => this.go(line, { push: true }));
    fill(this.side, this.map.element);
    fill(this.text, this.blocks.elements);
    this.banner.say("binary", ...(document.binary ? ["A binary file: its bytes are not shown; Raw has them."] : []));
    this.tell();
    this.colour();
    marks(this);
    if (isWanted()) this.showBlame();
  }

  /** The picked name. It is looked for, since a line that gets its colours has other elements. */
  get name() {
    return /** @type {HTMLElement | null} */ (this.text.querySelector(".picked"));
  }

  get lines() {
    return this.blocks.lines;
  }

  /** What is shown, and how that stands to the snapshot. */
  tell() {
    const { document } = this;
    const at = new Date(document.read_at).toLocaleTimeString("en-GB");
    fill(
      this.facts,
      el("span", {}, visible(document.language)),
      el("span", {}, count(this.lines.length, "line")),
      el("span", {}, size(document.bytes)),
      document.truncated ? this.rest() : null,
    );
    fill(
      this.standing,
      el("span", {}, `as on disk at ${at}`),
      el("span", {}, "snapshot ", el("code", { class: "snapshot" }, visible(document.snapshot_id ?? "none"))),
      document.changed_since ? el("span", { class: "changed" }, "changed since the snapshot") : null,
      document.indexed ? null : el("span", { class: "changed" }, "not in the snapshot"),
    );
  }

  /** That there is more of the text, and what shows it. */
  rest() {
    const act = () => {
      this.most = this.document.bytes;
      this.disk.reload();
    };
    const more = el("button", { class: "more", type: "button", on: { click: act } }, "Show all");
    return el("span", { class: "changed" }, "only the beginning is shown ", more);
  }

  /** A new visit to the same file: keys, signal, what was searched for. @param {Here} here @param {any} place */
  take(here, place) {
    this.here = here;
    const hit = place.values.get("hit");
    this.marked = hit ? wordsPattern(hit) : null;
    if (hit) {
      this.blocks.marked = this.marked;
      for (const row of this.blocks.rows()) this.blocks.repaint(row, Number(row.dataset.line));
      marks(this);
    }
    here.acts({
      j: () => this.go(this.line + 1),
      k: () => this.go(this.line - 1),
      l: () => this.names.nextName(1),
      h: () => this.names.nextName(-1),
      K: () => this.names.card(),
      b: () => this.switchBlame(),
      y: () => copy(`${location.origin}/${this.address()}`, "The link is copied.", here.said),
      Enter: () => this.names.ask(),
      Esc: () => this.close(),
      "g d": () => this.names.jump(),
      "g r": () => this.names.ask("uses"),
      "g c": () => this.names.ask("calls"),
      "g t": () => this.names.ask("tests"),
      "g i": () => this.names.ask("implementors"),
    });
    here.onFile(this.document.path, (state) => this.disk.changed(state), this.document.version);
    here.onSnapshot(() => this.disk.stands());
    // Whoever comes back to the tab sees the file as it is, also where no event came through.
    const back = () => document.visibilityState === "visible" && this.disk.stands();
    document.addEventListener("visibilitychange", back, { signal: here.signal });
    window.addEventListener("focus", back, { signal: here.signal });
    here.signal.addEventListener("abort", () => this.hover.hide());
    if (this.symbols) this.outline();
  }

  leave() {
    this.blocks.leave();
    this.hover.hide();
  }

  address() {
    return fileLink(this.here.root, this.document.path, this.line, this.end);
  }

  /** Colours of the file; of a long one first what is looked at. */
  async colour() {
    const { document } = this;
    delete this.text.dataset.coloured;
    const asked = { file: document.path, root: this.here.root };
    const take = (/** @type {any} */ found, first = 1) => {
      if (found.version !== document.version || document !== this.document) return;
      this.blocks.colour(piecesByLine(found, first));
    };
    try {
      await turn();
      if (this.lines.length > LONG) {
        const first = Math.max(1, this.line - NEAR);
        take(await ask("/v1/file/colours", { ...asked, first, last: this.line + NEAR }), first);
      }
      take(await ask("/v1/file/colours", asked));
    } catch {
      // Without colours the text says the same.
    }
    if (document === this.document) this.text.dataset.coloured = "all";
  }

  /** The outline of the snapshot that has this very text. */
  async contents() {
    try {
      if (this.document.changed_since || !this.document.indexed) await this.disk.stands(true);
      this.banner.say("index", ...(this.document.indexed || this.document.binary ? [] : [LEFT_OUT]));
      if (this.disk.waits || !this.document.indexed) return;
      const found = await ask("/v1/outline", { file: this.document.path, root: this.here.root }, this.here.signal);
      this.symbols = found.symbols;
      this.banner.say("outline");
      this.outline();
    } catch (/** @type {any} */ error) {
      if (error.name !== "AbortError") this.banner.say("outline", visible(error.message));
    }
  }

  outline() {
    if (!this.symbols) return;
    this.crumbs.take(this.symbols);
    this.crumbs.at(this.line);
    this.here.outline(this.symbols, (line) => fileLink(this.here.root, this.document.path, line));
    this.here.outlineAt(this.line);
  }

  /** To the lines of an address. @param {any} place */
  visit({ line, end }, scroll = true) {
    this.go(line ?? 1, { end, scroll });
    const last = this.lines.length;
    if (Math.max(line ?? 1, end ?? 1) <= last) return;
    const most = this.document.truncated ? `${count(last, "line")} of the file are shown` : `the file has ${last}`;
    this.banner.say("line", `There is no line ${grouped(Math.max(line ?? 1, end ?? 1))}: ${most}.`);
  }

  /**
   * Make a line, or some, the current ones.
   * @param {number} line
   * @param {{end?: number | null, scroll?: boolean, push?: boolean}} how
   */
  go(line, { end = null, scroll = true, push = false } = {}) {
    for (const row of this.text.querySelectorAll(".row[aria-current], .row.in-range")) {
      row.removeAttribute("aria-current");
      row.classList.remove("in-range");
    }
    const [first, last] = [line, end ?? line].map((each) => Math.min(Math.max(1, each), this.lines.length));
    [this.line, this.end] = [Math.min(first, last), Math.max(first, last)];
    this.pick(null);
    this.banner.say("line");
    const row = this.blocks.row(this.line);
    row.setAttribute("aria-current", "location");
    // A range of many lines is drawn where it is looked at; its ends are enough to see it.
    for (let at = this.line + 1; at <= Math.min(this.end, this.line + LONG); at += 1)
      this.blocks.row(at).classList.add("in-range");
    if (scroll) this.reveal(row);
    if (push) history.pushState(null, "", this.address());
    else history.replaceState(history.state, "", this.address());
    this.crumbs.at(this.line);
    this.here.outlineAt(this.line);
    return true;
  }

  /** @param {HTMLElement} row */
  reveal(row) {
    const head = this.element.querySelector(".file-head")?.getBoundingClientRect().bottom ?? 0;
    const { top, bottom } = row.getBoundingClientRect();
    const low = Math.min(innerHeight, scroller(this.element).getBoundingClientRect().bottom);
    if (top < head + 8 || bottom > low - 40) row.scrollIntoView({ block: "center" });
    const now = row.getBoundingClientRect();
    if (now.top < 0 || now.bottom > innerHeight) row.scrollIntoView({ block: "center" });
  }

  /** @param {HTMLElement | null} span */
  pick(span) {
    this.name?.classList.remove("picked");
    span?.classList.add("picked");
    this.blocks.markNames(span?.textContent ?? null);
    marks(this);
    if (!span) return;
    this.here.said(`${span.textContent}, line ${this.line}`);
  }

  /** @param {any} event */
  clicked(event) {
    const row = event.target.closest(".row");
    if (!row || event.target.closest("button, a.author")) return;
    // What was about to be shown of the name would lie over what is told about it.
    this.hover.hide();
    const line = Number(row.dataset.line);
    if (event.target.closest("a.number")) {
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      return void this.go(event.shiftKey ? this.line : line, { end: event.shiftKey ? line : null, scroll: false });
    }
    if (String(getSelection())) return;
    const span = event.target.closest("[data-at]");
    this.go(line, { scroll: false });
    if (!span) return;
    this.pick(span);
    if (event.ctrlKey || event.metaKey) this.names.jump();
    else this.names.ask();
  }

  close() {
    if (this.hover.hide()) return true;
    if (this.name) return (this.pick(null), true);
    return false;
  }

  switchBlame() {
    want(!this.blame);
    if (this.blame) this.hideBlame();
    else this.showBlame();
    return true;
  }

  hideBlame() {
    this.blame = null;
    this.acts.blame.setAttribute("aria-pressed", "false");
    this.text.classList.remove("with-blame");
    for (const each of this.text.querySelectorAll(".blame")) each.remove();
  }

  async showBlame() {
    try {
      const found = await blameOf(this.here.root ?? "", this.document.path, this.document.version, this.here.signal);
      if (!found || this.blame) return;
      this.blame = found;
      this.text.classList.add("with-blame");
      this.acts.blame.setAttribute("aria-pressed", "true");
      for (const row of this.blocks.rows()) row.prepend(found.cell(Number(row.dataset.line)));
    } catch (/** @type {any} */ error) {
      if (error.name === "AbortError") return;
      this.acts.blame.setAttribute("title", error.message);
      this.here.said(error.message);
      this.banner.say("blame", visible(error.message));
    }
  }
}

/** Until the page has drawn what it has. */
function turn() {
  return new Promise((resume) => setTimeout(resume));
}
