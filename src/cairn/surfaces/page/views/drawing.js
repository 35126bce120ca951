// A graph in columns, drawn: links to walk, lines as sure as they are, and a window over it that moves.

import { el, svg } from "../kit/dom.js";
import { visible } from "../kit/text.js";
import { picture } from "./picture.js";
import { around, Window } from "./window.js";

/** @typedef {import("./window.js").Point} Point */
/** @typedef {import("./window.js").Area} Area */

/**
 * @typedef {object} Node
 * @property {string} id
 * @property {number} column
 * @property {string} label
 * @property {string} under
 * @property {string} title what is said of it in words
 * @property {string} [href]
 * @property {boolean} [root]
 * @property {boolean} [faint]
 * @property {boolean} [fold] stands for several nodes, which a click draws
 * @property {boolean} [opens] whether a step around it can be added
 */
/** @typedef {{source: string, target: string, tier: string, title?: string}} Edge */

/**
 * What a drawing does beside being looked at; without it a click on a node follows its link.
 * @typedef {object} Doing
 * @property {(id: string) => void} [pick] a node was clicked
 * @property {(id: string) => void} [go] a node was clicked twice, or Enter pressed on it
 * @property {(id: string) => void} [open] the step around a node is wanted
 * @property {string | null} [picked] the node that is picked
 * @property {{seen?: Area}} [kept] carries what is seen from one drawing to the next
 */

const NARROW = matchMedia("(max-width: 559px)").matches;
const [WIDTH, HEIGHT, GAP_X, GAP_Y] = NARROW ? [150, 44, 44, 10] : [200, 44, 96, 10];
const INSIDE = WIDTH - 26;
const BESIDE = NARROW ? 24 : 84;
const LABEL = { size: 13, weight: 600, family: "--mono" };
const UNDER = { size: 11.5, weight: 400, family: "--sans" };
const STACKED = 40;

/** @param {Node[]} nodes @param {Edge[]} edges @param {string} label @param {Doing} doing */
export function drawing(nodes, edges, label, doing = {}) {
  const places = layout(nodes, edges);
  const boxes = nodes.map((node) => box(node, at(places, node.id), doing));
  const lines = edges.map((edge) => line(edge, places.get(edge.source), places.get(edge.target)));
  const head = { viewBox: "0 0 8 8", refX: "7.5", refY: "4", markerWidth: "7", markerHeight: "7" };
  const tip = svg("path", { class: "arrow", d: "M0 0.5 L8 4 L0 7.5 z" });
  const arrow = svg("marker", { id: "arrow", ...head, orient: "auto-start-reverse" }, tip);
  const canvas = /** @type {SVGSVGElement} */ (
    svg(
      "svg",
      { class: "canvas", role: "group", "aria-label": label, tabindex: "0" },
      svg("defs", {}, arrow),
      svg("g", { "aria-hidden": "true" }, lines),
      boxes,
    )
  );
  const area = around([...places.values()], WIDTH, HEIGHT, BESIDE);
  const root = nodes.find((node) => node.root);
  const window = new Window(canvas, area, root ? at(places, root.id) : { x: 0, y: 0 }, doing.kept ?? {});
  const button = (/** @type {string} */ text, /** @type {string} */ name, /** @type {() => void} */ act) =>
    el("button", { class: "icon", type: "button", "aria-label": name, title: name, on: { click: act } }, text);
  return el(
    "figure",
    { class: "drawing" },
    el(
      "div",
      { class: "tools" },
      button("+", "Zoom in", () => window.zoom(0.8)),
      button("−", "Zoom out", () => window.zoom(1.25)),
      button("⤢", "See all", () => window.all()),
      button("⤓", "Save as SVG", () => picture(canvas, area, label)),
    ),
    canvas,
  );
}

/** @param {Map<string, Point>} places @param {string} id @returns {Point} */
function at(places, id) {
  return places.get(id) ?? { x: 0, y: 0 };
}

