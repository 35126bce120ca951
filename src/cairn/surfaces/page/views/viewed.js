// Which files of a change were seen: kept by their content, so that a further edit takes the mark away.

const KEPT = "cairn-viewed";
const MOST = 3_000;

/** @returns {Record<string, number>} */
function all() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {string} digest */
export function isViewed(digest) {
  return Boolean(digest) && digest in all();
}

/** @param {string} digest @param {boolean} is */
export function setViewed(digest, is) {
  const kept = all();
  delete kept[digest];
  const rows = Object.entries(kept).slice(is ? 1 - MOST : -MOST);
  if (is) rows.push([digest, Date.now()]);
  localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(rows)));
}
