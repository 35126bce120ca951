// The panes beside the code: whoever shows a view fills them, and what it leaves empty is not there.

import { fill } from "../kit/dom.js";

/** A section of the left pane, or the right pane itself. */
export class Pane {
  /** @param {string} id */
  constructor(id) {
    this.element = /** @type {HTMLElement} */ (document.getElementById(id));
  }

  /** @param {...unknown} children */
  show(...children) {
    fill(this.element, ...children);
    this.element.hidden = false;
    around(this.element);
  }

  hide() {
    this.element.replaceChildren();
    this.element.hidden = true;
    around(this.element);
  }

  get isShown() {
    return !this.element.hidden;
  }
}

/** The left pane is there while one of its sections is. */
function around(/** @type {HTMLElement} */ section) {
  const left = section.closest("#left");
  if (left instanceof HTMLElement) left.hidden = [...left.children].every((each) => each.hasAttribute("hidden"));
}