/**
 * Columns side by side; in each, nodes stand near the middle of what they are tied to. A long column is broken into
 * several, away from the middle.
 * @param {Node[]} nodes @param {Edge[]} edges @returns {Map<string, Point>}
 */
function layout(nodes, edges) {
  /** @type {Map<number, Node[]>} */
  const columns = new Map();
  for (const node of nodes) columns.set(node.column, [...(columns.get(node.column) ?? []), node]);
  /** @type {Map<string, string[]>} */
  const tied = new Map();
  for (const { source, target } of edges) {
    tied.set(source, [...(tied.get(source) ?? []), target]);
    tied.set(target, [...(tied.get(target) ?? []), source]);
  }
  /** @type {Map<string, Point>} */
  const places = new Map();
  const step = WIDTH + GAP_X;
  const shift = { "-1": 0, 1: 0 };
  for (const number of [...columns.keys()].sort((a, b) => Math.abs(a) - Math.abs(b) || a - b)) {
    const sign = number < 0 ? "-1" : "1";
    const middle = (/** @type {Node} */ node) => {
      const ys = (tied.get(node.id) ?? []).flatMap((id) => places.get(id)?.y ?? []);
      return ys.length ? ys.reduce((sum, y) => sum + y, 0) / ys.length : 0;
    };
    const rows = (columns.get(number) ?? []).map((node, order) => ({ node, order, y: middle(node) }));
    rows.sort((a, b) => a.y - b.y || a.order - b.order);
    const parts = Math.ceil(rows.length / STACKED);
    for (let part = 0; part < parts; part += 1) {
      const some = rows.slice(part * STACKED, (part + 1) * STACKED);
      const x = number * step + (shift[sign] + part * step) * Number(sign);
      const centre = some.reduce((sum, { y }) => sum + y, 0) / some.length;
      const top = centre - ((some.length - 1) * (HEIGHT + GAP_Y)) / 2;
      some.forEach(({ node }, row) => places.set(node.id, { x, y: top + row * (HEIGHT + GAP_Y) }));
    }
    if (number) shift[sign] += (parts - 1) * step;
  }
  return places;
}

/** @param {Node} node @param {Point} place @param {Doing} doing */
function box(node, place, doing) {
  const parts = [
    svg("title", {}, visible(node.title)),
    svg("rect", { width: WIDTH, height: HEIGHT, rx: 8 }),
    svg("text", { class: "label", x: 13, y: 19 }, fitted(visible(node.label), LABEL, false)),
    svg("text", { class: "under", x: 13, y: 35 }, fitted(visible(node.under), UNDER, !node.fold)),
  ];
  const where = { transform: `translate(${place.x - WIDTH / 2} ${place.y - HEIGHT / 2})`, "data-id": node.id };
  const marks = { root: node.root, faint: node.faint, fold: node.fold, picked: doing.picked === node.id };
  const kind = ["node", ...Object.entries(marks).flatMap(([name, is]) => (is ? [name] : []))].join(" ");
  if (!node.href && !node.fold)
    return svg("g", { ...where, class: kind, role: "img", "aria-label": visible(node.title) }, parts);
  if (node.fold) return pressable(svg("g", { ...where, class: kind, ...button(node.title) }, parts), doing.pick, node);
  const on = doing.pick ? heard(node, doing) : {};
  const link = svg("a", { ...where, class: kind, href: node.href, "data-item": true, on }, parts);
  return node.opens && doing.open ? [link, opener(node, place, doing.open)] : link;
}

/** A click picks, a second one or Enter goes there; with a key held the browser does what it always does. */
function heard(/** @type {Node} */ node, /** @type {Doing} */ doing) {
  return {
    click: (/** @type {MouseEvent} */ event) => {
      // Enter on a link comes as a click without a finger on it.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.detail === 0) return;
      event.preventDefault();
      if (event.detail > 1) doing.go?.(node.id);
      else doing.pick?.(node.id);
    },
    keydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== " " && event.key !== "e") return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === " ") doing.pick?.(node.id);
      else if (node.opens) doing.open?.(node.id);
    },
  };
}

