// All uses of the name: streamed file by file, grouped, counted and filtered; a control shows whatever is cut.

import { changed, trouble } from "../kit/answer.js";
import { frames } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { count, grouped, visible } from "../kit/text.js";
import { controls, Choice, roleOf, tierOf } from "./choice.js";
import { copyButtons } from "./copy.js";
import { notesOf } from "./notes.js";
import { placeRow, unsure, whereText } from "./rows.js";

const FIRST = 200;
const STEP = 500;

export class Uses {
  static id = "uses";
  static label = "Uses";
  static key = "g r";

  /** @param {import("./telling.js").Telling} telling @param {HTMLElement} panel @param {URLSearchParams} values */
  constructor(telling, panel, values) {
    this.telling = telling;
    this.panel = panel;
    this.choice = new Choice(values);
    this.limit = Math.max(FIRST, Number(values.get("show")) || 0);
    /** @type {Set<string>} */
    this.folded = new Set();
    this.asking = new AbortController();
    /** @type {any[]} */
    this.files = [];
    /** @type {any} */
    this.answer = null;
    this.counts = none();
    this.looked = { at: 0, of: 0, elsewhere: 0 };
    this.before = -1;
    this.head = el("div", { class: "uses-head" });
    this.bar = el("div", { class: "progress" });
    this.list = el("div", { class: "file-list" });
    this.foot = el("div", { class: "uses-foot" });
    fill(panel, this.bar, this.head, this.list, this.foot);
  }

  values() {
    return { ...this.choice.values(), show: this.limit > FIRST ? this.limit : "" };
  }

  open() {
    return this.ask();
  }

  /** After a new snapshot: what is shown stays until the new uses are there. */
  again() {
    this.before = this.answer ? this.answer.total : -1;
    return this.ask(true);
  }

  /** Ask for all of them; `quiet` keeps what is shown until then. */
  async ask(quiet = false) {
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const own = AbortSignal.any([signal, this.telling.signal]);
    const found = {
      files: /** @type {any[]} */ ([]),
      counts: none(),
      looked: { at: 0, of: 0, elsewhere: 0 },
      answer: null,
    };
    const take = () => Object.assign(this, found);
    if (!quiet) {
      take();
      fill(this.list);
    }
    fill(this.foot);
    this.progress(found.looked, 0);
    try {
      const asked = { name: this.telling.target, root: this.telling.root, glob: globs(this.choice.glob) };
      for await (const [kind, value] of frames("/v1/uses", asked, own)) {
        if (kind === "error") throw value;
        if (kind === "answer") {
          found.answer = value;
          break;
        }
        found.looked = { at: value.looked, of: value.of, elsewhere: value.elsewhere };
        for (const file of value.files) note(found.counts, file);
        found.files.push(...value.files);
        if (quiet) {
          this.progress(found.looked, found.counts.all);
          continue;
        }
        take();
        this.grow(value.files);
        this.summary();
        this.progress(found.looked, found.counts.all);
      }
      take();
      fill(this.bar);
      if (quiet) this.draw();
      else this.summary();
      this.end();
      this.telling.counted("uses", found.counts.all);
      this.telling.here.said(count(found.counts.all, "use"));
    } catch (error) {
      if (this.telling.signal.aborted) return;
      take();
      fill(this.bar);
      if (quiet) this.draw();
      if (/** @type {any} */ (error).name === "AbortError") return this.stopped(signal);
      fill(
        this.foot,
        trouble(error, () => this.ask()),
      );
    }
  }

  /** @param {AbortSignal} signal */
  stopped(signal) {
    if (signal !== this.asking.signal) return;
    const { at, of } = this.looked;
    this.summary();
    fill(
      this.foot,
      el(
        "p",
        { class: "cut" },
        `Stopped after ${grouped(at)} of ${count(of, "file")}: there may be more. `,
        el("button", { class: "more", type: "button", on: { click: () => this.ask() } }, "Count them all"),
      ),
    );
  }

