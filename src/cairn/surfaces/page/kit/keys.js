// Keys: what is pressed, and the walk through what can be opened.

const SEQUENCE_MS = 1_200;
const TYPED = "input, textarea, select, [contenteditable]";
const ACTIVE = "a, button, summary";

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