/** @param {string} title */
function button(title) {
  return { role: "button", tabindex: "0", "aria-label": visible(title) };
}

/** @param {Element} element @param {((id: string) => void) | undefined} act @param {Node} node */
function pressable(element, act, node) {
  element.addEventListener("click", () => act?.(node.id));
  element.addEventListener("keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event);
    if (key !== "Enter" && key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act?.(node.id);
  });
  return element;
}

/** A round button at the edge of a node, which adds the step around it. */
function opener(/** @type {Node} */ node, /** @type {Point} */ place, /** @type {(id: string) => void} */ open) {
  const x = place.x + (node.column < 0 ? -WIDTH / 2 : WIDTH / 2);
  const parts = [svg("circle", { r: 12 }), svg("path", { d: "M-4.5 0 H4.5 M0 -4.5 V4.5" })];
  const named = button(`Add a step around ${node.label}`);
  return pressable(svg("g", { class: "opener", transform: `translate(${x} ${place.y})`, ...named }, parts), open, node);
}

/** @param {Edge} edge @param {Point} [from] @param {Point} [to] */
function line(edge, from, to) {
  if (!from || !to) return null;
  const title = svg("title", {}, visible(edge.title ?? ""));
  const kind = `edge ${/^[a-z]+$/.test(edge.tier ?? "") ? edge.tier : "outside"}`;
  const drawn = (/** @type {string} */ d) => svg("path", { class: kind, "marker-end": "url(#arrow)", d }, title);
  if (from === to) return drawn(`M${from.x + WIDTH / 2} ${from.y - 8} c34 -22 34 38 0 16`);
  const back = to.x <= from.x;
  const x1 = from.x + (back && to.x < from.x ? -WIDTH / 2 : WIDTH / 2);
  const x2 = to.x + (back ? WIDTH / 2 : -WIDTH / 2);
  const pull = from.x === to.x ? 70 : (x2 - x1) / 2;
  const turn = from.x === to.x ? x2 + pull : x2 - pull;
  return drawn(`M${x1} ${from.y} C${x1 + pull} ${from.y} ${turn} ${to.y} ${x2} ${to.y}`);
}

const ruler = document.createElement("canvas").getContext("2d");

/** As much of a text as fits into a node, measured in its own letters. */
function fitted(/** @type {string} */ text, /** @type {typeof LABEL} */ font, /** @type {boolean} */ fromEnd) {
  if (!ruler) return text.slice(0, 20);
  const family = getComputedStyle(document.documentElement).getPropertyValue(font.family);
  ruler.font = `${font.weight} ${font.size}px ${family}`;
  const wide = (/** @type {string} */ some) => ruler.measureText(some).width > INSIDE;
  if (!wide(text)) return text;
  const part = (/** @type {number} */ count) =>
    fromEnd ? `…${text.slice(text.length - count)}` : `${text.slice(0, count)}…`;
  let [least, most] = [0, Math.min(text.length, 80)];
  while (least < most) {
    const half = Math.ceil((least + most) / 2);
    if (wide(part(half))) most = half - 1;
    else least = half;
  }
  return part(least);
}

/** What the kinds of lines mean. */
export function legend() {
  const sample = (/** @type {string} */ kind) =>
    svg("svg", { width: 34, height: 10, "aria-hidden": "true" }, svg("path", { class: `edge ${kind}`, d: "M1 5 H33" }));
  return el(
    "p",
    { class: "legend" },
    [
      ["proven", "proven or semantic"],
      ["likely", "likely"],
      ["name", "by name only"],
    ].map(([kind, text]) => el("span", {}, sample(kind), " ", text)),
  );
}
