// The code of one node beside the drawing: its head, and the lines by which it and its neighbours call each other.

import { pathLink, tier, trouble, waiting } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { count, visible } from "../kit/text.js";
import { excerpt } from "../code/lines.js";

/** @typedef {import("./model.js").Node} Node */
/** @typedef {import("./model.js").Graph} Graph */

const HEAD_LINES = 8;
const CALLS_SHOWN = 12;

/** Files as they are now, each asked for once a graph. */
export class Files {
  /** @param {any} here */
  constructor(here) {
    this.here = here;
    /** @type {Map<string, Promise<any>>} */
    this.asked = new Map();
  }

  /** @param {string} path */
  of(path) {
    const known = this.asked.get(path);
    if (known) return known;
    const found = ask("/v1/file", { file: path, root: this.here.root }, this.here.signal);
    this.asked.set(path, found);
    return found;
  }
}

/**
 * @param {HTMLElement} place @param {Node} node @param {Graph} graph @param {Files} files @param {any} here
 * @param {unknown[]} ways what may be done with the node
 */
export async function preview(place, node, graph, files, here, ways) {
  const body = el("div", {}, waiting("Reading…"));
  fill(
    place,
    el("h2", {}, el("bdi", {}, visible(node.name)), " ", el("span", { class: "kind" }, visible(node.kind))),
    el("p", {}, pathLink(here.root, node.path, node.line)),
    node.places.length
      ? el(
          "p",
          { class: "about" },
          "also said at ",
          node.places.flatMap((each) => [placeLink(here, each), " "]),
        )
      : null,
    el("p", { class: "ways-on" }, ways),
    body,
  );
  try {
    fill(body, await head(node, files, here), await callsOf(node, graph, files, here));
  } catch (error) {
    if (!here.signal.aborted) fill(body, trouble(error));
  }
}

/** @param {any} here @param {string} said */
function placeLink(here, said) {
  const [, path, line] = /^(.*):(\d+)$/s.exec(said) ?? ["", said, "1"];
  return el("a", { href: fileLink(here.root, path, Number(line)) }, visible(said));
}

/** @param {Node} node @param {Files} files @param {any} here */
async function head(node, files, here) {
  const file = await files.of(node.path);
  const last = Math.min(node.end_line || node.line, node.line + HEAD_LINES - 1);
  return code(file, node.line, last, here, `Head of ${node.name}`);
}

/** @param {any} file @param {number} first @param {number} last @param {any} here @param {string} label */
function code(file, first, last, here, label) {
  const text = file.text
    .split("\n")
    .slice(first - 1, last)
    .join("\n");
  const rows = excerpt({ root: here.root, path: file.path, language: file.language, text, first });
  return el("pre", { class: "code", tabindex: "0", role: "region", "aria-label": visible(label) }, rows);
}

/** @param {Node} node @param {Graph} graph @param {Files} files @param {any} here */
async function callsOf(node, graph, files, here) {
  const calls = [...graph.calls.values()].filter((call) => call.source === node.id || call.target === node.id);
  const nearest = (/** @type {{source: string, target: string}} */ call) =>
    graph.roots.has(call.source) || graph.roots.has(call.target) ? 0 : 1;
  calls.sort((a, b) => nearest(a) - nearest(b));
  const rows = [];
  for (const call of calls.slice(0, CALLS_SHOWN)) {
    const [source, target] = [graph.nodes.get(call.source), graph.nodes.get(call.target)];
    if (!source || !target) continue;
    const file = await files.of(source.path);
    const said = source.id === node.id ? `calls ${target.name}` : `called by ${source.name}`;
    rows.push(
      el(
        "li",
        {},
        el("p", {}, visible(said), " ", tier(call.tier, call.dispatch)),
        call.lines.slice(0, 3).map((line) => code(file, line, line, here, `${said}, line ${line}`)),
        call.lines.length > 3 ? el("p", { class: "about" }, `and ${count(call.lines.length - 3, "line")} more`) : null,
      ),
    );
  }
  return [
    rows.length ? el("ul", { class: "calling", "aria-label": "Calling lines" }, rows) : null,
    calls.length > CALLS_SHOWN
      ? el("p", { class: "about" }, `${count(calls.length - CALLS_SHOWN, "more call")} in the list below.`)
      : null,
  ];
}
