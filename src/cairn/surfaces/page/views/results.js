// What a search found, file by file: places with their code, or every line that holds a text.

import { changed, pathLink, pathText } from "../kit/answer.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { base, count, grouped, visible } from "../kit/text.js";
import { excerpt, textPattern, wordsPattern } from "../code/lines.js";
import { isByLine } from "./question.js";

const SHOWN = 9;
const FEW_LINES = 6;

/** @typedef {import("./question.js").Values} Values */
/** @typedef {{values: Values, root: string | null, several: boolean}} Asked */
/** @typedef {{path: string, root: string, element: HTMLElement, lines: HTMLElement[], box: HTMLElement,
 *   isOpen: boolean}} Group */

/** The list of what is found. */
export class Results {
  /** @param {Asked} asked */
  constructor(asked) {
    this.asked = asked;
    this.pattern = wordsPattern(asked.values.q);
    this.element = el("ol", { class: "hits", "aria-label": "Results" });
    /** @type {Group | null} */
    this.last = null;
    this.most = 0;
  }

  /** Put the next page behind what is there. @param {any[]} results @param {boolean} isEnd */
  add(results, isEnd) {
    if (isByLine(this.asked.values)) {
      for (const each of results) this.line(each);
      this.fold(isEnd);
      return;
    }
    this.most = Math.max(this.most, ...results.map((each) => each.score));
    this.element.append(...results.map((each) => place(each, this)));
  }

  /** @param {any} each */
  line(each) {
    const root = each.root ?? this.asked.root;
    const before = this.last;
    const isSame = before?.path === each.path && before?.root === root;
    const group = before && isSame ? before : this.group(each, root);
    const line = lineOf(each, root, this.asked.values);
    group.lines.push(line);
    if (group.lines.length <= FEW_LINES || group.isOpen) group.box.append(line);
  }

  /** Begin the next file. @param {any} each @param {string} root @returns {Group} */
  group(each, root) {
    this.fold(true);
    const box = el("div", { class: "lines code" });
    const number = el("span", { class: "number of-file" });
    const head = el("div", { class: "head" }, pathLink(root, each.path), changed(each), number);
    const element = el("li", { class: "group" }, head, box);
    this.element.append(element);
    this.last = { path: each.path, root, element, box, lines: [], isOpen: false };
    return this.last;
  }

  /** Say of the last file how many lines it has, and fold those that are many. @param {boolean} isWhole */
  fold(isWhole) {
    const last = this.last;
    if (!last) return;
    fill(
      /** @type {HTMLElement} */ (last.element.querySelector(".of-file")),
      `${count(last.lines.length, "line")}${isWhole ? "" : " and more"}`,
    );
    last.element.querySelector(".all-lines")?.remove();
    const more = last.lines.length - FEW_LINES;
    if (more <= 0 || last.isOpen) return;
    const button = el("button", { class: "all-lines", type: "button" }, `${grouped(more)} more in this file`);
    button.addEventListener("click", () => {
      last.isOpen = true;
      last.box.append(...last.lines.slice(FEW_LINES));
      button.remove();
      /** @type {HTMLElement} */ (last.lines[FEW_LINES].querySelector("a")).focus({ preventScroll: true });
    });
    last.element.append(button);
  }
}

/** A line that holds what was looked for, with its number, as a link. @param {any} each @param {string} root
 *  @param {Values} values */
function lineOf(each, root, values) {
  const hit = values.mode === "literal" ? values.q : each.match;
  const code = el("span", {});
  const marked = each.match ? textPattern(each.match) : null;
  const rows = excerpt({ root, path: each.path, text: each.text, first: each.start_line, marked });
  fill(code, rows);
  return el(
    "div",
    { class: "hit line" },
    el(
      "a",
      {
        href: link("file", each.path, { in: root, hit }, each.start_line),
        "data-item": true,
        "aria-label": `${visible(base(each.path))}:${each.start_line}: ${visible(each.text.trim().slice(0, 200))}`,
      },
      code,
    ),
    each.cut ? el("span", { class: "cut" }, "a part of a long line") : null,
  );
}

