// Files that the index leaves out for their size or kind: they stand among the others all the same, with the reason.

import { ask } from "./api.js";

/** @typedef {{name: string, files: number, is_folder: boolean, reason: string}} Entry */

const SHOWN = 50;
const IN_WORDS = /** @type {Record<string, string>} */ ({
  binary: "binary",
  encoding: "not UTF-8",
  out_of_root: "leads out of the root",
  secret: "a secret",
  special_file: "no plain file",
  symlink_loop: "a link in a circle",
  too_large: "too large",
  too_many_chunks: "too large",
  unreadable: "can't be read",
  unsupported: "no text",
});

/** The first one has the whole tree looked at, so they wait for each other. @type {Promise<unknown>} */
let last = Promise.resolve();

/** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
function inTurn(work) {
  const found = last.then(work);
  last = found.catch(() => null);
  return found;
}

/** Why a file is left out, in words. @param {string} reason */
export function why(reason) {
  return IN_WORDS[reason] ?? reason;
}

/**
 * What lies in a folder and is left out; nothing where that can't be had, since the others are shown without it.
 * @param {string | null} root @param {string} folder @param {AbortSignal} signal @returns {Promise<Entry[]>}
 */
export async function leftOutIn(root, folder, signal) {
  try {
    const found = await inTurn(() => ask("/v1/tree", { root, folder, left_out: true }, signal));
    return found.entries;
  } catch {
    return [];
  }
}

/**
 * Those whose paths are like what was typed; none where that can't be had.
 * @param {string | null} root @param {string} typed @param {AbortSignal} signal
 * @returns {Promise<{path: string, reason: string}[]>}
 */
export async function leftOutLike(root, typed, signal) {
  try {
    const asked = { root, q: typed, limit: SHOWN, left_out: true };
    const found = await inTurn(() => ask("/v1/paths", asked, signal));
    return found.results.map((/** @type {string} */ path, /** @type {number} */ at) => ({
      path,
      reason: found.reasons[at],
    }));
  } catch {
    return [];
  }
}

/** What a folder holds, of both kinds, in one order. @param {Entry[]} indexed @param {Entry[]} others */
export function together(indexed, others) {
  const names = new Set(indexed.map((each) => each.name));
  const found = [...indexed, ...others.filter((each) => !names.has(each.name))];
  const order = (/** @type {Entry} */ each) => `${each.is_folder ? 0 : 1}${each.name.toLowerCase()}`;
  return others.length ? found.sort((a, b) => (order(a) < order(b) ? -1 : 1)) : found;
}
