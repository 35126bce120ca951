// Snapshots over time as a small drawing: one point each, between the fewest chunks and the most.

import { el, svg } from "../kit/dom.js";
import { ago, count, grouped } from "../kit/text.js";

const NARROW = matchMedia("(max-width: 559px)").matches;
const [WIDTH, HEIGHT, LEFT, EDGE] = [640, NARROW ? 160 : 96, NARROW ? 100 : 64, 14];

/** @param {any[]} rows */
export function timeline(rows) {
  const points = [...rows].reverse();
  if (points.length < 2) return null;
  const chunks = points.map((each) => each.chunks);
  const [fewest, most] = [Math.min(...chunks), Math.max(...chunks)];
  const level = (/** @type {number} */ number) =>
    most === fewest ? HEIGHT / 2 : HEIGHT - EDGE - ((number - fewest) / (most - fewest)) * (HEIGHT - 2 * EDGE);
  const at = points.map((each, index) => [
    LEFT + (index * (WIDTH - LEFT - EDGE)) / (points.length - 1),
    level(each.chunks),
  ]);
  // A snapshot stands until the next one, so the line goes on level and then steps.
  const path = at
    .map(([x, y], index) => (index ? `H${x.toFixed(1)} V${y.toFixed(1)}` : `M${x} ${y.toFixed(1)}`))
    .join(" ");
  const [first, last] = [chunks[0], chunks[chunks.length - 1]];
  const told = `${count(points.length, "snapshot")}, from ${grouped(first)} to ${grouped(last)} chunks`;
  const grid = (/** @type {number} */ number) => [
    svg("path", { class: "floor", d: `M${LEFT - 8} ${level(number)} H${WIDTH}` }),
    svg("text", { x: LEFT - 16, y: level(number) + 4 }, grouped(number)),
  ];
  return el(
    "figure",
    { class: "chart" },
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": told },
      [...new Set([fewest, most])].map(grid),
      svg("path", { class: "curve", d: path }),
      at.map(([x, y], index) =>
        svg(
          "circle",
          { cx: x, cy: y, r: index === at.length - 1 ? 4.5 : 3 },
          svg(
            "title",
            {},
            `${grouped(chunks[index])} chunks, ${points[index].cause}, ${ago(points[index].created_at)}`,
          ),
        ),
      ),
    ),
    el("figcaption", {}, told),
  );
}