/** @param {any} result @param {Results} results */
function place(result, results) {
  const { asked, most } = results;
  const root = result.root ?? asked.root;
  const at = lineOfInterest(result, results.pattern);
  const hit = asked.values.q;
  return el(
    "li",
    { class: "hit group" },
    el(
      "div",
      { class: "head" },
      el(
        "a",
        { class: "path", href: link("file", result.path, { in: root, hit }, at), "data-item": true },
        pathText(result.path, at),
      ),
      result.symbol &&
        el(
          "a",
          { class: "symbol", href: link("names", `${result.symbol}`, { in: root }) },
          el("bdi", {}, visible(result.symbol)),
        ),
      result.symbol && el("span", { class: "kind" }, visible(result.kind)),
      changed(result),
      asked.several ? el("span", { class: "of" }, visible(base(root))) : null,
      el(
        "span",
        { class: "score", part: most > 0 ? result.score / most : 0, title: `score ${result.score}` },
        el("span", { class: "unseen" }, `score ${result.score.toFixed(2)}`),
      ),
    ),
    body(result, root, results.pattern, at),
    others(result, root, hit),
    result.explain && explained(result.explain, `Why: the signals of score ${result.score.toFixed(2)}`),
    result.explain_place && explained(result.explain_place, "Why this definition of its file"),
  );
}

/** Further places of the same file. @param {any} result @param {string} root @param {string} hit */
function others(result, root, hit) {
  /** @type {any[]} */
  const found = (result.others ?? []).filter((/** @type {any} */ each) => each.symbol !== result.symbol);
  if (!found.length) return null;
  return el(
    "details",
    { class: "others" },
    el("summary", {}, `${count(found.length, "more place")} in this file`),
    el(
      "ul",
      {},
      found.map((each) =>
        el(
          "li",
          {},
          el(
            "a",
            { href: link("file", result.path, { in: root, hit }, each.start_line) },
            el("span", { class: "number" }, `${each.start_line}`),
            " ",
            el("code", {}, visible(each.symbol ?? "text")),
          ),
        ),
      ),
    ),
  );
}

/** @param {any} result @param {string} root @param {RegExp | null} marked @param {number} at */
function body(result, root, marked, at) {
  /** @param {string} text @param {number} first */
  const part = (text, first) => excerpt({ root, path: result.path, text, first, marked });
  const lines = result.text.replace(/\n$/, "").split("\n");
  const start = Math.max(0, Math.min(at - result.start_line - 2, lines.length - SHOWN));
  const pre = el("pre", {
    class: "code",
    tabindex: "0",
    "aria-label": `${visible(base(result.path))}, from line ${result.start_line + start}`,
  });
  const few = lines.slice(start, start + SHOWN).join("\n");
  fill(pre, part(few, result.start_line + start));
  if (lines.length <= SHOWN) return pre;
  const all = el(
    "button",
    { class: "all-lines", type: "button", "aria-expanded": "false" },
    `All ${lines.length} lines`,
  );
  all.addEventListener("click", () => {
    const open = all.getAttribute("aria-expanded") === "true";
    all.setAttribute("aria-expanded", String(!open));
    all.textContent = open ? `All ${lines.length} lines` : "Fewer lines";
    fill(pre, open ? part(few, result.start_line + start) : part(result.text, result.start_line));
  });
  return [pre, all];
}

const DEFINES =
  /\b(def|class|func|fn|function|struct|enum|trait|interface|type|module|const|let|var|public|private|static)\b/;

/** The line that defines what the result is called, else the one with most of the query's words.
 *  @param {any} result @param {RegExp | null} pattern @returns {number} */
function lineOfInterest(result, pattern) {
  /** @type {string[]} */
  const lines = result.text.split("\n");
  const name = (result.symbol ?? "").split(".").pop();
  const defined = name ? lines.findIndex((line) => DEFINES.test(line) && line.includes(name)) : -1;
  if (defined >= 0) return result.start_line + defined;
  if (!pattern) return result.start_line;
  const scores = lines.map((line) => new Set((line.match(pattern) ?? []).map((word) => word.toLowerCase())).size);
  return result.start_line + Math.max(0, scores.indexOf(Math.max(...scores)));
}

/** What a score is made of. @param {Record<string, number>} parts @param {string} title */
function explained(parts, title) {
  const signals = Object.entries(parts);
  const rows = signals.filter(([, value]) => typeof value === "number").sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const most = Math.max(...rows.map(([, value]) => Math.abs(value)), 1e-9);
  return el(
    "dl",
    { class: "explain", title, "aria-label": title },
    rows.map(([name, value]) =>
      el(
        "div",
        {},
        el("dt", {}, visible(name.replace(/_/g, " "))),
        el(
          "dd",
          {},
          el("span", { class: value < 0 ? "meter less" : "meter", part: Math.abs(value) / most }),
          el("span", { class: "value" }, value.toFixed(2)),
        ),
      ),
    ),
  );
}
