// How soon to ask while somebody types: the first key at once, the next ones no sooner than answers come.

const REST_MS = 400;
const [LEAST_MS, MOST_MS] = [15, 180];
let took = LEAST_MS;
let pressed = 0;

/** An answer took so long. @param {number} milliseconds */
export function answered(milliseconds) {
  took += (milliseconds - took) / 2;
}

/** How long to wait behind a key that was pressed now. */
export function pause() {
  const rest = performance.now() - pressed;
  pressed += rest;
  return rest > REST_MS ? 0 : Math.min(MOST_MS, Math.max(LEAST_MS, took));
}