  /** @param {{at: number, of: number}} looked @param {number} uses */
  progress(looked, uses) {
    const text = looked.of ? `Looked at ${grouped(looked.at)} of ${count(looked.of, "file")}` : "Looking for uses…";
    if (this.bar.firstElementChild) {
      const [bar, said] = this.bar.children;
      bar.setAttribute("value", String(looked.at));
      bar.setAttribute("max", String(looked.of || 1));
      said.textContent = text;
    } else {
      fill(
        this.bar,
        el("progress", { "aria-label": "How far the search is", max: looked.of || 1, value: looked.at }),
        el("span", {}, text),
        el("button", { type: "button", class: "stop", on: { click: () => this.asking.abort() } }, "Stop"),
      );
    }
    this.telling.tabs.count("uses", uses || null, true);
  }

  /** The counts and the filters; a control that has the focus keeps it. */
  summary() {
    const focused = this.head.contains(document.activeElement) ? document.activeElement : null;
    const kept = focused?.closest("[data-chip]")?.getAttribute("data-chip") ?? focused?.getAttribute("aria-label");
    const shown = this.shown();
    const uses = shown.reduce((sum, [, rows]) => sum + rows.length, 0);
    const all = this.counts.all;
    const total = uses === all ? count(all, "use") : `${grouped(uses)} of ${count(all, "use")}`;
    fill(
      this.head,
      el(
        "p",
        { class: "total" },
        `${total} in ${count(shown.length, "file")}`,
        copyButtons(() => this.copied()),
      ),
      controls(
        this.choice,
        this.counts,
        () => this.filtered(),
        (glob) => {
          this.choice.glob = glob;
          this.telling.moved();
          this.ask();
        },
      ),
    );
    if (kept) {
      const same = [...this.head.querySelectorAll("[data-chip], [aria-label]")].find((each) =>
        [each.getAttribute("data-chip"), each.getAttribute("aria-label")].includes(kept),
      );
      if (same instanceof HTMLElement) same.focus({ preventScroll: true });
    }
  }

  filtered() {
    this.limit = FIRST;
    this.telling.moved();
    this.draw();
    this.end();
  }

  /** Files with those of their uses that the filters leave. @returns {[any, any[]][]} */
  shown() {
    const found = [];
    for (const file of this.files) {
      const uses = this.choice.hasFile(file) ? file.uses.filter((/** @type {any} */ use) => this.choice.has(use)) : [];
      if (uses.length) found.push(/** @type {[any, any[]]} */ ([file, uses]));
    }
    return found;
  }

  /** Draw all anew, as far as the limit goes. */
  draw() {
    fill(this.list);
    this.grow(this.files);
    this.summary();
  }

  /** Draw more files behind those that are there. @param {any[]} files */
  grow(files) {
    let room = this.limit - this.list.querySelectorAll("li.place").length;
    for (const file of files) {
      if (room <= 0) return;
      const uses = this.choice.hasFile(file) ? file.uses.filter((/** @type {any} */ use) => this.choice.has(use)) : [];
      if (!uses.length) continue;
      this.list.append(this.file(file, uses.slice(0, room), uses.length));
      room -= uses.length;
    }
  }

  /** @param {any} file @param {any[]} uses @param {number} all */
  file(file, uses, all) {
    const rows = el(
      "ul",
      { class: "uses", hidden: this.folded.has(file.path) },
      uses.map((use) => this.use(use)),
    );
    const turn = () => {
      rows.hidden = !rows.hidden;
      button.setAttribute("aria-expanded", String(!rows.hidden));
      if (rows.hidden) this.folded.add(file.path);
      else this.folded.delete(file.path);
    };
    const button = el(
      "button",
      { class: "fold", type: "button", "aria-expanded": String(!rows.hidden), on: { click: turn } },
      whereText(file.path, null),
      el("span", { class: "number" }, grouped(all)),
      file.tests ? el("span", { class: "tag" }, "tests") : null,
      changed(file),
    );
    return el("section", { class: "file-uses", "data-path": file.path }, this.telling.heading(button), rows);
  }

