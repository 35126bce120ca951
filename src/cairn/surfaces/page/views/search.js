// The search: as one types, what is found file by file, what it is of, and the rest of it on demand.

import { standing, trouble, waiting, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { count, grouped, visible } from "../kit/text.js";
import { end, limits, nothing, oneOf } from "./around.js";
import { Asking } from "./asking.js";
import { anchor, Busy, firstInSight, scroller, selects } from "./held.js";
import { addressOf, asked, chosen, FACETS, isByLine, keyOf, LINES, MOST_LINES, MOST_PLACES, PAGE } from "./question.js";
import { welcome } from "./welcome.js";

const COUNT_AFTER_MS = 300;
const KEPT = 12;
const AT_ONCE = 2_000;
const OWN = ["nearest_in_meaning"];

/** @typedef {import("../shell/here.js").Here} Here */
/** @typedef {import("./question.js").Values} Values */
/** @typedef {{pages: any[], counted: any, snapshot: string | null, top: number}} Found */

/** What was found for the last questions, so that going back takes no time. @type {Map<string, Found>} */
const kept = new Map();
/** What shows an answer is fetched with the first one. @type {any} */
const parts = {};
/** @type {WeakMap<Element, View>} */
const views = new WeakMap();

/** Show the view, or bring the one that is there up to date.
 *  @param {HTMLElement} main @param {any} place @param {Here} here */
export async function show(main, place, here) {
  const there = main.querySelector("#search-view");
  const view = (there && views.get(there)) ?? new View(main);
  await view.follow(/** @type {Values} */ (Object.fromEntries(place.values)), here);
}

class View {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
    this.asking = new Asking((values, isRefined) => this.go(values, isRefined));
    this.side = el(
      "details",
      { class: "facets", open: true },
      el("summary", {}, "Narrow"),
      el("div", { id: "facets" }),
    );
    if (matchMedia("(max-width: 899px)").matches) this.side.removeAttribute("open");
    this.results = el("div", { id: "results" });
    this.element = el(
      "div",
      { id: "search-view", class: "page wide" },
      el("h1", { class: "unseen", tabindex: "-1" }, "Search"),
      this.asking.element,
      el("div", { class: "found" }, this.side, this.results),
    );
    views.set(this.element, this);
    this.drawn = "";
    this.busy = new Busy(this.results);
    /** @type {Values} */
    this.values = {};
    /** @type {any} */
    this.list = null;
    fill(main, this.element);
  }

  /** To the same search with other values. @param {Values} values @param {boolean} isRefined */
  go(values, isRefined = false) {
    const query = /** @type {HTMLInputElement} */ (document.getElementById("query"));
    const address = addressOf({ ...values, q: query.value });
    if (!isRefined) location.hash = address;
    else if (location.hash !== address) {
      history.replaceState(history.state, "", address);
      this.here?.again();
    }
  }

  /** @param {Values} values @param {Here} here */
  async follow(values, here) {
    this.here = here;
    this.values = values;
    this.busy.end();
    this.asking.follow(values);
    this.keys(here);
    this.element.classList.toggle("asked", Boolean((values.q ?? "").trim()));
    if (!(values.q ?? "").trim()) {
      this.drawn = "";
      fill(this.results, welcome(here));
      this.facets(null);
      here.said("");
      return;
    }
    if (isByLine(values) && !here.root) {
      this.drawn = "";
      this.facets(null);
      fill(this.results, oneOf(values, here));
      return;
    }
    here.onSnapshot(() => this.moved());
    const key = keyOf(values, here.codebases());
    const known = kept.get(key);
    if (known && known.snapshot && known.snapshot === snapshotOf(here)) {
      this.draw(known, key);
      this.count(known, key, here);
      return;
    }
    await this.load(key, here);
  }

  /** Ask for as much as is shown, and show it. @param {string} key @param {Here} here */
  async load(key, here) {
    this.busy.begin();
    if (!this.results.querySelector(".hits")) fill(this.results, waiting("Searching…"));
    try {
      const [found] = await Promise.all([this.asked(here), fetchParts()]);
      keep(key, found);
      this.draw(found, key);
      this.count(found, key, here);
    } catch (/** @type {any} */ error) {
      if (error.name === "AbortError") return;
      this.drawn = "";
      this.facets(null);
      fill(
        this.results,
        trouble(error, () => here.again()),
      );
    }
    this.busy.end();
  }

  /** @param {Here} here @returns {Promise<Found>} */
  async asked(here) {
    const { values } = this;
    const request = asked(values, here.codebases());
    const most = isByLine(values) ? MOST_LINES : MOST_PLACES;
    const wanted = Number(values.shown) || 0;
    const limit = Math.min(wanted || (isByLine(values) ? LINES : PAGE), most);
    const pages = [await ask("/v1/search-page", { ...request, limit }, here.signal)];
    for (let shown = total(pages); shown < wanted && continuation(pages); shown = total(pages)) {
      const next = { ...request, limit: Math.min(wanted - shown, most), continuation: continuation(pages) };
      pages.push(await ask("/v1/search-page", next, here.signal));
    }
    return { pages, counted: null, snapshot: pages[0].snapshot_id, top: 0 };
  }

  /** @param {Found} found @param {string} key */
  draw(found, key) {
    const { here, values } = this;
    if (!here) return;
    const isNew = this.drawn !== key;
    const typing = document.activeElement === document.getElementById("query");
    const held = isNew ? null : anchor(this.main, this.results);
    const shown = total(found.pages);
    const [first] = found.pages;
    this.list = new parts.Results({ values, root: here.root, several: !here.root });
    found.pages.forEach((page, at) =>
      this.list.add(page.results, at === found.pages.length - 1 && !continuation(found.pages)),
    );
    this.summary = el("p", { class: "summary" });
    this.rest = el("div", { class: "rest" });
    fill(
      this.results,
      warnings(
        {
          warnings: first.warnings.filter((/** @type {any} */ _, /** @type {number} */ at) => !own(first.notices[at])),
          notices: first.notices.filter((/** @type {any} */ note) => !own(note)),
        },
        (/** @type {string} */ parameter, /** @type {unknown} */ value) =>
          this.go({ ...values, [parameter]: `${value}` }),
      ),
      limits(first, values),
      this.summary,
      shown ? this.list.element : nothing(values),
      this.rest,
      standing(first),
    );
    firstInSight(this.results, isNew && typing);
    this.drawn = key;
    this.tell(found, key);
    this.facets(found.counted);
    here.said(shown ? count(shown, "result") : "Nothing was found");
    if (held) held();
    else if (isNew) scroller(this.main).scrollTop = typing ? 0 : found.top;
    here.signal.addEventListener("abort", () => {
      if (this.element.isConnected) found.top = scroller(this.main).scrollTop;
    });
  }

  /** The number of what is found, and how to see the rest. @param {Found} found @param {string} key */
  tell(found, key) {
    const { values } = this;
    const shown = total(found.pages);
    const [first] = found.pages;
    const one = isByLine(values) ? "line" : "place";
    const nearest = (first.notices ?? []).some((/** @type {any} */ note) => own(note));
    const { counted } = found;
    const all = counted ? `${count(counted.entries, one)} in ${count(counted.files, "file")}` : "";
    const some = continuation(found.pages) ? `The first ${grouped(shown)}` : count(shown, one);
    fill(
      /** @type {HTMLElement} */ (this.summary),
      nearest ? el("strong", {}, "Nothing here has these words. Nearest in meaning: ") : null,
      shown ? all || some : null,
      first.engine ? ` · matched by ${visible(first.engine)}` : null,
    );
    const rest = /** @type {HTMLElement} */ (this.rest);
    if (!continuation(found.pages)) {
      fill(rest, shown ? end(values, shown) : null);
      return;
    }
    const left = counted ? counted.entries - shown : null;
    const usual = isByLine(values) ? LINES : PAGE;
    const steps = [usual, usual * 10].filter((step) => left === null || step < left);
    fill(
      rest,
      steps.map((step) => more(`Show ${grouped(step)} more`, () => this.more(found, key, step))),
      more(left === null ? "Show all" : `Show all ${grouped(counted.entries)}`, () => this.more(found, key, Infinity)),
    );
  }

  /** Show so many more. @param {Found} found @param {string} key @param {number} wanted */
  async more(found, key, wanted) {
    const { here, values } = this;
    if (!here) return;
    const request = asked(values, here.codebases());
    const most = isByLine(values) ? AT_ONCE : MOST_PLACES;
    const before = this.element.querySelectorAll(".hit").length;
    this.busy.begin();
    try {
      for (let left = wanted; left > 0 && continuation(found.pages);) {
        const limit = Math.min(left, most);
        const next = { ...request, limit, continuation: continuation(found.pages) };
        const page = await ask("/v1/search-page", next, here.signal);
        found.pages.push(page);
        this.list.add(page.results, !page.continuation);
        left -= limit;
        here.said(`${count(total(found.pages), "result")} are shown`);
        this.tell(found, key);
      }
      history.replaceState(history.state, "", addressOf({ ...values, shown: `${total(found.pages)}` }));
      const next = /** @type {HTMLElement | undefined} */ (
        this.element.querySelectorAll(".hit")[before]?.querySelector("[data-item]")
      );
      next?.focus({ preventScroll: true });
    } catch (/** @type {any} */ error) {
      if (error.name === "AbortError") return;
      fill(
        /** @type {HTMLElement} */ (this.rest),
        trouble(error, () => this.refresh()),
      );
    }
    this.busy.end();
  }

  /** Count all of it, once it is shown. @param {Found} found @param {string} key @param {Here} here */
  count(found, key, here) {
    if (found.counted) return;
    const box = /** @type {HTMLElement} */ (this.side.querySelector("#facets"));
    box.setAttribute("aria-busy", "true");
    const counting = async () => {
      const request = { ...asked(this.values, here.codebases()), counted: true, limit: 1 };
      try {
        const { counted } = await ask("/v1/search-page", request, here.signal);
        found.counted = counted;
        this.tell(found, key);
        this.facets(counted);
      } catch (/** @type {any} */ error) {
        if (error.name === "AbortError") return;
        fill(
          box,
          trouble(error, () => this.count(found, key, here)),
        );
      }
      box.removeAttribute("aria-busy");
    };
    // Whoever is typing has the next question before this is over.
    const timer = setTimeout(counting, COUNT_AFTER_MS);
    here.signal.addEventListener("abort", () => clearTimeout(timer));
  }

  /** @param {any} counted */
  facets(counted) {
    const box = /** @type {HTMLElement} */ (this.side.querySelector("#facets"));
    this.side.hidden = !counted && !this.drawn;
    if (!counted && this.drawn) return;
    box.removeAttribute("aria-busy");
    const isFocused = box.contains(document.activeElement);
    const was = isFocused ? document.activeElement?.getAttribute("href") : null;
    fill(box, counted ? parts.facets(counted, this.values) : null);
    const some = FACETS.some(([name]) => chosen(this.values, name).length);
    if (some)
      box.prepend(
        el(
          "p",
          {},
          el("a", { href: addressOf({ ...this.values, ...nothingChosen(), shown: "" }) }, "Take all of these away"),
        ),
      );
    if (was)
      /** @type {HTMLElement | null} */ (box.querySelector("a[aria-current]") ?? box.querySelector("a"))?.focus();
  }

  /** The tree is another one: show what is true of it, or say so to whoever is reading. */
  moved() {
    const reading = this.results.contains(document.activeElement) || selects(this.results);
    if (!reading) {
      this.refresh();
      return;
    }
    if (this.results.querySelector(".moved-on")) return;
    this.results.prepend(
      el(
        "p",
        { class: "moved-on", role: "status" },
        "The tree has changed since. ",
        el("button", { type: "button", on: { click: () => this.refresh() } }, "Refresh"),
      ),
    );
  }

  async refresh() {
    const { here } = this;
    if (!here || here.signal.aborted) return;
    const key = keyOf(this.values, here.codebases());
    const shown = total(kept.get(key)?.pages ?? []);
    kept.delete(key);
    this.values = { ...this.values, shown: shown > PAGE ? `${shown}` : (this.values.shown ?? "") };
    await this.load(key, here);
  }

  /** @param {Here} here */
  keys(here) {
    here.acts({
      m: () => /** @type {HTMLElement | null} */ (this.rest?.querySelector("button"))?.click(),
      o: () => {
        const hit = document.activeElement?.closest(".hit");
        const name = hit?.querySelector(".symbol")?.textContent;
        if (name) here.about({ name });
        return Boolean(name);
      },
      v: () => {
        const hit = document.activeElement?.closest(".hit");
        if (hit) void parts.nearby(hit, this.list.pattern, here.signal);
        return Boolean(hit);
      },
    });
    const heard = (/** @type {KeyboardEvent} */ event) => {
      const at = /^Digit([1-4])$/.exec(event.code);
      if (!event.altKey || event.ctrlKey || event.metaKey || !at) return;
      event.preventDefault();
      this.asking.way(Number(at[1]) - 1);
    };
    document.addEventListener("keydown", heard, { signal: here.signal });
  }
}

async function fetchParts() {
  if (parts.Results) return;
  const found = await Promise.all([import("./results.js"), import("./facets.js"), import("./nearby.js")]);
  Object.assign(parts, ...found);
}

/** @param {string} key @param {Found} found */
function keep(key, found) {
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
}

/** @param {Here} here @returns {string | null} */
function snapshotOf(here) {
  return here.known().find((each) => each.root === here.root)?.snapshot_id ?? null;
}

/** @param {any[]} pages */
function total(pages) {
  return pages.reduce((sum, page) => sum + page.results.length, 0);
}

/** @param {any[]} pages @returns {string | null} */
function continuation(pages) {
  return pages.at(-1)?.continuation ?? null;
}

/** @param {any} note */
function own(note) {
  return OWN.includes(note?.code);
}

function nothingChosen() {
  return Object.fromEntries(FACETS.map(([name]) => [name, ""]));
}

/** @param {string} text @param {() => void} click */
function more(text, click) {
  return el("button", { class: "more", type: "button", on: { click } }, text);
}
