// Lines of code as elements: numbers beside them, colours in them, marks on what was asked for.

import { el, fill } from "../kit/dom.js";
import { lineNodes, wantColours } from "./tokens.js";

const COMMON = new Set(
  [
    "and are can does for from has have how into its not that the then this was",
    "what when where which who why will with you",
  ].flatMap((each) => each.split(" ")),
);

/**
 * An excerpt with line numbers. Its colours come with those of all other excerpts of the view; without a place in a
 * file it stays plain.
 * @param {{text: string, root?: string | null, path?: string | null, language?: string | null, first?: number,
 *   marked?: RegExp | null}} given
 * @returns {HTMLElement[]}
 */
export function excerpt({ text, root = null, path = null, first = 1, marked = null }) {
  const lines = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""));
  const width = String(first + lines.length - 1).length;
  const texts = lines.map((line) => el("span", { class: "text" }, lineNodes(line, [], marked), "\n"));
  if (root && path)
    wantColours({
      root,
      path,
      first,
      lines,
      isShown: () => texts.some((each) => each.isConnected),
      paint: (at, pieces) => fill(texts[at], lineNodes(lines[at], pieces, marked), "\n"),
    });
  return texts.map((each, at) =>
    el(
      "span",
      { class: "row" },
      el("span", { class: "number", "aria-hidden": "true" }, String(first + at).padStart(width)),
      each,
    ),
  );
}

/** A pattern that finds words of a query where a word or a part of a name begins; a plural finds the singular too. */
export function wordsPattern(/** @type {string} */ query) {
  const words = [
    ...new Set(
      query
        .split(/[^\p{L}\p{N}_]+/u)
        .filter((word) => word.length > 2 && !COMMON.has(word.toLowerCase()))
        .map((word) => word.replace(/(?<=\w{3}[^s])s$/i, "")),
    ),
  ].sort((a, b) => b.length - a.length);
  return words.length
    ? new RegExp(`(?:(?<!\\p{L})|(?<=\\p{Ll})(?=\\p{Lu}))(?:${words.map(anyCase).join("|")})`, "gu")
    : null;
}

/** Upper and lower case alike, letter by letter: ignoring case, one could not see where a part of a name begins. */
function anyCase(/** @type {string} */ word) {
  return [...word]
    .map((letter) => {
      const both = [letter.toLowerCase(), letter.toUpperCase()].filter((each) => [...each].length === 1);
      return new Set(both).size > 1 ? `[${both.join("")}]` : quoted(letter);
    })
    .join("");
}

export function textPattern(/** @type {string} */ text) {
  return new RegExp(`(${quoted(text)})`, "gu");
}

function quoted(/** @type {string} */ text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
