// The panes beside the code: filled by whoever shows a view, folded, widened, and walked through by keys. How wide they
// are is remembered. Below 900 px they are drawers over the main pane.

import { el, fill } from "../kit/dom.js";

const KEPT = "cairn-panes";
const LEAST = 176;
const STEP = 24;
const FOCUSABLE = "a[href], button, input, select, [tabindex='0'], [aria-current='true']";
const narrow = matchMedia("(max-width: 899px)");

/** @typedef {"left" | "right"} Side */
/** @type {{left?: number, right?: number, folded: Side[]}} */
const kept = { folded: [], ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
/** @type {Map<Element, HTMLElement>} */
const lastIn = new Map();
/** @type {Set<Side>} */
const opened = new Set();

/** A section of the left pane, or the right pane itself. */
export class Pane {
  /** @param {string} id */
  constructor(id) {
    this.element = /** @type {HTMLElement} */ (document.getElementById(id));
  }

  /** @param {...(Node | string | null | undefined | false)} children */
  show(...children) {
    fill(this.element, ...children);
    this.reveal();
  }

  /** Be there again with what it holds. */
  reveal() {
    this.element.hidden = false;
    if (this.element.id === "right") {
      opened.add("right");
      kept.folded = kept.folded.filter((each) => each !== "right");
    }
    arrange();
  }

  hide() {
    this.element.replaceChildren();
    this.element.hidden = true;
    opened.delete("right");
    arrange();
  }

  get isShown() {
    return !this.element.hidden;
  }
}

/** @param {Side} side */
function element(side) {
  return /** @type {HTMLElement} */ (document.getElementById(side));
}

/** Whether a pane has something to show. @param {Side} side */
function isFilled(side) {
  const pane = element(side);
  return side === "right" ? !pane.hidden : [...pane.children].some((each) => !each.hasAttribute("hidden"));
}

/** What is there, and how wide. */
function arrange() {
  for (const side of /** @type {Side[]} */ (["left", "right"])) {
    const pane = element(side);
    const isThere = isFilled(side);
    if (side === "left") pane.hidden = !isThere;
    const isOpen = isThere && (narrow.matches ? opened.has(side) : !kept.folded.includes(side));
    pane.classList.toggle("folded", !isOpen);
    const grip = /** @type {HTMLElement} */ (document.getElementById(`${side}-grip`));
    grip.hidden = !isOpen || narrow.matches;
    const width = kept[side];
    if (width) document.documentElement.style.setProperty(`--${side}`, `${width}px`);
    grip.setAttribute("aria-valuenow", String(Math.round(pane.getBoundingClientRect().width || width || 0)));
    grip.setAttribute("aria-valuemax", String(most()));
    const button = /** @type {HTMLElement} */ (document.getElementById(`${side}-open`));
    button.hidden = !isThere;
    button.setAttribute("aria-expanded", String(isOpen));
  }
  document.body.classList.toggle("with-drawer", narrow.matches && opened.size > 0);
}

function most() {
  return Math.max(LEAST, Math.round(innerWidth * 0.45));
}

function keep() {
  localStorage.setItem(KEPT, JSON.stringify(kept));
}

/** Fold a pane, or show it again. @param {Side} side */
export function fold(side) {
  if (!isFilled(side)) return false;
  if (narrow.matches) {
    if (opened.delete(side)) focusMain();
    else {
      opened.clear();
      opened.add(side);
    }
  } else if (kept.folded.includes(side)) {
    kept.folded = kept.folded.filter((each) => each !== side);
  } else {
    if (element(side).contains(document.activeElement)) focusMain();
    kept.folded.push(side);
  }
  keep();
  arrange();
  if (narrow.matches && opened.has(side)) enter(element(side));
  return true;
}

/** On a narrow window what was chosen in a drawer is looked at behind it. */
export function closeDrawers() {
  if (!narrow.matches || !opened.delete("left")) return;
  arrange();
}

function focusMain() {
  element(/** @type {Side} */ ("main")).focus({ preventScroll: true });
}

/** The pane that holds an element; the main one where none of those beside it does. @param {Element | null} found */
export function paneOf(found) {
  return /** @type {HTMLElement} */ (found?.closest("#left, #right") ?? document.getElementById("main"));
}

/** To the next pane that is there, or the one before. @param {number} by */
export function round(by) {
  const ids = ["query", "left", "main", "right"];
  const panes = ids.map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
  const there = panes.filter((each) => each.getClientRects().length && !each.classList.contains("folded"));
  const active = document.activeElement;
  const now = there.findIndex((each) => each === active || each.contains(active));
  const next = there[(Math.max(now, 0) + by + there.length) % there.length];
  enter(next);
}

/** Where one was in a pane, else what one would begin with. @param {HTMLElement} pane */
function enter(pane) {
  const last = lastIn.get(pane);
  const first = /** @type {HTMLElement[]} */ ([
    ...pane.querySelectorAll("[aria-current='true'], [role='treeitem'][tabindex='0']"),
    ...pane.querySelectorAll(FOCUSABLE),
  ]).find((each) => each.getClientRects().length);
  const target = last && pane.contains(last) && last.getClientRects().length ? last : pane.id === "main" ? pane : first;
  (target ?? pane).focus({ preventScroll: true });
}

/** @param {Side} side */
function grip(side) {
  const found = element(/** @type {Side} */ (`${side}-grip`));
  const pane = element(side);
  const sign = side === "left" ? 1 : -1;
  /** @param {number} width */
  const widen = (width) => {
    kept[side] = Math.round(Math.min(most(), Math.max(LEAST, width)));
    arrange();
  };
  found.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    found.setPointerCapture(event.pointerId);
    const [from, width] = [event.clientX, pane.getBoundingClientRect().width];
    const move = (/** @type {PointerEvent} */ now) => widen(width + sign * (now.clientX - from));
    found.addEventListener("pointermove", move);
    found.addEventListener(
      "lostpointercapture",
      () => {
        found.removeEventListener("pointermove", move);
        keep();
      },
      { once: true },
    );
  });
  found.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    const width = pane.getBoundingClientRect().width;
    if (by) widen(width + sign * by);
    else if (event.key === "Home") widen(LEAST);
    else if (event.key === "End") widen(most());
    else return;
    event.preventDefault();
    event.stopPropagation();
    keep();
  });
  found.addEventListener("dblclick", () => {
    delete kept[side];
    document.documentElement.style.removeProperty(`--${side}`);
    keep();
    arrange();
  });
  document.getElementById(`${side}-open`)?.addEventListener("click", () => fold(side));
}

/** @param {HTMLElement} main */
export function startPanes(main) {
  grip("left");
  grip("right");
  narrow.addEventListener("change", arrange);
  window.addEventListener("hashchange", () => {
    // What was chosen in a drawer is seen behind it.
    if (narrow.matches && opened.size) {
      opened.clear();
      arrange();
    }
  });
  const shade = el("div", { class: "shade", on: { click: () => (opened.clear(), arrange()) } });
  document.body.append(shade);
  document.addEventListener("focusin", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const pane = target.closest("#left, #right, #main");
    if (pane && target !== pane) lastIn.set(pane, target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !narrow.matches || !opened.has("left")) return;
    opened.clear();
    arrange();
    main.focus({ preventScroll: true });
  });
  arrange();
}
