// Where lines of a text stand in a later one: what is the same at both ends, and between them what is there only once.

/** @param {string[]} before @param {string[]} now @returns {(line: number) => number} from a line to where it is now */
export function movedLines(before, now) {
  /** @type {Map<number, number>} */
  const found = new Map();
  let [first, last, end] = [0, before.length, now.length];
  while (first < last && first < end && before[first] === now[first]) found.set(first, first++);
  while (last > first && end > first && before[last - 1] === now[end - 1]) found.set(--last, --end);
  const places = once(now, first, end);
  let least = -1;
  for (const [text, at] of once(before, first, last)) {
    const place = places.get(text);
    if (place === undefined || place <= least) continue;
    found.set(at, place);
    least = place;
  }
  return (line) => {
    for (let up = line - 1; up >= 0; up -= 1) {
      const place = found.get(up);
      if (place !== undefined) return Math.min(now.length, place + line - up);
    }
    return Math.min(Math.max(1, line), Math.max(1, now.length));
  };
}

/**
 * Lines that are there once, with their places in order.
 * @param {string[]} lines @param {number} first @param {number} end
 */
function once(lines, first, end) {
  /** @type {Map<string, number>} */
  const found = new Map();
  const often = new Set();
  for (let at = first; at < end; at += 1) {
    if (found.has(lines[at])) often.add(lines[at]);
    found.set(lines[at], at);
  }
  for (const each of often) found.delete(each);
  return found;
}
