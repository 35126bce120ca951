// What was asked and what it saved: by day and by kind of question, what answers weighed beside whole files.

import { el, svg } from "../kit/dom.js";
import { count, grouped, size, visible } from "../kit/text.js";

const [WIDTH, HEIGHT, BASE] = [640, 120, 100];
const DAY_MS = 86_400_000;
const MOST_BARS = 30;

/** @typedef {{questions: number, bytes_delivered: number, whole_files_bytes: number}} Sums */

/** @param {any} found the answer of `gain` @param {string | null} root */
export function gain(found, root) {
  const mine = found.gains.find((/** @type {any} */ each) => each.root === root);
  /** @type {any[]} */
  const of = root ? (mine ? [mine] : []) : found.gains;
  if (!found.questions)
    return el(
      "p",
      { class: "nothing" },
      found.recording ? `Nothing was asked in ${count(found.days, "day")}.` : "Questions are not recorded here.",
    );
  const sums = root ? (mine ?? { questions: 0, bytes_delivered: 0, whole_files_bytes: 0 }) : found;
  return [
    el(
      "p",
      { class: "big" },
      size(Math.max(0, sums.whole_files_bytes - sums.bytes_delivered)),
      el(
        "span",
        {},
        ` less than the whole files, in ${count(sums.questions, "answer")} of ${count(found.days, "day")}`,
      ),
    ),
    days(
      summed(
        of.flatMap((each) => each.by_day),
        "day",
      ),
      found.days,
    ),
    kinds(
      summed(
        of.flatMap((each) => each.kinds),
        "question",
      ),
    ),
  ];
}

/** @param {any[]} rows @param {string} name @returns {Map<string, Sums>} */
function summed(rows, name) {
  /** @type {Map<string, Sums>} */
  const found = new Map();
  for (const each of rows) {
    const sums = found.get(each[name]) ?? { questions: 0, bytes_delivered: 0, whole_files_bytes: 0 };
    sums.questions += each.questions;
    sums.bytes_delivered += each.bytes_delivered;
    sums.whole_files_bytes += each.whole_files_bytes;
    found.set(each[name], sums);
  }
  return found;
}

/** A bar a day: how many questions. @param {Map<string, Sums>} by @param {number} number */
function days(by, number) {
  const names = Array.from({ length: Math.min(number, MOST_BARS) }, (_, at) =>
    new Date(Date.now() - (Math.min(number, MOST_BARS) - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
  const most = Math.max(1, ...names.map((day) => by.get(day)?.questions ?? 0));
  const wide = WIDTH / names.length;
  const all = names.reduce((sum, day) => sum + (by.get(day)?.questions ?? 0), 0);
  const told = `${count(all, "question")} in ${count(names.length, "day")}, at most ${grouped(most)} a day`;
  return el(
    "figure",
    { class: "chart days" },
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": told },
      svg("path", { class: "floor", d: `M0 ${BASE} H${WIDTH}` }),
      names.map((day, at) => {
        const sums = by.get(day);
        if (!sums) return null;
        const high = Math.max(2, ((BASE - 8) * sums.questions) / most);
        return svg(
          "rect",
          { class: "bar", x: at * wide + 2, y: BASE - high, width: Math.max(2, wide - 4), height: high, rx: 2 },
          svg("title", {}, `${day}: ${count(sums.questions, "question")}, ${size(sums.bytes_delivered)}`),
        );
      }),
    ),
    el("figcaption", {}, told),
  );
}

/** @param {Map<string, Sums>} by */
function kinds(by) {
  const rows = [...by].sort((a, b) => b[1].questions - a[1].questions);
  const most = Math.max(1, ...rows.map(([, each]) => Math.max(each.whole_files_bytes, each.bytes_delivered)));
  return el(
    "ul",
    { class: "bars kinds", "aria-label": "By kind of question" },
    rows.map(([name, each]) =>
      el(
        "li",
        {},
        el("span", {}, visible(name)),
        el(
          "span",
          { class: "two", title: `${size(each.bytes_delivered)} in place of ${size(each.whole_files_bytes)}` },
          el("span", { class: "meter whole", part: each.whole_files_bytes / most }),
          el("span", { class: "meter", part: each.bytes_delivered / most }),
        ),
        el(
          "span",
          { class: "number" },
          `${grouped(each.questions)} · ${size(each.bytes_delivered)} of ${size(each.whole_files_bytes)}`,
        ),
      ),
    ),
  );
}
