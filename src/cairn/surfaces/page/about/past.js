// The history of the file: its commits, the latest first, under whatever name it had.

import { changed } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { count, grouped, visible, when } from "../kit/text.js";
import { whereText } from "./rows.js";

const PAGE = 30;

export class Past {
  static id = "history";
  static label = "History";
  static key = "";

  /** @param {import("./telling.js").Telling} telling @param {HTMLElement} panel @param {URLSearchParams} values */
  constructor(telling, panel, values) {
    this.telling = telling;
    this.panel = panel;
    this.limit = Math.max(PAGE, Number(values.get("show")) || 0);
    this.back = Number(values.get("back")) || 0;
    /** @type {any[]} */
    this.commits = [];
    this.head = "";
  }

  values() {
    return { show: this.limit > PAGE ? this.limit : "", back: this.back || "" };
  }

  again() {
    return this.open();
  }

  open() {
    this.commits = [];
    this.head = "";
    return this.more(this.limit);
  }

  /** So many commits more, from where the last page ended. @param {number} limit */
  async more(limit) {
    const { telling } = this;
    const [row] = telling.meant();
    const path = row?.path ?? telling.place.path;
    if (!path) return void fill(this.panel, el("p", { class: "nothing" }, "It stands in no file of this codebase."));
    const values = {
      file: path,
      root: telling.root,
      limit,
      offset: this.commits.length,
      head: this.head,
      back: this.back || null,
    };
    const document = await ask("/v1/history", values, telling.signal);
    const first = this.commits.length;
    this.commits.push(...document.commits);
    this.head = document.head ?? "";
    telling.counted("history", this.commits.length, document.more);
    this.draw(document);
    if (first) /** @type {HTMLElement} */ (this.panel.querySelectorAll("[data-item]")[first])?.focus();
  }

  /** @param {any} document */
  draw(document) {
    const onward = () => {
      this.limit = this.commits.length + PAGE;
      this.telling.moved();
      this.more(PAGE).catch((error) => this.telling.failed(this, error));
    };
    const further = () => {
      this.back = document.looked_back * 10;
      this.telling.moved();
      this.telling.run(this);
    };
    fill(
      this.panel,
      el(
        "p",
        { class: "total" },
        whereText(document.path, null),
        changed(document),
        " ",
        el("a", { href: link("commits", "", { in: this.telling.root, path: document.path }) }, "Search it"),
      ),
      this.commits.length
        ? el(
            "ol",
            { class: "commits" },
            this.commits.map((each) => this.commit(each, document.path)),
          )
        : el(
            "p",
            { class: "nothing" },
            document.head ? "No commit has this file yet." : "There is no history here: no commit, or no git.",
          ),
      document.more
        ? el(
            "p",
            { class: "cut" },
            el("button", { class: "more", type: "button", on: { click: onward } }, `Show ${PAGE} more`),
          )
        : null,
      document.looked_back && !document.more
        ? el(
            "p",
            { class: "cut" },
            `Only the last ${count(document.looked_back, "commit")} were looked at. `,
            el(
              "button",
              { class: "more", type: "button", on: { click: further } },
              `Look at ${grouped(document.looked_back * 10)}`,
            ),
          )
        : null,
    );
  }

  /** @param {any} commit @param {string} path */
  commit(commit, path) {
    const did = link("changes", commit.path, { in: this.telling.root, since: `${commit.id}^`, until: commit.id });
    return el(
      "li",
      {},
      el(
        "a",
        { class: "subject", "data-item": true, href: did, title: "What this commit changed" },
        visible(commit.subject || "no subject"),
      ),
      el(
        "span",
        { class: "about" },
        when(commit.at),
        el("span", {}, visible(commit.author)),
        el("code", {}, visible(commit.id.slice(0, 10))),
        commit.change === "changed" ? null : el("span", { class: "tag" }, commit.change),
        commit.path === path ? null : el("span", {}, "then ", whereText(commit.path, null)),
      ),
    );
  }
}
