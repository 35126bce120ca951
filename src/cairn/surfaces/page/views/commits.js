// A search of the past: commits by what they say, or by the lines that they took away and brought in.

import { pathText, trouble, waiting, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { coded, count, grouped, visible, when } from "../kit/text.js";
import { select } from "./calls.js";

const PAGE = 20;
/** Commits that are looked at with one question, so that what is found shows at once. */
const STEP = 500;
/** How many are looked at before somebody asks for more. */
const FAR = 10_000;
const FIELDS = ["q", "look_in", "regex", "ignore_case", "path", "author", "after", "before", "from"];

/** @param {HTMLElement} main @param {any} place @param {import("../shell/here.js").Here} here */
export async function show(main, place, here) {
  const view = new Commits(place.values, here);
  fill(main, view.element);
  view.follow();
  if (view.values.q) await view.search();
  else view.field?.focus();
}

class Commits {
  /** @param {URLSearchParams} values @param {import("../shell/here.js").Here} here */
  constructor(values, here) {
    this.here = here;
    /** @type {Record<string, string>} */
    this.values = Object.fromEntries(FIELDS.map((name) => [name, values.get(name) ?? ""]));
    this.wanted = Math.max(PAGE, Number(values.get("shown")) || 0);
    this.far = FAR;
    /** Where the next page begins. */
    this.head = "";
    this.skip = 0;
    this.found = 0;
    this.running = new AbortController();
    this.heading = el("span", {}, visible(this.values.q));
    this.list = el("ol", { class: "past-commits", "aria-label": "Commits" });
    this.news = el("div", { role: "status" });
    this.foot = el("div", { class: "foot" });
    this.element = el(
      "div",
      { class: "page wide commits-view" },
      el("h1", { tabindex: "-1" }, el("span", { class: "what" }, "Past changes "), this.heading),
      this.form(),
      this.news,
      this.list,
      this.foot,
    );
    this.field = /** @type {HTMLElement | null} */ (this.element.querySelector("[name=q]"));
  }

  /** @param {Record<string, unknown>} other */
  address(other = {}) {
    return link("commits", "", { in: this.here.root, ...this.values, ...other });
  }

  form() {
    const change = (/** @type {Event} */ event) => {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (event.currentTarget);
      const given = Object.fromEntries(new FormData(form));
      const before = this.address();
      Object.assign(this.values, { regex: "", ignore_case: "" }, given);
      // The form stays as it is: whoever goes from field to field is not disturbed.
      if (this.address() === before) return;
      history.pushState(null, "", this.address());
      this.restart();
    };
    const text = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ hint, type = "text") =>
      el(
        "label",
        {},
        el("span", {}, label),
        el("input", { name, type, value: this.values[name], placeholder: hint, spellcheck: "false" }),
      );
    const check = (/** @type {string} */ name, /** @type {string} */ label) =>
      el(
        "label",
        { class: "check" },
        el("input", { name, type: "checkbox", value: "1", checked: Boolean(this.values[name]) }),
        label,
      );
    return el(
      "form",
      { class: "filters", "aria-label": "What is looked for", on: { change, submit: change } },
      text("q", "Text", "in what commits say and change"),
      select(
        "look_in",
        "In",
        [
          ["", "Messages and changes"],
          ["changes", "Changed lines"],
          ["messages", "Messages"],
        ],
        this.values.look_in,
      ),
      text("path", "Path", "src/**, !*.md"),
      text("author", "Author", "name or address"),
      text("after", "From", "", "date"),
      text("before", "To", "", "date"),
      text("from", "Back from", "HEAD"),
      check("regex", "Expression"),
      check("ignore_case", "Any case"),
    );
  }

  restart() {
    this.running.abort();
    Object.assign(this, { head: "", skip: 0, found: 0, wanted: PAGE, far: FAR });
    fill(this.heading, visible(this.values.q));
    fill(this.list);
    fill(this.foot);
    if (this.values.q) void this.search();
  }

  /** Look on until there are as many as are wanted. */
  async search() {
    const { here, values } = this;
    this.running = new AbortController();
    const signal = AbortSignal.any([here.signal, this.running.signal]);
    const { q: text, path, from, ...rest } = values;
    const glob = path.split(",").flatMap((each) => each.trim() || []);
    this.element.setAttribute("aria-busy", "true");
    try {
      for (;;) {
        fill(this.foot, waiting(this.skip ? `Looked at ${count(this.skip, "commit")}…` : "Looking…"));
        const page = { back: STEP, skip: this.skip, head: this.head || from, limit: this.wanted - this.found };
        const found = await ask("/v1/commits", { root: here.root, text, glob, ...rest, ...page }, signal);
        this.head = found.head ?? "";
        this.skip = found.looked_at;
        this.found += found.results.length;
        this.list.append(...found.results.map((/** @type {any} */ each) => this.commit(each)));
        // Where it ends is said below; what was given up is a warning.
        const given = found.notices.map((/** @type {any} */ each) => each.code === "took_too_long");
        const kept = (/** @type {any[]} */ all) => all.filter((_, at) => given[at]);
        fill(this.news, warnings({ notices: kept(found.notices), warnings: kept(found.warnings) }));
        if (!found.more) return this.ended("of all");
        if (this.found >= this.wanted) return this.ended("among the last", "Show more");
        if (this.skip >= this.far) return this.ended("among the last", "Look further");
      }
    } catch (error) {
      if (signal.aborted) return;
      fill(
        this.foot,
        trouble(error, () => void this.search()),
      );
    } finally {
      if (!signal.aborted) this.element.removeAttribute("aria-busy");
    }
  }

  /** @param {string} which @param {string} further what a button for the rest says */
  ended(which, further = "") {
    const onward = () => {
      this.wanted = this.found + PAGE;
      this.far = this.skip + FAR;
      history.replaceState(history.state, "", this.address({ shown: this.wanted }));
      void this.search();
    };
    const said = `${this.found ? count(this.found, "commit") : "No commit"} ${which} ${grouped(this.skip)}`;
    this.here.said(said);
    fill(
      this.foot,
      el(
        "p",
        { class: "cut" },
        `${said} `,
        further && el("button", { class: "more", type: "button", on: { click: onward } }, further),
      ),
    );
  }

  /** Tell when there are newer commits than those that were looked at. */
  follow() {
    const again = el("button", { type: "button", on: { click: () => this.here.again() } }, "Search again");
    this.here.onSnapshot?.(async () => {
      if (this.values.from || !this.head) return;
      const now = await ask("/v1/base", { root: this.here.root }, this.here.signal).catch(() => null);
      if (now && now.head !== this.head)
        fill(this.news, el("p", { class: "warnings" }, "There are newer commits. ", again));
    });
  }

  /** @param {any} commit */
  commit(commit) {
    const range = { in: this.here.root, since: `${commit.id}^`, until: commit.id };
    const did = (/** @type {string} */ path, line = null) => link("changes", path, range, line);
    const said = commit.message.filter((/** @type {string} */ each) => each !== commit.subject);
    return el(
      "li",
      {},
      el(
        "div",
        { class: "head" },
        el(
          "a",
          { "data-item": true, href: did(""), title: "What this commit changed" },
          visible(commit.subject || "no subject"),
        ),
        el(
          "span",
          { class: "about" },
          when(commit.at),
          " ",
          visible(commit.author),
          " ",
          el("code", {}, commit.id.slice(0, 10)),
        ),
      ),
      said.map((/** @type {string} */ each) => el("p", { class: "said" }, visible(each))),
      commit.files.map((/** @type {any} */ file) => [
        el("a", { class: "path", href: did(file.path) }, pathText(file.path)),
        el(
          "table",
          { class: "diff" },
          el(
            "tbody",
            {},
            file.lines.map((/** @type {any} */ each) =>
              row(each, did(file.path, each.sign === "+" ? each.line : null)),
            ),
          ),
        ),
        file.lines.length < file.total
          ? el("p", { class: "about" }, `${count(file.total - file.lines.length, "more line")} of it`)
          : null,
      ]),
    );
  }
}

/** A changed line, with what matches marked. @param {any} line @param {string} href */
function row(line, href) {
  const end = line.offset + line.match.length;
  return el(
    "tr",
    {},
    el("td", { class: "line-number" }, el("a", { href }, String(line.line))),
    el(
      "td",
      { class: `line-text ${line.sign === "+" ? "added" : "removed"}` },
      `${line.sign} `,
      coded(line.text.slice(0, line.offset)),
      el("mark", {}, coded(line.match)),
      coded(line.text.slice(end)),
    ),
  );
}
