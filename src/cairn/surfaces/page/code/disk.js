// How the text that is shown stands to the file on disk, and the same place in it after it changed. Whichever way
// something is heard of the file, `heard` alone decides what is shown of it.

import { ask } from "../kit/api.js";
import { el } from "../kit/dom.js";
import { visible } from "../kit/text.js";
import { linesOf } from "./blocks.js";
import { Menu } from "./menu.js";
import { movedLines } from "./moved.js";
import { scroller } from "./reveal.js";

const AGAIN_MS = 1_000;
/** What is said of a file that is gone, or may not be read. */
const UNREADABLE = ["not_indexed", "out_of_root", "refused", "usage"];

/**
 * A file's text and how it stands; `most`: so many bytes of it, where somebody asked for more than come by themselves.
 * @param {string} file @param {any} here @param {number | null} [most]
 */
export function textOf(file, here, most = null) {
  return ask("/v1/file", { file, root: here.root, most }, here.signal);
}

export class Disk {
  /** @param {import("./file.js").FileView} view */
  constructor(view) {
    this.view = view;
    /** The one reload that is under way: a second one would move the place again. @type {Promise<void> | null} */
    this.reloading = null;
    /** Whether another text waits until somebody asks for it. */
    this.waits = false;
    this.again = 0;
  }

  /** How the file stands now: with `sync`, the snapshot is brought up to it. Whether it is the text that is shown. */
  async stands(sync = false) {
    const { document } = this.view;
    let found;
    try {
      const asked = { file: document.path, root: this.view.here.root, sync };
      found = await ask("/v1/file/standing", asked, this.view.here.signal);
    } catch (/** @type {any} */ error) {
      this.failed(error);
      return false;
    }
    if (found.version !== document.version || document !== this.view.document) {
      await this.heard(found.version);
      return false;
    }
    const isNewer = document.snapshot_id !== found.snapshot_id;
    this.view.document = Object.assign(document, found);
    this.view.tell();
    this.back();
    if (isNewer && this.view.symbols) await this.view.contents();
    return true;
  }

  /** What was told of the file. @param {import("../shell/here.js").FileState} state */
  async changed(state) {
    if (state.version) await this.heard(state.version);
    // Only an answer says why there is no text: it is gone, or may not be read.
    else await this.stands();
  }

  /** The file has the text of a version. @param {string} version */
  async heard(version) {
    await this.reloading;
    if (version === this.view.document.version) return this.back();
    if (!this.isHeld()) return this.reload();
    this.waits = true;
    const reload = el("button", { type: "button", on: { click: () => this.reload() } }, "Reload");
    this.view.banner.say("disk", "It changed on disk: what is shown here is the text before. ", reload);
  }

  /** Whether somebody has a hold of what is shown: a selection in it, or a menu. */
  isHeld() {
    const selection = getSelection();
    const isSelected = selection && !selection.isCollapsed && selection.containsNode(this.view.text, true);
    return Boolean(isSelected) || Menu.isOpen;
  }

  /** The text that is shown is the one on disk. */
  back() {
    this.waits = false;
    this.view.banner.say("disk");
    this.view.element.classList.remove("vanished");
  }

  /** @param {any} error */
  failed(error) {
    const { root, known } = this.view.here;
    const isThere = known().some((/** @type {any} */ each) => each.root === root);
    // Without an index nothing is known of the file, which the page says everywhere.
    if (!isThere) return this.back();
    if (!UNREADABLE.includes(error.code)) return;
    const why = error.code === "not_indexed" ? "The file is not on disk any more." : visible(error.message);
    this.waits = false;
    this.view.banner.say("disk", `${why} This is its text as it was last read.`);
    this.view.element.classList.add("vanished");
    // What was gone for a moment only may be told by nobody.
    const { signal } = this.view.here;
    clearTimeout(this.again);
    this.again = setTimeout(() => signal.aborted || this.stands(), AGAIN_MS);
  }

  /** Show the text anew, and then what it defines. */
  async reload() {
    if (this.reloading) return this.reloading;
    this.reloading = this.renew().finally(() => {
      this.reloading = null;
    });
    await this.reloading;
    await this.view.contents();
  }

  /** One stays at the same lines and place, wherever that is now. */
  async renew() {
    const { view } = this;
    let document;
    try {
      document = await textOf(view.document.path, view.here, view.most);
    } catch (error) {
      return this.failed(error);
    }
    if (document.version !== view.document.version || document.text.length !== view.document.text.length) {
      // Only now: until here what is shown may have moved.
      const anchor = this.anchor();
      const moved = movedLines(view.lines, linesOf(document.text));
      const [line, end] = [moved(view.line), moved(view.end)];
      view.hover.hide();
      view.put(document);
      view.go(line, { scroll: false, end: Math.max(line, end) });
      if (anchor) this.hold(moved(anchor.line), anchor.top);
      view.here.said("The file changed on disk and is shown anew.");
    }
    this.back();
  }

  /** The first row that is seen whole, and where. */
  anchor() {
    const top = this.view.element.querySelector(".file-head")?.getBoundingClientRect().bottom ?? 0;
    const row = this.view.blocks.rows().find((each) => each.getBoundingClientRect().top >= top);
    return row ? { line: Number(row.dataset.line), top: row.getBoundingClientRect().top } : null;
  }

  /** Scroll so that a line is at a place of the window. @param {number} line @param {number} top */
  hold(line, top) {
    const row = this.view.blocks.row(line);
    for (let nth = 0; nth < 2; nth += 1) scroller(this.view.element).scrollTop += row.getBoundingClientRect().top - top;
  }
}
