// Snapshots over time as a small drawing: one point each, as high as it has chunks.

import { el, svg } from "./dom.js";
import { ago, count, grouped } from "./text.js";

const [WIDTH, HEIGHT, EDGE] = [640, 132, 10];

export function timeline(rows) {
  const points = [...rows].reverse();
  if (points.length < 2) return null;
  const most = Math.max(...points.map((each) => each.chunks), 1);
  const at = points.map((each, index) => [EDGE + (index * (WIDTH - 2 * EDGE)) / (points.length - 1), HEIGHT - EDGE - (each.chunks / most) * (HEIGHT - 3 * EDGE)]);
  const path = at.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(" ");
  const floor = HEIGHT - EDGE;
  const first = points[0];
  const last = points[points.length - 1];
  const told = `${count(points.length, "snapshot")}, from ${grouped(first.chunks)} to ${grouped(last.chunks)} chunks`;
  return el(
    "figure",
    { class: "chart" },
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": told },
      svg("path", { class: "floor", d: `M0 ${floor} H${WIDTH}` }),
      svg("path", { class: "area", d: `${path} L${at[at.length - 1][0]} ${floor} L${at[0][0]} ${floor} Z` }),
      svg("path", { class: "curve", d: path }),
      at.map(([x, y], index) => svg("circle", { cx: x, cy: y, r: index === at.length - 1 ? 4.5 : 3 }, svg("title", {}, `${grouped(points[index].chunks)} chunks, ${points[index].cause}, ${ago(points[index].created_at)}`))),
    ),
    el("figcaption", {}, told),
  );
}
