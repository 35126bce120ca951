// What was opened lately, for each codebase: the palette begins with it.

const KEPT = "cairn-recent";
const MOST = 12;

/** @typedef {import("./palette.js").Item} Item */

/** @returns {Record<string, Item[]>} */
function all() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {}; // Nothing that is kept there is worth a trouble.
  }
}

/** @param {string | null} root */
export function recent(root) {
  return root ? (all()[root] ?? []) : [];
}

/** @param {string | null} root @param {Item} item */
export function remember(root, { text, detail, kind, address }) {
  if (!root || !address) return;
  const kept = all();
  const others = (kept[root] ?? []).filter((each) => each.address !== address);
  kept[root] = [{ text, detail, kind, address }, ...others].slice(0, MOST);
  localStorage.setItem(KEPT, JSON.stringify(kept));
}
