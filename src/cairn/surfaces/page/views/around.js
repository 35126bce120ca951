// What is said around the results of a search: that there are none, what was left out, where they end.

import { el } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { base, count, visible } from "../kit/text.js";
import { addressOf, FACETS, isByLine } from "./question.js";

/** @typedef {import("../shell/here.js").Here} Here */
/** @typedef {import("./question.js").Values} Values */

/** @param {Values} values */
export function nothing(values) {
  const narrowing = ["path", "lang", "tests", "word", ...FACETS.map(([name]) => name)].filter((name) => values[name]);
  const without = { ...values, ...Object.fromEntries(narrowing.map((name) => [name, ""])) };
  return el(
    "p",
    { class: "nothing" },
    "Nothing was found. ",
    narrowing.length
      ? el("a", { href: addressOf(without) }, "Search without what narrows it")
      : el("span", {}, isByLine(values) ? "No line has it." : "Try other words."),
  );
}

/** What was not looked at, and how it can be. @param {any} document @param {Values} values */
export function limits(document, values) {
  const exact = el("a", { href: addressOf({ ...values, mode: "literal", shown: "" }) }, "Every line with this text");
  /** @type {Record<string, any>} */
  const said = {
    query: "Only the first words of so long a query are looked for.",
    definitions: "So many definitions bear the name that not all are weighed: narrow by folder or language.",
    candidates: ["The words are so common that only the files that fit best are weighed. ", exact],
  };
  const hit = (document.limits_hit ?? []).filter((/** @type {string} */ name) => said[name]);
  return hit.map((/** @type {string} */ name) => el("p", { class: "cut" }, said[name]));
}

/** The end of the list. @param {Values} values @param {number} shown */
export function end(values, shown) {
  const said = isByLine(values) ? `The last of ${count(shown, "line")}.` : `All ${count(shown, "place")} that fit.`;
  const exact = addressOf({ ...values, mode: "literal", shown: "" });
  return el(
    "p",
    { class: "cut" },
    said,
    isByLine(values) ? null : [" ", el("a", { href: exact }, "Every line with exactly this text")],
  );
}

/** Lines are looked for in one codebase. @param {Values} values @param {Here} here */
export function oneOf(values, here) {
  return el(
    "section",
    { class: "nothing" },
    el("p", {}, "Lines are looked for in one codebase. Which one?"),
    el(
      "ul",
      {},
      here
        .known()
        .map((each) =>
          el("li", {}, el("a", { href: link("search", "", { ...values, in: each.root }) }, visible(base(each.root)))),
        ),
    ),
  );
}
