// One file of a change: its lines as they are asked for, whether it was seen, and what its change means.

import { pathText, trouble, waiting } from "../kit/answer.js";
import { el, fill } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { count, grouped, visible } from "../kit/text.js";
import { beside } from "./consequence.js";
import { difference } from "./difference.js";
import { isViewed, setViewed } from "./viewed.js";

const ALL_ROWS = 20_000;
const HIDDEN = /** @type {Record<string, string>} */ ({
  binary: "Binary: its bytes are not shown.",
  large: "Larger than a megabyte: its lines are not compared.",
  link: "A link or a submodule: it has no lines of its own.",
  secret: "Taken for a secret: its lines are not shown.",
  unreadable: "It can't be read now.",
});

/** One file of the change. */
export class Card {
  /** @param {any} view @param {any} file @param {boolean} isClosed */
  constructor(view, file, isClosed) {
    this.view = view;
    this.file = file;
    this.isClosed = isClosed;
    this.isAsked = false;
    /** @type {number | null} */
    this.marked = null;
    this.element = el("section", { class: "difference", "data-path": file.path, "aria-label": visible(file.path) });
    this.body = el("div", { class: "difference-body" }, el("p", { class: "unread" }, "Read as it comes into view."));
    this.impact = el("div", { class: "consequences" });
    this.draw();
  }

  /** Its lines are asked for. */
  asked() {
    this.isAsked = true;
    fill(this.body, waiting("Reading…"));
  }

  /** Whether somebody closed it by hand; what was seen is closed for as long as it stays as it was. */
  get isFolded() {
    return this.isClosed && !isViewed(this.file.digest);
  }

  draw() {
    const { file, view } = this;
    const checked = isViewed(file.digest);
    const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", checked, disabled: !file.digest }));
    box.addEventListener("change", () => {
      setViewed(file.digest, box.checked);
      this.close(box.checked);
    });
    const toggle = el(
      "button",
      {
        class: "icon",
        type: "button",
        "aria-expanded": String(!this.isClosed),
        "aria-label": `Lines of ${visible(file.path)}`,
        on: { click: () => this.close(!this.isClosed) },
      },
      this.isClosed ? "▸" : "▾",
    );
    const lines = file.added === null ? null : el("span", { class: "counts" }, `+${file.added} −${file.removed}`);
    this.body.hidden = this.isClosed;
    this.impact.hidden = this.isClosed;
    fill(
      this.element,
      el(
        "header",
        { class: "difference-head", "data-stop": this.isClosed || !this.isAsked, tabindex: "-1" },
        toggle,
        el("h2", {}, pathText(file.path)),
        file.former !== file.path ? el("span", { class: "about" }, `was ${visible(file.former)}`) : null,
        el("span", { class: `state ${STATES[file.status] ?? ""}` }, file.status),
        lines,
        file.mode ? el("span", { class: "about" }, `${file.mode} now`) : null,
        file.changed_since ? el("span", { class: "changed" }, "not synced yet") : null,
        el("label", { class: "check" }, box, "Viewed"),
        file.status === "deleted" ? null : el("a", { href: fileLink(view.here.root, file.path, this.first()) }, "Open"),
      ),
      el("div", { class: "difference-columns" }, this.body, this.impact),
    );
  }

  first() {
    const hunk = this.file.hunks[0];
    if (!hunk) return null;
    const before = hunk.rows.findIndex((/** @type {any} */ row) => row[0] !== " ");
    return hunk.new_start + Math.max(before, 0);
  }

  /** @param {boolean} isClosed */
  close(isClosed) {
    this.isClosed = isClosed;
    this.draw();
    if (!isClosed) this.view.want(this);
  }

  /** @param {any} file */
  filled(file) {
    if (!file) {
      fill(this.body, el("p", { class: "nothing" }, "It doesn't differ any more."));
      return;
    }
    this.file = file;
    if (isViewed(file.digest) && !this.marked) this.isClosed = true;
    const { view } = this;
    const how = {
      split: view.values.look === "split",
      marked: this.marked,
      to: (/** @type {number} */ line) => view.address({}, file.path, line),
    };
    const shown = file.hunks.reduce((/** @type {number} */ sum, /** @type {Hunk} */ each) => sum + each.rows.length, 0);
    fill(
      this.body,
      file.hidden
        ? el("p", { class: "nothing" }, HIDDEN[file.hidden] ?? "Its lines are not shown.")
        : file.hunks.length
          ? difference(file.hunks, how)
          : el("p", { class: "nothing" }, file.mode ? `No line differs; it is ${file.mode} now.` : "No line differs."),
      shown < file.rows
        ? el(
            "p",
            { class: "cut" },
            `${grouped(shown)} of ${count(file.rows, "line")} are shown. `,
            el("button", { type: "button", on: { click: () => this.whole() } }, "Show all"),
          )
        : null,
    );
    this.draw();
    this.told();
    this.element.querySelector("tr[aria-current]")?.scrollIntoView({ block: "center" });
  }

  async whole() {
    const { view } = this;
    try {
      const asked = { ...view.range, file: [this.file.path], context: view.values.context, rows: ALL_ROWS };
      this.filled((await view.ask("/v1/diff", asked)).files[0]);
    } catch (error) {
      if (!view.here.signal.aborted) this.failed(error);
    }
  }

  /** @param {unknown} error */
  failed(error) {
    this.isAsked = false;
    fill(
      this.body,
      trouble(error, () => this.view.want(this)),
    );
  }

  /** What the change of the file means, once it is known. */
  told() {
    const { consequence } = this.view;
    if (!consequence) return;
    const all = consequence.of(this.file.path);
    fill(
      this.impact,
      all.map((/** @type {any} */ each) => beside(consequence, each, this.view.here)),
    );
  }
}

/** @typedef {import("./difference.js").Hunk} Hunk */

/** @type {Record<string, string>} */
const STATES = { added: "good", untracked: "good", deleted: "bad", renamed: "busy" };
