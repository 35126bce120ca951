// Keys: one table, so that what `?` shows is what they do.

import { el, fill } from "./dom.js";

const SEQUENCE_MS = 1_200;
const TYPED = "input, textarea, select, [contenteditable]";
const ACTIVE = "a, button, summary";
const DRAWINGS = ["calls", "imports"];

/** What keys do, by where one is: `at` names views, and is left out for what works everywhere. */
/** @type {{title: string, at?: string[], keys: [keys: string, text: string][]}[]} */
const TABLE = [
  {
    title: "In this file",
    at: ["file"],
    keys: [
      ["j k", "next line, the line before"],
      ["l h", "next name, the name before"],
      ["Enter", "about the name"],
      ["g d", "its definition"],
      ["g r", "its references"],
      ["g c", "its callers and callees"],
      ["g t", "its tests"],
      ["g i", "what implements or overrides it"],
    ],
  },
  {
    title: "In this search",
    at: ["search"],
    keys: [
      ["Alt-1 Alt-4", "by words, exact text, expression, name"],
      ["m", "show more"],
      ["o", "tell of the definition"],
    ],
  },
  {
    title: "In this rename",
    at: ["rename"],
    keys: [
      ["x X", "check the place, all of its file"],
      ["w", "to the button"],
    ],
  },
  {
    title: "In the changes",
    at: ["changes"],
    keys: [["n p", "next change, the one before"]],
  },
  {
    title: "In this drawing",
    at: DRAWINGS,
    keys: [
      ["e", "add a step around the node"],
      ["+ -", "larger, smaller"],
      ["0", "see all of it"],
      ["Tab", "to the next box"],
    ],
  },
  {
    title: "In lists",
    keys: [
      ["j k", "next, the one before"],
      ["Enter", "open it"],
      ["Esc", "close, or leave a field"],
    ],
  },
  {
    title: "In the files",
    keys: [
      ["↑ ↓", "move"],
      ["→ ←", "open or close a folder"],
      ["Home End", "first, last"],
      ["a…z", "to what begins so"],
    ],
  },
  {
    title: "Everywhere",
    keys: [
      ["/", "search"],
      ["Ctrl-K", "files, symbols and commands (also Ctrl-P, Ctrl-T)"],
      ["F6", "to the next pane (also Ctrl-.)"],
      ["[ ]", "fold the left or the right pane"],
      ["g s", "to the search"],
      ["g v", "to the changes"],
      ["g m", "to the map"],
      ["g h", "to the dashboard"],
      ["t", "light or dark"],
      ["?", "these keys"],
    ],
  },
];

/**
 * Hear keys and call what `doing` has for them: a name like "j" or "g d".
 * @param {(key: string, event: KeyboardEvent) => unknown} doing
 */
export function hear(doing) {
  let first = "";
  let at = 0;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") return void doing("Esc", event);
    if (target.closest?.(TYPED)) return;
    if (event.key === "Enter" && target.closest?.(ACTIVE)) return;
    const recent = first && event.timeStamp - at < SEQUENCE_MS;
    const key = recent ? `${first} ${event.key}` : event.key;
    first = "";
    if (key === "g") {
      [first, at] = ["g", event.timeStamp];
    } else if (doing(key, event)) {
      event.preventDefault();
    }
  });
}

/** Move the focus to the next or former of what can be opened. @param {HTMLElement} pane @param {number} by */
export function step(pane, by) {
  const found = /** @type {HTMLElement[]} */ ([...pane.querySelectorAll("[data-item]")]);
  const items = found.filter((each) => each.getClientRects().length);
  if (!items.length) return false;
  const active = document.activeElement;
  const now = items.findIndex((each) => each === active || each.closest(".hit")?.contains(active));
  const next = items[now < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, now + by))];
  next.focus({ preventScroll: true });
  (next.closest(".hit") ?? next).scrollIntoView({ block: "nearest" });
  return true;
}

/** Show what the keys do where one is. @param {HTMLDialogElement} dialog @param {string} view */
export function showKeys(dialog, view) {
  const close = () => dialog.close();
  fill(
    dialog,
    el("h2", { id: "keys-title" }, "Keys"),
    TABLE.filter((each) => !each.at || each.at.includes(view)).map((each) =>
      el("section", {}, el("h3", {}, each.title), el("dl", {}, each.keys.map(entry))),
    ),
    el("button", { type: "button", autofocus: true, on: { click: close } }, "Close"),
  );
  dialog.showModal();
}

/** @param {[string, string]} row */
function entry([keys, text]) {
  const shown = keys.split(" ").map((key) => [el("kbd", {}, mac(key)), " "]);
  return el("div", {}, el("dt", {}, shown), el("dd", {}, text));
}

/** @param {string} key */
function mac(key) {
  return /Mac|iP/.test(navigator.platform) ? key.replace("Ctrl-", "⌘") : key;
}
