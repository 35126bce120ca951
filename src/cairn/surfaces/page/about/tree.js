// A tree that opens a step at a time: what is below an entry is asked for when it is opened.

import { trouble, waiting } from "../kit/answer.js";
import { el, fill } from "../kit/dom.js";

/**
 * An entry: what it shows, and what is below it, if anything can be.
 * @typedef {object} Entry
 * @property {string} key
 * @property {unknown} shown
 * @property {null | (() => Promise<Entry[]>)} below
 * @property {boolean} [isOpen]
 * @property {unknown} [note] said where nothing is below
 */

/** A list of entries with a name. @param {string} label @param {Entry[]} entries @returns {HTMLElement} */
export function tree(label, entries) {
  return el("ul", { class: "tree", "aria-label": label }, entries.map(branch));
}

/** @param {Entry} entry @returns {HTMLElement} */
function branch(entry) {
  if (!entry.below)
    return el("li", { class: "leaf" }, el("div", { class: "entry" }, el("span", { class: "twig" }), entry.shown));
  const below = el("div", { class: "below", hidden: true });
  const button = el("button", {
    class: "twig",
    type: "button",
    "aria-expanded": "false",
    "aria-label": `Open ${entry.key}`,
    on: { click: () => turn() },
  });
  let asked = false;
  const open = async () => {
    asked = true;
    fill(below, waiting("Looking…"));
    try {
      const found = await /** @type {() => Promise<Entry[]>} */ (entry.below)();
      fill(
        below,
        found.length ? tree(`Below ${entry.key}`, found) : el("p", { class: "nothing" }, entry.note ?? "Nothing."),
      );
    } catch (error) {
      asked = false;
      if (/** @type {Error} */ (error).name !== "AbortError") fill(below, trouble(error, open));
    }
  };
  const turn = () => {
    below.hidden = !below.hidden;
    button.setAttribute("aria-expanded", String(!below.hidden));
    if (!below.hidden && !asked) return open();
  };
  const item = el("li", {}, el("div", { class: "entry" }, button, entry.shown), below);
  if (entry.isOpen) turn();
  return item;
}
