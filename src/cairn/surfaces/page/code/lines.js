// Lines of code as elements: numbers beside them, tokens in them, marks on what was asked for.

import { el } from "../kit/dom.js";
import { highlighted, isName } from "./highlight.js";
import { coded, grouped } from "../kit/text.js";

const LONGEST = 1_000;
const COMMON = new Set(
  "and are can does for from has have how into its not that the then this was what when where which who why will with you".split(
    " ",
  ),
);

/** The tokens of one line as nodes; a very long line waits behind a button that says how long it is. */
export function lineNodes(tokens, marked = null, longest = LONGEST) {
  const whole = tokens.map((each) => each[1]).join("");
  const marks = marked
    ? [...whole.slice(0, longest).matchAll(marked)].map((match) => [match.index, match.index + match[0].length])
    : [];
  const found = [];
  let at = 0;
  for (const [kind, text] of tokens) {
    if (at >= longest) break;
    const kept = text.slice(0, longest - at);
    found.push(
      el("span", { class: kind ? `t-${kind}` : null, "data-at": isName(kind) ? at : null }, pieces(kept, at, marks)),
    );
    at += text.length;
  }
  if (whole.length > longest) {
    found.push(more(whole.length - longest, (line) => line.replaceChildren(...lineNodes(tokens, marked, Infinity))));
  }
  return found;
}

/** A token's text, with what was asked for marked in it. */
function pieces(text, start, marks) {
  const found = [];
  let at = 0;
  for (const [from, to] of marks) {
    const [first, last] = [Math.max(from - start, at), Math.min(to - start, text.length)];
    if (first >= last) continue;
    found.push(...coded(text.slice(at, first)), el("mark", {}, coded(text.slice(first, last))));
    at = last;
  }
  return [...found, ...coded(text.slice(at))].filter((each) => each !== "");
}

function more(length, show) {
  const button = el("button", { class: "more-line", type: "button" }, `${grouped(length)} more characters`);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    show(button.parentElement);
  });
  return button;
}

/** An excerpt with line numbers. */
export function excerpt(text, language, first, marked = null) {
  const lines = highlighted(text.replace(/\n$/, ""), language);
  const width = String(first + lines.length - 1).length;
  return lines.map((tokens, at) => {
    return el(
      "span",
      { class: "row" },
      el("span", { class: "number", "aria-hidden": "true" }, String(first + at).padStart(width)),
      el("span", { class: "text" }, lineNodes(tokens, marked), "\n"),
    );
  });
}

/** A pattern that finds the words of a query where a word or a part of a name begins; a plural finds the singular too. */
export function wordsPattern(query) {
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

/** Upper and lower case alike, letter by letter: a pattern that ignores case could not see where a part of a name begins. */
function anyCase(word) {
  return [...word]
    .map((letter) => {
      const both = [letter.toLowerCase(), letter.toUpperCase()].filter((each) => [...each].length === 1);
      return new Set(both).size > 1 ? `[${both.join("")}]` : quoted(letter);
    })
    .join("");
}

export function textPattern(text) {
  return new RegExp(`(${quoted(text)})`, "gu");
}

function quoted(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
