// A place follows its file: the line that it stood in, wherever that is now.

import { ask } from "../kit/api.js";

/**
 * The place in the file as it is now: the nearest line with the same text.
 * @param {import("./telling.js").Place} place @param {any} found what was answered about it @param {string | null} root
 * @param {AbortSignal} signal @returns {Promise<import("./telling.js").Place>}
 */
export async function followed(place, found, root, signal) {
  if (!place.path || !place.line || found.text === null) return place;
  const file = await ask("/v1/file", { file: place.path, root }, signal);
  const line = nearest(file.text.split("\n"), found.text, place.line);
  return line ? { ...place, line } : place;
}

/** @param {string[]} lines @param {string} text @param {number} line @returns {number} 0 where there is none */
export function nearest(lines, text, line) {
  let best = 0;
  lines.forEach((each, at) => {
    if (each === text && (!best || Math.abs(at + 1 - line) < Math.abs(best - line))) best = at + 1;
  });
  return best;
}
