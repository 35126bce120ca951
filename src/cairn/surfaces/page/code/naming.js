// The name that is picked in a file: its place, what is told about it, and the way to its definition.

import { ask } from "../kit/api.js";
import { el } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { byteColumn } from "../kit/text.js";

export const LEFT_OUT =
  "An ignore rule, its size or its kind leaves this file out of the index, so nothing is told of its names: " +
  "it is taken in once no rule ignores it.";

export class Naming {
  /** @param {import("./file.js").FileView} view */
  constructor(view) {
    this.view = view;
  }

  /** @param {number} by */
  nextName(by) {
    const spans = /** @type {HTMLElement[]} */ ([
      ...this.view.blocks.row(this.view.line).querySelectorAll("[data-at]"),
    ]);
    const at = this.view.name ? spans.indexOf(this.view.name) : -1;
    const next = spans[at < 0 ? (by > 0 ? 0 : spans.length - 1) : at + by];
    if (next) this.view.pick(next);
    return true;
  }

  /** A name's place for the daemon. @param {HTMLElement} span */
  async spot(span) {
    const row = /** @type {HTMLElement | null} */ (span.closest(".row"));
    if (!row) return null;
    const line = Number(row.dataset.line);
    const column = byteColumn(this.view.lines[line - 1], Number(span.dataset.at));
    return { file: this.view.document.path, line, column, version: this.view.document.version };
  }

  /**
   * The place of the picked name, or of the first one of the line, in text that the snapshot has: what is newer is
   * taken into it first, and what has moved is shown anew and found again.
   */
  async place() {
    if (!this.view.name) this.nextName(1);
    if (!this.view.name) return null;
    const name = this.view.name.textContent;
    const at = this.view.name.dataset.at;
    if (!(await this.view.disk.stands(true)) || !this.view.name) {
      const spans = /** @type {HTMLElement[]} */ ([
        ...this.view.blocks.row(this.view.line).querySelectorAll("[data-at]"),
      ]);
      const same = spans.filter((each) => each.textContent === name);
      const found = same.find((each) => each.dataset.at === at) ?? same[0];
      if (this.view.element.classList.contains("vanished") || !found) {
        this.view.here.said("The text has changed: the name is not there any more.");
        return null;
      }
      this.view.pick(found);
      if (!(await this.view.disk.stands(true))) return null;
    }
    const { changed_since: isNewer, indexed } = this.view.document;
    const text = "The index does not have this text yet, so nothing is told about its names. ";
    this.view.banner.say("index", ...(isNewer ? [text, this.again()] : indexed ? [] : [LEFT_OUT]));
    if (isNewer || !indexed) return null;
    const spot = this.view.name && (await this.spot(this.view.name));
    return spot && { path: spot.file, line: spot.line, column: spot.column };
  }

  again() {
    return el("button", { type: "button", on: { click: () => this.ask() } }, "Try again");
  }

  /** Tell about the picked name in the right pane. @param {string} tab */
  ask(tab = "") {
    if (!this.view.name) this.nextName(1);
    if (!this.view.name) return false;
    this.place().then((place) => place && this.view.here.about(/** @type {any} */ (tab ? { ...place, tab } : place)));
    return true;
  }

  /** To the definition of the picked name. */
  jump() {
    if (!this.view.name) this.nextName(1);
    if (!this.view.name) return false;
    this.follow();
    return true;
  }

  async follow() {
    const place = await this.place();
    if (!place) return;
    const asked = { root: this.view.here.root, file: place.path, line: place.line, column: place.column };
    const found = await ask("/v1/hover", { ...asked, version: this.view.document.version }, this.view.here.signal);
    const [one] = found.definitions;
    if (found.total === 1 && one && !(one.path === place.path && one.line === place.line))
      location.hash = fileLink(this.view.here.root, one.path, one.line);
    else this.view.here.about(place);
  }

  /** The card of the picked name, by key. */
  card() {
    if (!this.view.name) this.nextName(1);
    if (this.view.name) this.view.hover.show(this.view.name, true);
    else this.view.here.said("No name stands in this line.");
    return true;
  }
}
