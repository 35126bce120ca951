// The bar: the field of the search, and which codebase is asked.

import { el, fill } from "../kit/dom.js";
import { link, parsed } from "../kit/place.js";
import { base, visible } from "../kit/text.js";
import { live } from "./live.js";
import { toTop } from "./history.js";

export const ALL = "*";
const FINISHED_MS = 1_500;
/** Keys that come faster than this share a question; else each asks at once, and gives up what was asked before. */
const APART_MS = 60;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
export const query = /** @type {HTMLInputElement} */ (document.getElementById("query"));
export const chosen = /** @type {HTMLSelectElement} */ (document.getElementById("codebase"));
let typed = 0;
let asked = 0;
let finished = 0;
let isFinished = true;

/** @param {() => void} route shows what the address says */
export function startBar(route) {
  query.addEventListener("input", () => {
    clearTimeout(typed);
    clearTimeout(finished);
    const pause = asked + APART_MS - performance.now();
    // A timer would come behind the frame that shows the letter.
    if (pause <= 0) search(route);
    else typed = setTimeout(() => search(route), pause);
  });
  query.addEventListener("blur", finish);
  document.getElementById("ask")?.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(typed);
    const first = /** @type {HTMLElement | null} */ (main.querySelector(".hit [data-item], #results [data-item]"));
    if (first && parsed(location.hash).values.get("q") === query.value) first.focus();
    else search(route);
    // Only now: what is pressed Enter on is the same query as the letters before it.
    finish();
  });
  chosen.addEventListener("change", move);
}

/** A query that somebody is done with is an entry of the history; the letters on the way to it are not. */
export function finish() {
  clearTimeout(finished);
  isFinished = true;
}

/** @param {() => void} route */
function search(route) {
  asked = performance.now();
  const place = parsed(location.hash);
  const values = place.view === "search" ? Object.fromEntries(place.values) : { in: place.values.get("in") };
  // How much is shown was asked for with the query before.
  const address = link("search", "", { ...values, shown: null, q: query.value });
  if (address === location.hash) return route();
  const isAnother = place.view !== "search" || (isFinished && place.values.get("q"));
  if (isAnother) history.pushState(null, "", address);
  else {
    history.replaceState(null, "", address);
    toTop(main);
  }
  isFinished = false;
  finished = setTimeout(finish, FINISHED_MS);
  route();
}

/** @param {string} root */
export function choose(root) {
  if (![...chosen.options].some((each) => each.value === root))
    chosen.append(el("option", { value: root }, visible(root === ALL ? "All codebases" : base(root))));
  chosen.value = root;
}

/** Offer the codebases that there are. */
export function offer() {
  const now = parsed(location.hash).values.get("in") ?? chosen.value;
  const roots = [...live.codebases.keys()].sort();
  const names = roots.map(base);
  fill(
    chosen,
    roots.map((root, at) =>
      el(
        "option",
        { value: root, title: visible(root) },
        visible(names.indexOf(names[at]) !== names.lastIndexOf(names[at]) ? root : names[at]),
      ),
    ),
    roots.length > 1 ? el("option", { value: ALL }, "All codebases") : null,
    roots.length ? null : el("option", { value: "" }, "no codebase"),
  );
  if (now) choose(now);
  else if (roots.length > 1) chosen.value = ALL;
}

/** To the same view of the codebase that is chosen, where there is one. */
function move() {
  const place = parsed(location.hash);
  const kept =
    place.view === "search" ? { ...Object.fromEntries(place.values), in: chosen.value } : { in: chosen.value };
  location.hash = link(["search", "map", "home", "changes"].includes(place.view) ? place.view : "map", "", kept);
}
