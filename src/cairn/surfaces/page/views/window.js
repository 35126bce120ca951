// What of a drawing is seen: it moves by dragging, wheel and keys, and begins where it can be read.

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, w: number, h: number}} Area */

const MARGIN = 24;
const MOST = 1.4;

export class Window {
  /**
   * `area` holds all of the drawing, `middle` what is seen first; `kept` carries what was seen to a later drawing.
   * @param {SVGSVGElement} canvas @param {Area} area @param {Point} middle @param {{seen?: Area}} kept
   */
  constructor(canvas, area, middle, kept) {
    this.canvas = canvas;
    this.area = area;
    this.middle = middle;
    this.kept = kept;
    /** @type {Area | null} */
    this.seen = null;
    /** @type {Map<number, PointerEvent>} */
    this.fingers = new Map();
    this.dragged = false;
    canvas.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.fingers.delete(event.pointerId));
    canvas.addEventListener("pointercancel", (event) => this.fingers.delete(event.pointerId));
    canvas.addEventListener("keydown", (event) => this.keyed(event));
    canvas.addEventListener("focusin", (event) => this.focused(event));
    canvas.addEventListener("click", (event) => this.dragged && stopped(event), true);
    new ResizeObserver(() => this.seen || this.begin()).observe(canvas);
  }

  /** Readable first: at the size that letters were made for, everything if it fits, else what is around the middle. */
  begin() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    if (this.kept.seen) {
      const { x, y, w } = this.kept.seen;
      this.see({ x, y, w, h: (w * height) / width });
      return;
    }
    const { x, y, w, h } = this.area;
    this.see({
      x: (w <= width ? x + w / 2 : this.middle.x) - width / 2,
      y: (h <= height ? y + h / 2 : this.middle.y) - height / 2,
      w: width,
      h: height,
    });
  }

  all() {
    const { x, y, w, h } = this.area;
    const scale = Math.min(MOST, this.canvas.clientWidth / w, this.canvas.clientHeight / h);
    const [width, height] = [this.canvas.clientWidth / scale, this.canvas.clientHeight / scale];
    this.see({ x: x + w / 2 - width / 2, y: y + h / 2 - height / 2, w: width, h: height });
  }

  /** @param {number} by @param {Point} at */
  zoom(by, at = { x: 0.5, y: 0.5 }) {
    if (!this.seen) return;
    const { x, y, w, h } = this.seen;
    const factor = Math.min(Math.max(by, 200 / w), 20_000 / w);
    this.see({ x: x + w * at.x * (1 - factor), y: y + h * at.y * (1 - factor), w: w * factor, h: h * factor });
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    if (!this.seen) return;
    const scale = this.seen.w / this.canvas.clientWidth;
    this.see({ ...this.seen, x: this.seen.x + dx * scale, y: this.seen.y + dy * scale });
  }

  /** @param {Area} area */
  see(area) {
    this.seen = area;
    this.kept.seen = area;
    this.canvas.setAttribute("viewBox", `${area.x} ${area.y} ${area.w} ${area.h}`);
  }

  /** @param {MouseEvent} event @returns {Point} */
  where(event) {
    const area = this.canvas.getBoundingClientRect();
    return { x: (event.clientX - area.left) / area.width, y: (event.clientY - area.top) / area.height };
  }

  /** @param {WheelEvent} event */
  wheeled(event) {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey)
      this.zoom(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) / 100), this.where(event));
    else this.pan(event.deltaX, event.deltaY);
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    this.fingers.set(event.pointerId, event);
    this.dragged = false;
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    if (!this.dragged && Math.hypot(dx, dy) < 4) return;
    if (!this.dragged) this.canvas.setPointerCapture(event.pointerId);
    this.dragged = true;
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (/** @type {PointerEvent} */ one) =>
        Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      this.zoom(apart(before) / apart(event), this.where(other));
    } else {
      this.pan(-dx, -dy);
    }
    this.fingers.set(event.pointerId, event);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    /** @type {Record<string, [number, number]>} */
    const moves = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) this.pan(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(0.8);
    else if (event.key === "-") this.zoom(1.25);
    else if (event.key === "0") this.all();
    else return;
    event.preventDefault();
  }

  /** A node that has the focus is seen. @param {FocusEvent} event */
  focused(event) {
    const node = event.target instanceof Element ? event.target.closest(".node, .opener") : null;
    if (!node || !this.seen || this.fingers.size) return;
    const [area, box] = [this.canvas.getBoundingClientRect(), node.getBoundingClientRect()];
    const dx = beyond(box.left - area.left, box.right - area.right);
    const dy = beyond(box.top - area.top, box.bottom - area.bottom);
    if (dx || dy) this.pan(dx, dy);
  }
}

/** How far to move for what lies before or behind. @param {number} before @param {number} behind */
function beyond(before, behind) {
  return before < 0 ? before - 16 : behind > 0 ? behind + 16 : 0;
}

/** @param {Event} event */
function stopped(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** @param {Point[]} places @param {number} width @param {number} height @param {number} beside @returns {Area} */
export function around(places, width, height, beside) {
  const xs = places.map((each) => each.x);
  const ys = places.map((each) => each.y);
  const [x, y] = [Math.min(...xs) - width / 2 - MARGIN, Math.min(...ys) - height / 2 - MARGIN];
  return {
    x,
    y,
    w: Math.max(...xs) + width / 2 + beside - x,
    h: Math.max(...ys) + height / 2 + MARGIN - y,
  };
}
