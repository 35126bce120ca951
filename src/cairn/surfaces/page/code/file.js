// A file: its text with line numbers, its outline beside it, and for every name in it what it means.

import { changed, pathText, trouble, waiting } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { lineNodes } from "./lines.js";
import { el, fill } from "../kit/dom.js";
import { readLines } from "./highlight.js";
import { names } from "../about/names.js";
import { Outline } from "../shell/outline.js";
import { fileLink, link } from "../kit/place.js";
import { byteColumn, coded, count, plain, size, visible } from "../kit/text.js";

const BLOCK = 100;
const SHOWN = 400;
const SLICE_MS = 12;

export async function show(main, place, here) {
  const before = main.querySelector(".file-view");
  if (before && before.current.key === key(place, here)) {
    before.current.take(here);
    return before.current.go(place.line ?? 1);
  }
  const document = await ask("/v1/file", { file: place.rest, root: here.root }, here.signal);
  const view = new FileView(document, here, key(place, here));
  fill(main, view.element);
  view.take(here);
  view.go(place.line ?? 1, place.line !== null);
  await view.outline();
}

function key(place, here) {
  return JSON.stringify([here.root, place.rest]);
}

class FileView {
  constructor(document, here, key) {
    this.document = document;
    this.key = key;
    this.here = here;
    this.raw = document.text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => line.replace(/\r$/, ""));
    this.reader = readLines(this.raw.join("\n"), document.language);
    this.tokens = [];
    this.line = 1;
    this.name = null;
    this.contents = null;
    this.colourless = new Set();
    this.text = el("div", {
      class: "text-of",
      role: "region",
      "aria-label": "Text",
      tabindex: "0",
      on: { click: (event) => this.clicked(event) },
    });
    this.panel = el("aside", { class: "panel", "aria-label": "About the name", hidden: true });
    this.side = el("nav", { class: "outline", "aria-label": "Outline" }, waiting("Outline…"));
    this.element = el(
      "div",
      { class: "file-view" },
      this.head(),
      el(
        "div",
        { class: "columns" },
        el(
          "details",
          { class: "side", open: matchMedia("(min-width: 900px)").matches },
          el("summary", {}, "Outline"),
          this.side,
        ),
        this.text,
        this.panel,
      ),
    );
    this.element.current = this;
    this.seen = new IntersectionObserver(
      (entries) => entries.filter((each) => each.isIntersecting).forEach((each) => this.draw(each.target)),
      { rootMargin: "600px" },
    );
    this.blocks = this.plainBlocks();
    fill(this.text, this.blocks);
    this.read();
  }

  /** A new visit to the same file: its keys, its signal. */
  take(here) {
    this.here = here;
    here.acts({
      j: () => this.go(this.line + 1),
      k: () => this.go(this.line - 1),
      l: () => this.nextName(1),
      h: () => this.nextName(-1),
      Enter: () => this.ask("both"),
      Esc: () => this.close(),
      "g d": () => this.ask("definitions"),
      "g r": () => this.ask("references"),
      "g c": () => (location.hash = link("calls", this.document.path, { in: here.root }, this.line)),
      "g i": () => (location.hash = link("imports", this.document.path, { in: here.root })),
    });
  }

  head() {
    const { document, here } = this;
    return el(
      "header",
      { class: "file-head" },
      el("h1", { tabindex: "-1" }, pathText(document.path)),
      el(
        "p",
        { class: "facts" },
        el("span", {}, visible(document.language)),
        el("span", {}, count(this.raw.length, "line")),
        el("span", {}, size(document.bytes)),
        changed(document),
        document.indexed ? null : el("span", { class: "changed" }, "not in the snapshot"),
        document.truncated ? el("span", { class: "changed" }, "only the beginning is shown") : null,
      ),
      el(
        "p",
        { class: "ways-on" },
        el("a", { href: link("imports", document.path, { in: here.root }) }, "Imports"),
        el(
          "a",
          { class: "permalink", href: fileLink(here.root, document.path, 1) },
          "Link to line ",
          el("span", { class: "line-now" }, "1"),
        ),
      ),
      el(
        "p",
        { class: "standing" },
        el(
          "span",
          {},
          "as it is now; snapshot ",
          el("code", { class: "snapshot" }, visible(document.snapshot_id ?? "none")),
        ),
      ),
    );
  }

  /** Blocks of mere text, one element each: found by a search in the page, and as high as the rows that take its place. */
  plainBlocks() {
    this.text.style.setProperty("--digits", String(String(this.raw.length).length));
    const found = [];
    for (let first = 0; first < this.raw.length; first += BLOCK) {
      const lines = this.raw.slice(first, first + BLOCK);
      const block = el(
        "div",
        { class: "block plain", "data-first": first },
        lines.map((line) => plain(line.slice(0, SHOWN)) || " ").join("\n"),
      );
      block.style.setProperty("--lines", String(lines.length));
      this.seen.observe(block);
      found.push(block);
    }
    return found;
  }

  /** Rows in the place of the mere text of a block, which somebody is about to see. */
  draw(block) {
    if (!block.classList.contains("plain")) return;
    this.seen.unobserve(block);
    block.classList.remove("plain");
    const first = Number(block.dataset.first);
    fill(
      block,
      this.raw.slice(first, first + BLOCK).map((line, at) => {
        const number = first + at + 1;
        return el(
          "div",
          { class: "row", "data-line": number },
          el(
            "a",
            {
              class: "number",
              tabindex: "-1",
              href: fileLink(this.here.root, this.document.path, number),
              "aria-label": `line ${number}`,
            },
            String(number),
          ),
          el("span", { class: "text" }, line ? coded(line.slice(0, SHOWN)) : " "),
        );
      }),
    );
    this.colourless.add(block);
    this.colour();
  }

  /** The row of a line, drawn if need be. */
  row(line) {
    const block = this.blocks[Math.floor((line - 1) / BLOCK)];
    this.draw(block);
    return block.children[(line - 1) % BLOCK];
  }

  /** Read the tokens of the file a slice at a time: what a line means can depend on all before it. */
  async read() {
    for (let slice = 0; slice === 0 || this.element.isConnected; slice += 1) {
      const until = performance.now() + SLICE_MS;
      while (this.tokens.length < this.raw.length && performance.now() < until)
        this.tokens.push(this.reader.next().value);
      this.colour();
      if (this.tokens.length === this.raw.length) return;
      await turn();
    }
  }

  /** Colour the blocks that are drawn, as far as their tokens are known. */
  colour() {
    for (const block of this.colourless) {
      const first = Number(block.dataset.first);
      const end = Math.min(first + BLOCK, this.raw.length);
      if (end > this.tokens.length) continue;
      this.colourless.delete(block);
      for (let at = first; at < end; at += 1) this.paint(at);
    }
  }

  paint(at) {
    const text = this.row(at + 1).querySelector(".text");
    if (text.dataset.painted) return;
    while (this.tokens.length <= at) this.tokens.push(this.reader.next().value);
    text.dataset.painted = "1";
    fill(text, this.raw[at] ? lineNodes(this.tokens[at]) : " ");
  }

  async outline() {
    try {
      const found = await ask("/v1/outline", { file: this.document.path, root: this.here.root }, this.here.signal);
      if (!found.symbols.length) return void fill(this.side, el("p", { class: "nothing" }, "It defines nothing."));
      this.contents = new Outline(found.symbols, (line) => fileLink(this.here.root, this.document.path, line));
      fill(this.side, this.contents.element);
      this.contents.mark(this.line);
    } catch (error) {
      if (error.name !== "AbortError") fill(this.side, trouble(error));
    }
  }

  /** Make a line the current one. */
  go(line, scroll = true) {
    this.row(this.line).removeAttribute("aria-current");
    this.line = Math.min(Math.max(1, line), this.raw.length);
    this.pick(null);
    const row = this.row(this.line);
    row.setAttribute("aria-current", "location");
    if (scroll) row.scrollIntoView({ block: "nearest" });
    if (scroll && (row.getBoundingClientRect().top < 160 || row.getBoundingClientRect().bottom > innerHeight - 60))
      row.scrollIntoView({ block: "center" });
    this.element.querySelector(".line-now").textContent = String(this.line);
    const address = fileLink(this.here.root, this.document.path, this.line);
    this.element.querySelector(".permalink").setAttribute("href", address);
    history.replaceState(null, "", address);
    this.contents?.mark(this.line);
    return true;
  }

  pick(span) {
    this.name?.classList.remove("picked");
    this.name = span;
    if (!span) return;
    span.classList.add("picked");
    this.here.said(`${span.textContent}, line ${this.line}`);
  }

  nextName(by) {
    this.paint(this.line - 1);
    const spans = [...this.row(this.line).querySelectorAll("[data-at]")];
    const at = spans.indexOf(this.name);
    const next = spans[at < 0 ? (by > 0 ? 0 : spans.length - 1) : at + by];
    if (next) this.pick(next);
    return true;
  }

  clicked(event) {
    const row = event.target.closest(".row");
    if (!row || event.target.closest("button") || String(getSelection())) return;
    if (event.target.closest("a.number")) {
      event.preventDefault();
      return void this.go(Number(row.dataset.line), false);
    }
    const span = event.target.closest("[data-at]");
    this.go(Number(row.dataset.line), false);
    if (span) {
      this.pick(span);
      this.ask("both");
    }
  }

  /** Ask about the picked name, or the first one of the line. */
  ask(what) {
    if (!this.name) this.nextName(1);
    if (!this.name) return false;
    const column = byteColumn(this.raw[this.line - 1], Number(this.name.dataset.at));
    const body = el("div", {}, waiting("Looking…"));
    this.panel.hidden = false;
    this.element.classList.add("with-panel");
    const close = el(
      "button",
      { class: "icon", type: "button", "aria-label": "Close", on: { click: () => this.close() } },
      "×",
    );
    const head = el("h2", { tabindex: "-1" }, el("bdi", {}, visible(this.name.textContent)));
    const here = `${this.document.path}:${this.line}:${column}`;
    fill(
      this.panel,
      el(
        "header",
        {},
        head,
        el("a", { href: link("calls", here, { in: this.here.root }) }, "call graph"),
        el("a", { href: link("rename", this.document.path, { in: this.here.root, column }, this.line) }, "rename"),
        close,
      ),
      body,
    );
    head.focus({ preventScroll: true });
    names(body, here, this.here, what);
    return true;
  }

  close() {
    if (this.panel.hidden) return false;
    this.panel.hidden = true;
    this.element.classList.remove("with-panel");
    this.text.focus({ preventScroll: true });
    return true;
  }
}

/** Until the page has done what else there is to do. */
function turn() {
  return new Promise((resume) => setTimeout(resume));
}
