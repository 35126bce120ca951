// Keys: one table, so that what `?` shows is what they do.

import { el, fill } from "./dom.js";

const SEQUENCE_MS = 1_200;
const TYPED = "input, textarea, select, [contenteditable]";
const ACTIVE = "a, button, summary";

export const KEYS = [
  ["/", "search"],
  ["j", "next result, place or line"],
  ["k", "the one before"],
  ["Enter", "open it"],
  ["Esc", "close, or leave the search field"],
  ["h l", "name before, next name (in a file)"],
  ["g d", "definitions of the name"],
  ["g r", "references to the name"],
  ["g c", "call graph of the name"],
  ["g i", "imports of the file"],
  ["Alt-1 Alt-4", "search by words, exact text, expression, name"],
  ["m o", "show more, tell of the definition (in a search)"],
  ["x X w", "check the place, its file, to the button (in a rename)"],
  ["n p", "next change, the one before (in the changes)"],
  ["e", "add a step around the node (in the call graph)"],
  ["g s", "to the search"],
  ["g m", "to the map"],
  ["g h", "to the dashboard"],
  ["t", "light or dark"],
  ["?", "these keys"],
];

/** Hear keys and call what `doing` has for them: a name like "j" or "g d". */
export function hear(doing) {
  let first = "";
  let at = 0;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest?.(TYPED);
    if (event.key === "Escape") return void doing("Esc", event);
    if (typing || document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && event.target.closest?.(ACTIVE)) return;
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

/** Move the focus to the next or former of what can be opened. */
export function step(main, by) {
  const items = [...main.querySelectorAll("[data-item]")].filter((each) => each.getClientRects().length);
  if (!items.length) return false;
  const now = items.findIndex(
    (each) => each === document.activeElement || each.closest(".hit")?.contains(document.activeElement),
  );
  const next = items[now < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, now + by))];
  next.focus({ preventScroll: true });
  (next.closest(".hit") ?? next).scrollIntoView({ block: "nearest" });
  return true;
}

/** Show what the keys do. */
export function showKeys(dialog) {
  const close = () => dialog.close();
  fill(
    dialog,
    el("h2", { id: "keys-title" }, "Keys"),
    el(
      "dl",
      {},
      KEYS.map(([keys, text]) =>
        el(
          "div",
          {},
          el(
            "dt",
            {},
            keys.split(" ").map((key) => [el("kbd", {}, key), " "]),
          ),
          el("dd", {}, text),
        ),
      ),
    ),
    el(
      "p",
      {},
      "In a drawing: drag or arrow keys to move, ",
      el("kbd", {}, "+"),
      " and ",
      el("kbd", {}, "-"),
      " to zoom, ",
      el("kbd", {}, "0"),
      " to see all, Tab and Enter to walk.",
    ),
    el("button", { type: "button", autofocus: true, on: { click: close } }, "Close"),
  );
  dialog.showModal();
}