  /** @param {any} use */
  use(use) {
    const { root } = this.telling;
    const tier = tierOf(use);
    return placeRow(
      { root, path: use.path, line: use.line, text: use.text, name: use.name },
      el("span", { class: "role" }, visible(roleOf(use))),
      use.within ? el("span", { class: "within" }, "in ", el("bdi", {}, visible(use.within))) : null,
      unsure(tier),
      use.dispatch ? el("span", { class: "tier" }, "by dispatch") : null,
    );
  }

  /** What there is to say once all of them are counted, and what shows more. */
  end() {
    const total = this.shown().reduce((sum, [, rows]) => sum + rows.length, 0);
    const drawn = this.list.querySelectorAll("li.place").length;
    const more = (/** @type {number} */ limit) => {
      this.limit = limit;
      const first = this.list.querySelectorAll("[data-item]").length;
      this.telling.moved();
      this.draw();
      this.end();
      /** @type {HTMLElement | undefined} */ (this.list.querySelectorAll("[data-item]")[first])?.focus();
    };
    const left = total - drawn;
    const { answer } = this;
    fill(
      this.foot,
      left > 0
        ? el(
            "p",
            { class: "cut" },
            `${grouped(drawn)} of ${count(total, "use")} are shown. `,
            el(
              "button",
              { class: "more", type: "button", on: { click: () => more(drawn + STEP) } },
              `Show ${grouped(Math.min(STEP, left))} more`,
            ),
            left > STEP
              ? el(
                  "button",
                  { class: "more", type: "button", on: { click: () => more(total) } },
                  `Show all ${grouped(total)}`,
                )
              : null,
          )
        : null,
      this.telling.found.namesakes
        ? el(
            "p",
            { class: "cut" },
            "These are uses of what bears the name: what it means where you asked is not known.",
          )
        : null,
      this.counts.all ? null : el("p", { class: "nothing" }, "No use of it was found."),
      answer && answer.elsewhere
        ? el(
            "p",
            { class: "cut" },
            `${count(answer.elsewhere, "use")} of the name surely mean something else and are left out.`,
          )
        : null,
      answer && answer.unresolved
        ? el("p", { class: "cut" }, `Of ${count(answer.unresolved, "use")} no more than the name is known.`)
        : null,
      answer && answer.complete === false
        ? el("p", { class: "cut" }, "There may be more: not every file could be read.")
        : null,
      answer ? notesOf(answer, (code) => code !== "local") : null,
      answer ? this.telling.standing(answer) : null,
    );
    const difference = this.before < 0 || !answer ? 0 : answer.total - this.before;
    if (difference)
      this.telling.news(`${count(Math.abs(difference), "use")} ${difference > 0 ? "more" : "fewer"} than before`);
    this.before = -1;
  }

  copied() {
    return this.shown().map(([file, uses]) => ({
      path: file.path,
      rows: uses.map((use) => ({
        line: use.line,
        text: use.text,
        href: fileLink(this.telling.root, use.path, use.line),
      })),
    }));
  }
}

function none() {
  return { all: 0, tests: 0, tiers: new Map(), roles: new Map() };
}

/** @param {ReturnType<typeof none>} counts @param {any} file */
function note(counts, file) {
  counts.all += file.uses.length;
  if (file.tests) counts.tests += file.uses.length;
  for (const use of file.uses) {
    counts.tiers.set(tierOf(use), (counts.tiers.get(tierOf(use)) ?? 0) + 1);
    counts.roles.set(roleOf(use), (counts.roles.get(roleOf(use)) ?? 0) + 1);
  }
}

/** @param {string} text */
function globs(text) {
  return text.split(/[\s,]+/).filter(Boolean);
}
