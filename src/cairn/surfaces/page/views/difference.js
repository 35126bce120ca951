// The lines of a file that differ, in one column or in two, each with an address of its own.

import { el } from "../kit/dom.js";
import { coded, count } from "../kit/text.js";

/** @typedef {[string, string]} Row what became of a line, and the line */
/** @typedef {{old_start: number, new_start: number, rows: Row[]}} Hunk */
/**
 * @typedef {{kind: string, old: number | null, now: number | null, text: string, mark: [number, number] | null}} Line
 */

const LONGEST = 1_000;

/** The lines of a hunk with their numbers; of lines that replace others what differs within is marked. */
function numbered(/** @type {Hunk} */ hunk) {
  let [old, now] = [hunk.old_start, hunk.new_start];
  /** @type {Line[]} */
  const lines = hunk.rows.map(([kind, text]) => {
    const line = { kind, old: kind === "+" ? null : old, now: kind === "-" ? null : now, text, mark: null };
    if (kind !== "+") old += 1;
    if (kind !== "-") now += 1;
    return line;
  });
  for (const [removed, added] of pairs(lines)) {
    if (removed.length !== added.length) continue;
    removed.forEach((line, at) => {
      [line.mark, added[at].mark] = apart(line.text, added[at].text);
    });
  }
  return lines;
}

/** Runs of removed lines with the added ones behind them. @param {Line[]} lines @returns {[Line[], Line[]][]} */
function pairs(lines) {
  /** @type {[Line[], Line[]][]} */
  const found = [];
  let before = " ";
  for (const line of lines) {
    if (line.kind !== " " && (before === " " || (before === "+" && line.kind === "-"))) found.push([[], []]);
    if (line.kind !== " ") found[found.length - 1][line.kind === "-" ? 0 : 1].push(line);
    before = line.kind;
  }
  return found;
}

/** Where two lines differ. @param {string} one @param {string} other @returns {[[number, number], [number, number]]} */
function apart(one, other) {
  const least = Math.min(one.length, other.length);
  let head = 0;
  while (head < least && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < least - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return [
    [head, one.length - tail],
    [head, other.length - tail],
  ];
}

/** @param {Hunk[]} hunks @param {{split: boolean, marked: number | null, to: (line: number) => string}} how */
export function difference(hunks, how) {
  const body = hunks.flatMap((hunk) => {
    const lines = numbered(hunk);
    const head = el(
      "tr",
      { class: "hunk", "data-stop": true, tabindex: "-1" },
      el("td", { colspan: how.split ? 4 : 3 }, `line ${hunk.new_start}`),
    );
    return [head, ...(how.split ? sideBySide(lines, how) : lines.map((line) => unified(line, how)))];
  });
  return el("table", { class: how.split ? "diff split-diff" : "diff" }, el("tbody", {}, body));
}

const KINDS = /** @type {Record<string, string>} */ ({ "+": "added", "-": "removed", " ": "kept" });

/** @param {Line} line @param {any} how */
function unified(line, how) {
  const here = line.now !== null && line.now === how.marked;
  return el(
    "tr",
    { class: KINDS[line.kind], "aria-current": here ? "true" : null },
    number(line.old, null),
    number(line.now, how),
    text(line),
  );
}

/** @param {Line[]} lines @param {any} how */
function sideBySide(lines, how) {
  const rows = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at].kind === " ") {
      rows.push([lines[at], lines[at]]);
      at += 1;
      continue;
    }
    const removed = taken(lines, at, "-");
    const added = taken(lines, at + removed.length, "+");
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1) rows.push([removed[row], added[row]]);
    at += removed.length + added.length;
  }
  return rows.map(([old, now]) =>
    el(
      "tr",
      { "aria-current": now?.now && now.now === how.marked ? "true" : null },
      old ? [number(old.old, null), text(old)] : empty(),
      now ? [number(now.now, how), text(now)] : empty(),
    ),
  );
}

/** @param {Line[]} lines @param {number} from @param {string} kind */
function taken(lines, from, kind) {
  let to = from;
  while (lines[to]?.kind === kind) to += 1;
  return lines.slice(from, to);
}

function empty() {
  return [el("td", { class: "line-number" }), el("td", { class: "none" })];
}

/** @param {number | null} line @param {any} how */
function number(line, how) {
  if (!line) return el("td", { class: "line-number" });
  const name = `Line ${line}`;
  const link = how
    ? el("a", { href: how.to(line), "aria-label": name, "data-line": line }, String(line))
    : String(line);
  return el("td", { class: "line-number" }, link);
}

/** @param {Line} line */
function text(line) {
  const shown = line.text.slice(0, LONGEST);
  const [from, to] = line.mark ?? [0, 0];
  const marked = from < to && to <= shown.length && (from > 0 || to < shown.length);
  const parts = marked
    ? [coded(shown.slice(0, from)), el("mark", {}, coded(shown.slice(from, to))), coded(shown.slice(to))]
    : coded(shown);
  const rest = line.text.length - shown.length;
  const said = line.kind === " " ? null : el("span", { class: "unseen" }, `${KINDS[line.kind]}: `);
  return el(
    "td",
    { class: `line-text ${KINDS[line.kind]}` },
    said,
    parts,
    rest > 0 ? el("span", { class: "kind" }, ` ${count(rest, "more character")}`) : null,
  );
}
