// The commands of the palette.

import { ask } from "../kit/api.js";
import { link } from "../kit/place.js";
import { base } from "../kit/text.js";
import { switchTheme } from "../kit/theme.js";
import { live } from "./live.js";
import { fold } from "./panes.js";

/** @typedef {import("./palette.js").Item} Item */
/** @typedef {import("./palette.js").Where} Where */

const VIEWS = /** @type {[string, string][]} */ ([
  ["search", "Go to the search"],
  ["changes", "Review what the branch changed"],
  ["commits", "Search the past changes"],
  ["map", "Go to the map"],
  ["home", "Go to the dashboard"],
]);

/** @param {Where} where @returns {Item[]} */
export function commands({ root, place }) {
  const kind = "do";
  const go = (/** @type {string} */ address) => () => {
    location.hash = address;
  };
  return [
    ...VIEWS.map(([view, text]) => {
      return { text, kind, run: go(link(view, "", { in: root })) };
    }),
    ...(place.view === "file"
      ? [{ text: "Imports of this file", kind, run: go(link("imports", place.rest, { in: root })) }]
      : []),
    { text: "Light or dark colours", kind, run: switchTheme },
    { text: "Fold the left pane, or show it", kind, run: () => fold("left") },
    { text: "Fold the right pane, or show it", kind, run: () => fold("right") },
    { text: "Keys", kind, run: () => document.getElementById("help")?.click() },
    ...(root ? [{ text: `Bring the index of ${base(root)} up to date`, kind, run: () => bring(root) }] : []),
    ...[...live.codebases.keys()].sort().map((each) => {
      return { text: `Codebase ${base(each)}`, detail: each, kind, run: go(link("search", "", { in: each })) };
    }),
  ];
}

/** Look at the tree now, rather than when the watcher does. @param {string} root */
async function bring(root) {
  const said = /** @type {HTMLElement} */ (document.getElementById("said"));
  said.textContent = "Looking at the tree…";
  try {
    await ask("/v1/map", { root, budget: 1, sync: true, timeout_ms: 120_000 });
    said.textContent = "The index is up to date.";
  } catch (error) {
    said.textContent = error instanceof Error ? error.message : "";
  }
}
