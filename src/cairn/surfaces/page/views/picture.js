// A drawing as a picture that stands alone: no style sheet, no link, no letter that could be markup.

import { svg } from "../kit/dom.js";

/** @typedef {import("./window.js").Area} Area */

const SANS = "Inter, system-ui, sans-serif";
const MONO = "JetBrains Mono, ui-monospace, Menlo, Consolas, monospace";
/** The light colours: what a picture is put into is mostly paper. @type {[string, Record<string, string>][]} */
const LOOKS = [
  [".node rect", { fill: "#f7f6f3", stroke: "#dedad3", "stroke-width": "1.25" }],
  [".node.root rect", { fill: "#2a6a4f", stroke: "#2a6a4f" }],
  [".node.fold rect, .node.faint rect", { fill: "none", stroke: "#625e56", "stroke-dasharray": "3 4" }],
  [".label", { "font-family": MONO, "font-size": "13", "font-weight": "600", fill: "#24221e" }],
  [".under", { "font-family": SANS, "font-size": "11.5", fill: "#625e56" }],
  [".node.root text", { fill: "#ffffff" }],
  [".edge", { fill: "none", stroke: "#625e56", "stroke-width": "1.4" }],
  [".edge.likely", { "stroke-dasharray": "7 5" }],
  [".edge.name", { "stroke-dasharray": "1.5 5", "stroke-linecap": "round" }],
  [".edge.outside", { stroke: "#dedad3" }],
  [".arrow", { fill: "#625e56" }],
];
const KEPT = new Set(
  (
    "x y width height rx d transform viewBox id refX refY markerWidth markerHeight orient marker-end r " +
    "fill stroke stroke-width stroke-dasharray stroke-linecap font-family font-size font-weight"
  ).split(" "),
);

/** The text of the picture. @param {SVGSVGElement} canvas @param {Area} area @param {string} label */
export function standalone(canvas, area, label) {
  const drawn = /** @type {SVGSVGElement} */ (canvas.cloneNode(true));
  drawn.querySelectorAll(".opener").forEach((each) => each.remove());
  for (const [selector, values] of LOOKS) {
    for (const each of drawn.querySelectorAll(selector))
      for (const [name, value] of Object.entries(values)) each.setAttribute(name, value);
  }
  for (const each of drawn.querySelectorAll("a")) {
    const group = svg("g", { transform: each.getAttribute("transform") });
    group.append(...each.childNodes);
    each.replaceWith(group);
  }
  for (const each of drawn.querySelectorAll("*"))
    for (const { name } of [...each.attributes]) if (!KEPT.has(name)) each.removeAttribute(name);
  const { x, y, w, h } = area;
  const size = { viewBox: `${x} ${y} ${w} ${h}`, width: Math.round(w), height: Math.round(h) };
  const ground = svg("rect", { x, y, width: w, height: h, fill: "#ffffff" });
  const whole = svg("svg", size, svg("title", {}, label), ground, ...drawn.childNodes);
  return new XMLSerializer().serializeToString(whole);
}

/** Save the picture as a file. @param {SVGSVGElement} canvas @param {Area} area @param {string} label */
export function picture(canvas, area, label) {
  save(`${label.replace(/[^\p{L}\p{N}.-]+/gu, "-")}.svg`, standalone(canvas, area, label), "image/svg+xml");
}

/** @param {string} name @param {string} text @param {string} type */
function save(name, text, type) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
