// What differs from where a branch began, to be reviewed: the lines, and beside them what the change means elsewhere.

import { standing, trouble, waiting, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { count, grouped, visible } from "../kit/text.js";
import { select } from "./calls.js";
import { Card } from "./card.js";
import { Consequence, markdown } from "./consequence.js";
import { brokenUses, facts, testsToRun } from "./summary.js";

const CHUNK = 100;
const BATCH = 20;
const PAUSE_MS = 30;
/** What scrolls is the main pane, or the window where that is narrow. */
const MARGIN = /** @type {IntersectionObserverInit} */ ({ rootMargin: "600px", scrollMargin: "600px" });
const USUAL = { look: "unified", context: "3", rows: "500", steps: "1", files: "3000", tests: "100" };
/** @param {HTMLElement} main @param {any} place @param {any} here */
export async function show(main, place, here) {
  const view = new Changes(main, place, here);
  await view.load();
}

class Changes {
  /** @param {HTMLElement} main @param {any} place @param {any} here */
  constructor(main, place, here) {
    this.main = main;
    this.here = here;
    this.place = place;
    this.values = Object.fromEntries(
      Object.entries(USUAL).map(([name, usual]) => [name, place.values.get(name) ?? usual]),
    );
    /** @type {Map<string, Card>} */
    this.cards = new Map();
    this.waiting = new Set();
    /** @type {() => void} */
    this.isRead = () => undefined;
    this.pause = 0;
    /** @type {Consequence | null} */
    this.consequence = null;
    this.loaded = 0;
    this.summary = el("section", {});
    this.news = el("div", {});
  }

  /** @param {Record<string, unknown>} other @param {string} path @param {number | null} line */
  address(other = {}, path = "", line = null) {
    const own = Object.entries(this.values).map(([name, now]) => [name, now === usualOf(name) ? null : now]);
    const range = { since: this.place.values.get("since"), until: this.place.values.get("until") };
    return link("changes", path, { in: this.here.root, ...range, ...Object.fromEntries(own), ...other }, line);
  }

  /** @param {string} path @param {Record<string, unknown>} values */
  ask(path, values) {
    return ask(path, { root: this.here.root, ...values }, this.here.signal);
  }

  async load() {
    const until = this.place.values.get("until");
    this.base = await this.ask("/v1/base", {});
    this.since = this.place.values.get("since") ?? this.base.commit;
    this.range = { since: this.since, until };
    this.diff = await this.ask("/v1/diff", { ...this.range, limit: this.values.files });
    this.loaded += 1;
    this.draw();
    const turn = this.loaded;
    // What changes while the consequences are looked for is seen, too.
    if (turn === 1) this.listen();
    this.here.said(`${count(this.diff.total, "file")} differ`);
    if (until || !this.diff.files.length) return;
    try {
      // The lines come first: both would share one processor.
      await this.read;
      // Brought up to date, the snapshot knows all files, and nobody has to look for new ones.
      const impact = await this.ask("/v1/impact", { since: this.since, depth: this.values.steps, sync: true });
      if (turn !== this.loaded) return;
      this.consequence = new Consequence(impact, Number(this.values.tests), this.diff.files);
      this.summarised();
      for (const card of this.cards.values()) card.told();
    } catch (error) {
      if (this.here.signal.aborted) throw error;
      fill(
        this.summary,
        trouble(error, () => this.here.again()),
      );
    }
  }

  listen() {
    this.here.acts({ n: () => this.move(1), p: () => this.move(-1) });
    this.here.onSnapshot?.(() => {
      // Whoever reads or copies is not disturbed.
      if (String(getSelection())) this.banner();
      else this.refresh();
    });
  }

  banner() {
    const again = el("button", { type: "button", on: { click: () => this.refresh() } }, "Show it");
    fill(this.news, el("p", { class: "warnings" }, "The tree has changed since. ", again));
  }

  async refresh() {
    const top = this.main.scrollTop;
    try {
      this.consequence = null;
      await this.load();
      this.main.scrollTop = top;
    } catch (error) {
      if (!this.here.signal.aborted)
        fill(
          this.news,
          trouble(error, () => this.refresh()),
        );
    }
  }

  draw() {
    const closed = new Set([...this.cards.values()].flatMap((card) => (card.isFolded ? [card.file.path] : [])));
    this.cards.clear();
    this.seen?.disconnect();
    /** When the first lines are read, or none is in sight. */
    this.read = new Promise((done) => (this.isRead = () => done(null)));
    this.seen = new IntersectionObserver((found) => {
      found.forEach((each) => this.met(each));
      if (!this.waiting.size) this.isRead();
    }, MARGIN);
    this.list = el("div", { class: "differences" });
    this.summary = el("section", { class: "summary", "aria-label": "Summary" });
    this.news = el("div", { role: "status" });
    const { diff } = this;
    fill(
      this.main,
      el(
        "div",
        { class: "page wide changes-view" },
        el("h1", { tabindex: "-1" }, el("span", { class: "what" }, "Changes since "), el("bdi", {}, this.sinceSaid())),
        this.form(),
        el(
          "p",
          { class: "ways-on" },
          el("a", { href: link("commits", "", { in: this.here.root }) }, "Search past changes"),
        ),
        this.news,
        this.summary,
        this.list,
        diff.files.length < diff.total
          ? el(
              "p",
              { class: "cut" },
              `Only ${grouped(diff.files.length)} of ${count(diff.total, "file")} are shown. `,
              el("a", { href: this.address({ files: Math.min(diff.total, 20_000) }) }, "Show more"),
            )
          : null,
        (this.foot = el("div", {})),
      ),
    );
    this.summarised();
    this.more(0, closed);
    const { rest, line } = this.place;
    if (rest && this.loaded === 1) this.reveal(rest, line);
  }

  sinceSaid() {
    const { since, until } = this.range ?? {};
    const named = this.place.values.get("since");
    const { branch } = this.base;
    const from = named ?? (branch ? `${branch === "origin/HEAD" ? "the default branch" : branch}` : "the last commit");
    return visible(until ? `${named ?? since} up to ${until}` : from);
  }

  /** Cards from one on; the next ones come as one scrolls. @param {number} first @param {Set<string>} closed */
  more(first, closed) {
    const list = /** @type {HTMLElement} */ (this.list);
    for (const file of this.diff.files.slice(first, first + CHUNK)) {
      const card = new Card(this, file, closed.has(file.path));
      this.cards.set(file.path, card);
      list.append(card.element);
      this.seen?.observe(card.element);
    }
    const left = this.diff.files.length - first - CHUNK;
    if (left <= 0) return;
    const open = () => {
      rest.remove();
      this.more(first + CHUNK, closed);
    };
    const rest = el("button", { type: "button", class: "rest", on: { click: open } }, `${count(left, "more file")}`);
    rest.addEventListener("cairn-seen", open, { once: true });
    list.append(rest);
    this.seen?.observe(rest);
  }

  /** @param {IntersectionObserverEntry} entry */
  met(entry) {
    if (!entry.isIntersecting) return;
    this.seen?.unobserve(entry.target);
    const card = this.cards.get(entry.target.getAttribute("data-path") ?? "");
    if (card) this.want(card);
    else entry.target.dispatchEvent(new Event("cairn-seen"));
  }

  /** Ask for the lines of a file, together with others that are wanted at about the same time. @param {Card} card */
  want(card) {
    if (card.isAsked || card.isClosed) return;
    card.asked();
    this.waiting.add(card);
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.fetch(), PAUSE_MS);
  }

  async fetch() {
    const wanted = [...this.waiting].slice(0, BATCH);
    for (const card of wanted) this.waiting.delete(card);
    if (this.waiting.size) this.pause = setTimeout(() => this.fetch(), PAUSE_MS);
    const { context, rows } = this.values;
    try {
      const file = wanted.map((card) => card.file.path);
      const found = await this.ask("/v1/diff", { ...this.range, file, context, rows });
      const byPath = new Map(found.files.map((/** @type {any} */ each) => [each.path, each]));
      for (const card of wanted) card.filled(byPath.get(card.file.path));
      this.isRead();
    } catch (error) {
      if (!this.here.signal.aborted) for (const card of wanted) card.failed(error);
      this.isRead();
    }
  }

  /** Show a file, and a line of it. @param {string} path @param {number | null} line */
  reveal(path, line) {
    while (!this.cards.has(path)) {
      const rest = /** @type {HTMLElement | null} */ (this.list?.querySelector(".rest"));
      if (!rest) return;
      rest.click();
    }
    const card = /** @type {Card} */ (this.cards.get(path));
    card.marked = line;
    card.element.scrollIntoView({ block: "start" });
    this.want(card);
  }

  /** To the next change, or the one before; what is not read yet is on its way. @param {number} by */
  move(by) {
    const stops = /** @type {HTMLElement[]} */ ([...this.main.querySelectorAll("[data-stop]")]).filter(
      (each) => each.getClientRects().length,
    );
    if (!stops.length) return false;
    const now = stops.findIndex((each) => each === document.activeElement);
    const top = this.main.getBoundingClientRect().top;
    const below = stops.findIndex((each) => each.getBoundingClientRect().top > top + 1);
    const next = now >= 0 ? now + by : by > 0 ? below : (below < 0 ? stops.length : below) - 1;
    const stop = stops[Math.max(0, Math.min(next, stops.length - 1))];
    stop.scrollIntoView({ block: "center" });
    stop.focus({ preventScroll: true });
    return true;
  }

  form() {
    const change = (/** @type {Event} */ event) => {
      const form = /** @type {HTMLFormElement} */ (event.currentTarget);
      const given = [...new FormData(form)].map(([name, now]) => [name, now === usualOf(name) ? null : now]);
      location.hash = this.address(Object.fromEntries(given));
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      change(event);
    };
    const values = this.values;
    const options = (/** @type {string} */ name, /** @type {string[]} */ ...usual) => {
      const all = usual.includes(values[name]) ? usual : [...usual, values[name]];
      return all.map((each) => [each, grouped(Number(each))]);
    };
    return el(
      "form",
      { class: "filters", "aria-label": "What is compared", on: { change, submit } },
      field("since", "Since", this.place.values.get("since") ?? "", this.base.branch ?? "HEAD"),
      field("until", "Up to", this.place.values.get("until") ?? "", "the files now"),
      select(
        "look",
        "Diff",
        [
          ["unified", "Unified"],
          ["split", "Split"],
        ],
        values.look,
      ),
      select("context", "Lines around", options("context", "0", "3", "10", "25", "100"), values.context),
      select("rows", "Lines a file", options("rows", "200", "500", "2000", "20000"), values.rows),
      select("steps", "Impact, steps", options("steps", "1", "2", "3", "5", "10"), values.steps),
      select("tests", "Tests", options("tests", "20", "100", "500", "2000"), values.tests),
    );
  }

  /** What the whole change comes to. */
  summarised() {
    const { diff, consequence } = this;
    const files = diff.files;
    const place = /** @type {HTMLElement} */ (this.summary);
    if (!files.length) return void fill(place, el("p", { class: "nothing" }, "Nothing differs."));
    const copy = el(
      "button",
      { type: "button", on: { click: () => this.copied(markdown(diff, consequence, this.since ?? "")) } },
      "Copy as Markdown",
    );
    fill(
      place,
      facts(diff, consequence),
      el("p", { class: "ways-on" }, copy, el("span", { class: "about" }, "n and p: next and previous change")),
      this.range?.until
        ? el("p", { class: "about" }, "Impact is told for the code as it is now: leave out “Up to” to see it.")
        : consequence
          ? [
              brokenUses(consequence, this.here),
              testsToRun(
                consequence,
                this.here,
                (text) => this.copied(text),
                (most) => (location.hash = this.address({ tests: most })),
              ),
            ]
          : waiting("Looking for who is affected…"),
    );
    if (consequence)
      fill(/** @type {HTMLElement} */ (this.foot), warnings(consequence.impact), standing(consequence.impact));
  }

  /** @param {string} text */
  async copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.here.said("Copied");
    } catch {
      // Without a secure connection a page may not write there: it is shown to be taken by hand.
      const area = el("textarea", { readonly: true, rows: 8, "aria-label": "To be copied" });
      /** @type {HTMLTextAreaElement} */ (area).value = text;
      fill(/** @type {HTMLElement} */ (this.news), area);
      /** @type {HTMLTextAreaElement} */ (area).select();
    }
  }
}

/** @param {string} name @param {string} text @param {string} now @param {string} hint */
function field(name, text, now, hint) {
  return el(
    "label",
    {},
    el("span", {}, text),
    el("input", { name, value: now, placeholder: hint, spellcheck: "false" }),
  );
}

/** @param {string} name */
function usualOf(name) {
  return /** @type {Record<string, string>} */ (USUAL)[name];
}
