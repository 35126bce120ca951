// A graph in columns, drawn: links to walk, lines as sure as they are, and a window over it that moves.

import { el, svg } from "../kit/dom.js";
import { visible } from "../kit/text.js";

const NARROW = matchMedia("(max-width: 559px)").matches;
const [WIDTH, HEIGHT, GAP_X, GAP_Y] = NARROW ? [150, 42, 40, 9] : [194, 42, 100, 9];
const LETTERS = NARROW ? 17 : 23;
const BESIDE = NARROW ? 24 : 84;
/* Room at the right, where the buttons are. */
const CLOSE = 56;
/* Of more than three columns, which would not be seen side by side otherwise. */
const SMALLEST = NARROW ? 0.55 : 0.62;

/** Nodes { id, column, label, under, title, href, root } and edges { source, target, tier, title } as a drawing with its buttons. */
export function drawing(nodes, edges, label) {
  const places = layout(nodes, edges);
  const boxes = nodes.map((node) => box(node, places.get(node.id)));
  const lines = edges.map((edge) => line(edge, places.get(edge.source), places.get(edge.target)));
  const arrow = svg(
    "marker",
    {
      id: "arrow",
      viewBox: "0 0 8 8",
      refX: "7.5",
      refY: "4",
      markerWidth: "7",
      markerHeight: "7",
      orient: "auto-start-reverse",
    },
    svg("path", { class: "arrow", d: "M0 0.5 L8 4 L0 7.5 z" }),
  );
  const canvas = svg(
    "svg",
    { class: "canvas", role: "group", "aria-label": label, tabindex: "0" },
    svg("defs", {}, arrow),
    svg("g", { "aria-hidden": "true" }, lines),
    boxes,
  );
  const window = new Window(canvas, [...places.values()], places.get(nodes.find((node) => node.root)?.id));
  const button = (text, name, act) =>
    el("button", { class: "icon", type: "button", "aria-label": name, on: { click: act } }, text);
  return el(
    "figure",
    { class: "drawing" },
    el(
      "div",
      { class: "tools" },
      button("+", "Zoom in", () => window.zoom(0.8)),
      button("−", "Zoom out", () => window.zoom(1.25)),
      button("⤢", "See all", () => window.all()),
    ),
    canvas,
  );
}

/** Columns side by side; in each, nodes stand near the middle of what they are tied to. */
function layout(nodes, edges) {
  const columns = new Map();
  for (const node of nodes) columns.set(node.column, [...(columns.get(node.column) ?? []), node]);
  const places = new Map();
  const step = WIDTH + (columns.size > 3 ? Math.min(CLOSE, GAP_X) : GAP_X);
  for (const number of [...columns.keys()].sort((a, b) => Math.abs(a) - Math.abs(b) || a - b)) {
    const tied = (node) => {
      const ends = edges
        .filter((edge) => edge.source === node.id || edge.target === node.id)
        .map((edge) => places.get(edge.source === node.id ? edge.target : edge.source)?.y)
        .filter((y) => y !== undefined);
      return ends.length ? ends.reduce((sum, y) => sum + y, 0) / ends.length : 0;
    };
    const rows = columns
      .get(number)
      .map((node, at) => [tied(node), at, node])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const top = -((rows.length - 1) * (HEIGHT + GAP_Y)) / 2;
    rows.forEach(([, , node], at) => places.set(node.id, { x: number * step, y: top + at * (HEIGHT + GAP_Y) }));
  }
  return places;
}

function box(node, place) {
  const parts = [
    svg("title", {}, visible(node.title)),
    svg("rect", { width: WIDTH, height: HEIGHT, rx: 8 }),
    svg("text", { class: "label", x: 12, y: 18 }, cut(visible(node.label), LETTERS)),
    svg("text", { class: "under", x: 12, y: 33 }, cutFront(visible(node.under), LETTERS + 6)),
  ];
  const at = { transform: `translate(${place.x - WIDTH / 2} ${place.y - HEIGHT / 2})` };
  const kind = `node${node.root ? " root" : ""}${node.faint ? " faint" : ""}`;
  if (!node.href) return svg("g", { ...at, class: kind, role: "img", "aria-label": visible(node.title) }, parts);
  return svg("a", { ...at, class: kind, href: node.href, "data-item": true }, parts);
}

function line(edge, from, to) {
  if (!from || !to) return null;
  const title = svg("title", {}, visible(edge.title ?? ""));
  const kind = `edge ${/^[a-z]+$/.test(edge.tier ?? "") ? edge.tier : "outside"}`;
  if (from === to) {
    const [x, y] = [from.x + WIDTH / 2, from.y];
    return svg("path", { class: kind, "marker-end": "url(#arrow)", d: `M${x} ${y - 8} c34 -22 34 38 0 16` }, title);
  }
  const back = to.x <= from.x;
  const [x1, x2] = [from.x + (back && to.x < from.x ? -WIDTH / 2 : WIDTH / 2), to.x + (back ? WIDTH / 2 : -WIDTH / 2)];
  const pull = from.x === to.x ? 70 : (x2 - x1) / 2;
  return svg(
    "path",
    {
      class: kind,
      "marker-end": "url(#arrow)",
      d: `M${x1} ${from.y} C${x1 + pull} ${from.y} ${from.x === to.x ? x2 + pull : x2 - pull} ${to.y} ${x2} ${to.y}`,
    },
    title,
  );
}

