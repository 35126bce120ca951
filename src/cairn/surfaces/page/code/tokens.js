// What the pieces of a text are, as the grammar of its language has it: asked of the daemon, and laid over the lines.

import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { coded, grouped } from "../kit/text.js";

/** Start, length and kind of each piece of a line, one after the other. @typedef {number[]} Pieces */

const LONGEST = 1_000;
/** So many characters of an opened line have colours and names; the rest is mere text, however much it is. */
const MOST_COLOURED = 20_000;
/** A class for each kind, by what the daemon calls it. @type {Record<string, string>} */
const MARKS = { comment: "c", string: "s", number: "m", keyword: "k", definition: "d", type: "t", call: "f" };
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const NO_NAME = new Set(["c", "s", "m", "k"]);
const AT_ONCE = 60;
/** How long nobody has typed before colours are asked for; and how long to gather what is drawn at once. */
const STILL_MS = 300;
const TOGETHER_MS = 50;

/**
 * The pieces of each line from the flat row of numbers that the daemon sends.
 * @param {any} found @param {number} first
 */
export function piecesByLine(found, first = 1) {
  const marks = found.kinds.map((/** @type {string} */ kind) => MARKS[kind] ?? "");
  /** @type {Map<number, [number, number, string][]>} */
  const lines = new Map();
  let [line, at] = [first, 0];
  for (let each = 0; each < found.tokens.length; each += 4) {
    const [down, across, length, kind] = found.tokens.slice(each, each + 4);
    at = down || !each ? across : at + across;
    line += down;
    const pieces = lines.get(line) ?? [];
    if (!pieces.length) lines.set(line, pieces);
    pieces.push([at, length, marks[kind]]);
  }
  return lines;
}

/**
 * A line as nodes: every piece in its colour, every word that is none of them as a name. The text is always the line's
 * own. A very long line waits behind a button that says how long it is.
 * @param {string} line
 * @param {[number, number, string][]} pieces
 * @param {RegExp | null} marked
 * @param {number} longest
 * @returns {unknown[]}
 */
export function lineNodes(line, pieces = [], marked = null, longest = LONGEST) {
  const shown = line.slice(0, Math.min(longest, MOST_COLOURED));
  const marks = marked ? [...shown.matchAll(marked)].map((each) => [each.index, each.index + each[0].length]) : [];
  /** @type {unknown[]} */
  const found = [];
  let at = 0;
  for (const [start, length, mark] of pieces) {
    if (start < at || start >= shown.length) continue;
    found.push(...words(shown.slice(at, start), at, marks));
    at = Math.min(start + length, shown.length);
    const text = shown.slice(start, at);
    found.push(
      el("span", { class: `t-${mark}`, "data-at": NO_NAME.has(mark) ? null : start }, withMarks(text, start, marks)),
    );
  }
  found.push(...words(shown.slice(at), at, marks));
  if (line.length > longest) found.push(more(line, pieces, marked, longest));
  else found.push(...coded(line.slice(shown.length)));
  return found;
}

/** Names and what stands between them. @param {string} text @param {number} start @param {number[][]} marks */
function words(text, start, marks) {
  /** @type {unknown[]} */
  const found = [];
  let at = 0;
  for (const match of text.matchAll(WORD)) {
    if (match.index > at) found.push(...withMarks(text.slice(at, match.index), start + at, marks));
    const name = withMarks(match[0], start + match.index, marks);
    found.push(el("span", { class: "t-n", "data-at": start + match.index }, name));
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push(...withMarks(text.slice(at), start + at, marks));
  return found;
}

/**
 * A piece of text with what was asked for marked in it.
 * @param {string} text @param {number} start @param {number[][]} marks
 */
function withMarks(text, start, marks) {
  /** @type {any[]} */
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

/**
 * @param {string} line @param {[number, number, string][]} pieces
 * @param {RegExp | null} marked @param {number} longest
 */
function more(line, pieces, marked, longest) {
  const button = el(
    "button",
    { class: "more-line", type: "button" },
    `${grouped(line.length - longest)} more characters`,
  );
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    const place = /** @type {HTMLElement} */ (button.parentElement);
    place.dataset.whole = "1";
    fill(place, lineNodes(line, pieces, marked, Infinity));
  });
  return button;
}

/**
 * @typedef {object} Wanted
 * @property {string} root
 * @property {string} path
 * @property {number} first
 * @property {string[]} lines
 * @property {() => boolean} isShown
 * @property {(at: number, pieces: [number, number, string][]) => void} paint
 */

/** @type {Wanted[]} */
let wanted = [];
let timer = 0;

/** Colours for an excerpt, asked for with all others of a view; none where the file says something else by now.
 * @param {Wanted} excerpt */
export function wantColours(excerpt) {
  // Results that come as somebody types are soon others: those that stay are worth colours, and the next answer isn't
  // to wait for them.
  clearTimeout(timer);
  const isTyping = document.activeElement?.id === "query";
  timer = setTimeout(askForAll, isTyping ? STILL_MS : TOGETHER_MS);
  wanted.push(excerpt);
}

async function askForAll() {
  const all = wanted.filter((each) => each.isShown());
  wanted = [];
  for (const root of new Set(all.map((each) => each.root))) {
    const own = all.filter((each) => each.root === root);
    for (let at = 0; at < own.length; at += AT_ONCE) await askFor(root, own.slice(at, at + AT_ONCE));
  }
}

/** @param {string} root @param {Wanted[]} some */
async function askFor(root, some) {
  const places = some.map((each) => `${each.path}:${each.first}-${each.first + each.lines.length - 1}`);
  let document;
  try {
    document = await ask("/v1/colours", { root, places });
  } catch {
    return; // plain text is what it is
  }
  document.excerpts.forEach((/** @type {any} */ found, /** @type {number} */ nth) => {
    const { first, lines, paint } = some[nth];
    const pieces = piecesByLine({ ...found, kinds: document.kinds }, first);
    lines.forEach((line, at) => {
      const shift = found.lines[at] === undefined || !line ? -1 : found.lines[at].indexOf(line);
      if (shift < 0) return;
      paint(at, moved(pieces.get(first + at) ?? [], shift, line.length));
    });
  });
}

/** Pieces of a line as pieces of a part of it.
 * @param {[number, number, string][]} pieces @param {number} shift @param {number} length
 * @returns {[number, number, string][]} */
function moved(pieces, shift, length) {
  return pieces
    .map(([start, size, mark]) => {
      const [from, to] = [Math.max(0, start - shift), Math.min(length, start + size - shift)];
      return /** @type {[number, number, string]} */ ([from, to - from, mark]);
    })
    .filter(([, size]) => size > 0);
}
