// How the text that is shown stands to the file on disk, and the same place in it after it changed.

import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { linesOf } from "./blocks.js";
import { Menu } from "./menu.js";
import { movedLines } from "./moved.js";
import { scroller } from "./reveal.js";

export class Disk {
  /** @param {import("./file.js").FileView} view */
  constructor(view) {
    this.view = view;
  }

  /** How the file stands now: with `sync`, the snapshot is brought up to it. Whether it is the text that is shown. */
  async stands(sync = false) {
    const { path, version } = this.view.document;
    try {
      const found = await ask(
        "/v1/file/standing",
        { file: path, root: this.view.here.root, sync },
        this.view.here.signal,
      );
      if (found.version !== version) {
        await this.reload();
        return false;
      }
      const { text, ...rest } = this.view.document;
      const isNewer = rest.snapshot_id !== found.snapshot_id;
      this.view.document = Object.assign(this.view.document, { ...found, read_at: found.read_at });
      this.view.tell();
      if (isNewer && this.view.symbols) await this.view.contents();
      return true;
    } catch (/** @type {any} */ error) {
      if (error.code === "not_indexed") this.vanished();
      return false;
    }
  }

  /** The file on disk changed. @param {any} state */
  changed(state) {
    if (!state.present) return this.vanished();
    if (state.version === this.view.document.version) return;
    if (String(getSelection()) || Menu.isOpen) {
      const reload = el("button", { type: "button", on: { click: () => this.reload() } }, "Reload");
      fill(this.view.banner, "It changed on disk: what is selected here is of the text before. ", reload);
      this.view.banner.hidden = false;
      return;
    }
    this.reload();
  }

  vanished() {
    fill(this.view.banner, "The file is not on disk any more; this is its text as it was last read.");
    this.view.banner.hidden = false;
    this.view.element.classList.add("vanished");
  }

  /** Show the text anew; one stays at the same line and place, wherever that is now. */
  async reload() {
    const before = this.view.lines;
    const anchor = this.anchor();
    let document;
    try {
      document = await ask(
        "/v1/file",
        { file: this.view.document.path, root: this.view.here.root },
        this.view.here.signal,
      );
    } catch (/** @type {any} */ error) {
      if (error.code === "not_indexed") this.vanished();
      return;
    }
    const moved = movedLines(before, linesOf(document.text));
    const length = this.view.end - this.view.line;
    this.view.hover.hide();
    this.view.put(document);
    this.view.banner.hidden = true;
    this.view.element.classList.remove("vanished");
    this.view.go(moved(this.view.line), { scroll: false, end: moved(this.view.line) + length });
    if (anchor) this.hold(moved(anchor.line), anchor.top);
    this.view.here.said("The file changed on disk and is shown anew.");
    await this.view.contents();
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
