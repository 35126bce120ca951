// What is searched for: a query, the way of searching, and the part of what is found that is wanted.

import { link } from "../kit/place.js";

/** The ways of searching, in the order of their keys. @type {[string, string, string][]} */
export const WAYS = [
  ["", "Words", "Places that answer best, by words and meaning"],
  ["literal", "Exact text", "Every line that holds this text"],
  ["regex", "Expression", "Every line that a regular expression matches"],
  ["symbol", "Name", "Definitions that are called so"],
];
/** The facets: how the address and the daemon call each, and what it is of. @type {[string, string, string][]} */
export const FACETS = [
  ["language", "language", "Language"],
  ["folder", "folder", "Folder"],
  ["role", "role", "Code, tests, docs"],
  ["kind", "defines", "Kind"],
];
export const PAGE = 20;
export const LINES = 50;
export const MOST_PLACES = 200;
export const MOST_LINES = 10_000;
const APART = "|";
const SAME = ["q", "mode", "path", "lang", "tests", "anycase", "word", "explain", "in"];

/** @typedef {Record<string, string>} Values */

/** Whether lines are looked for. @param {Values} values */
export function isByLine(values) {
  return values.mode === "literal" || values.mode === "regex";
}

/** The chosen values of a facet. @param {Values} values @param {string} facet @returns {string[]} */
export function chosen(values, facet) {
  return (values[facet] ?? "").split(APART).filter(Boolean);
}

/** The address with one value of a facet chosen, or not. @param {Values} values @param {string} facet
 *  @param {string} value @param {boolean} isOn */
export function narrowed(values, facet, value, isOn) {
  // One folder is looked into at a time: below it its own folders are offered.
  const others = facet === "folder" ? [] : chosen(values, facet).filter((each) => each !== value);
  return addressOf({ ...values, [facet]: (isOn ? [...others, value] : others).join(APART), shown: "" });
}

/** The address of a question. @param {Values} values */
export function addressOf(values) {
  return link("search", "", values);
}

/** The same for the same question, whatever is shown of it. @param {Values} values @param {object} codebases */
export function keyOf(values, codebases) {
  return JSON.stringify([codebases, [...SAME, ...FACETS.map(([name]) => name)].map((name) => values[name] ?? "")]);
}

/** The parameters of a request. @param {Values} values @param {Record<string, unknown>} codebases */
export function asked(values, codebases) {
  const lines = isByLine(values);
  /** @type {Record<string, unknown>} */
  const parts = {};
  for (const [name, parameter] of FACETS) parts[parameter] = chosen(values, name);
  if (values.tests === "without") parts.not_role = ["tests"];
  if (values.tests === "only") parts.role = ["tests"];
  return {
    q: values.q,
    ...codebases,
    ...(lines ? { [values.mode]: true } : { mode: values.mode, per_file: 4 }),
    ignore_case: lines && values.anycase === "1",
    word: lines && values.word === "1",
    explain: values.explain === "1",
    lang: values.lang ? values.lang.split(/[\s,]+/).filter(Boolean) : null,
    glob: values.path ? values.path.split(/\s+/).filter(Boolean) : null,
    ...parts,
    timeout_ms: 20_000,
  };
}