function cut(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function cutFront(text, length) {
  return text.length > length ? `…${text.slice(text.length - length + 1)}` : text;
}

/** What of a drawing is seen. */
class Window {
  constructor(canvas, places, middle) {
    this.canvas = canvas;
    this.places = places;
    this.middle = middle ?? { x: 0, y: 0 };
    this.fingers = new Map();
    const heard = {
      wheel: this.wheeled,
      pointerdown: this.pressed,
      pointermove: this.moved,
      pointerup: this.lifted,
      pointercancel: this.lifted,
      keydown: this.keyed,
      focusin: this.focused,
    };
    for (const [name, act] of Object.entries(heard))
      canvas.addEventListener(name, act.bind(this), name === "wheel" ? { passive: false } : undefined);
    canvas.addEventListener("click", (event) => this.dragged && event.preventDefault(), true);
    new ResizeObserver(() => this.seen || this.begin()).observe(canvas);
  }

  /** Readable first: everything if that can be read, else what is around the middle. */
  begin() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const [x, y, w, h] = this.bounds();
    const scale = Math.min(1.15, Math.max(SMALLEST, Math.min(width / w, height / h)));
    const fits = w * scale <= width;
    this.seen = {
      x: (fits ? x + w / 2 : this.middle.x) - width / scale / 2,
      y: (h * scale <= height ? y + h / 2 : this.middle.y) - height / scale / 2,
      w: width / scale,
      h: height / scale,
    };
    this.draw();
  }

  bounds() {
    const xs = this.places.map((each) => each.x);
    const ys = this.places.map((each) => each.y);
    const [left, top] = [Math.min(...xs) - WIDTH / 2 - 24, Math.min(...ys) - HEIGHT / 2 - 24];
    return [left, top, Math.max(...xs) + WIDTH / 2 + BESIDE - left, Math.max(...ys) + HEIGHT / 2 + 24 - top];
  }

  all() {
    const [x, y, w, h] = this.bounds();
    const scale = Math.min(1.4, this.canvas.clientWidth / w, this.canvas.clientHeight / h);
    const [width, height] = [this.canvas.clientWidth / scale, this.canvas.clientHeight / scale];
    this.seen = { x: x + w / 2 - width / 2, y: y + h / 2 - height / 2, w: width, h: height };
    this.draw();
  }

  zoom(by, at = { x: 0.5, y: 0.5 }) {
    const { x, y, w, h } = this.seen;
    const factor = Math.min(Math.max(by, 200 / w), 20_000 / w);
    this.seen = { x: x + w * at.x * (1 - factor), y: y + h * at.y * (1 - factor), w: w * factor, h: h * factor };
    this.draw();
  }

  pan(dx, dy) {
    const scale = this.seen.w / this.canvas.clientWidth;
    this.seen = { ...this.seen, x: this.seen.x + dx * scale, y: this.seen.y + dy * scale };
    this.draw();
  }

  draw() {
    const { x, y, w, h } = this.seen;
    this.canvas.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
  }

  where(event) {
    const area = this.canvas.getBoundingClientRect();
    return { x: (event.clientX - area.left) / area.width, y: (event.clientY - area.top) / area.height };
  }

  wheeled(event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey)
      this.zoom(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) / 100), this.where(event));
    else this.pan(event.deltaX, event.deltaY);
  }

  pressed(event) {
    this.fingers.set(event.pointerId, event);
    this.dragged = false;
  }

  moved(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    if (!this.dragged && Math.hypot(dx, dy) < 4) return;
    if (!this.dragged) this.canvas.setPointerCapture(event.pointerId);
    this.dragged = true;
    if (this.fingers.size === 2) {
      const other = [...this.fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      this.zoom(apart(before) / apart(event), this.where(other));
    } else {
      this.pan(-dx, -dy);
    }
    this.fingers.set(event.pointerId, event);
  }

  lifted(event) {
    this.fingers.delete(event.pointerId);
  }

  keyed(event) {
    const moves = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) this.pan(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(0.8);
    else if (event.key === "-") this.zoom(1.25);
    else if (event.key === "0") this.all();
    else return;
    event.preventDefault();
  }

  /** A node that has the focus is seen. */
  focused(event) {
    const node = event.target.closest("a.node");
    if (!node || !this.seen || this.fingers.size) return;
    const [area, box] = [this.canvas.getBoundingClientRect(), node.getBoundingClientRect()];
    const dx =
      box.left < area.left ? box.left - area.left - 16 : box.right > area.right ? box.right - area.right + 16 : 0;
    const dy =
      box.top < area.top ? box.top - area.top - 16 : box.bottom > area.bottom ? box.bottom - area.bottom + 16 : 0;
    if (dx || dy) this.pan(dx, dy);
  }
}

/** What the kinds of lines mean. */
export function legend() {
  const sample = (kind) =>
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
