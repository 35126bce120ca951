// Where one was in each entry of the history: scroll places come back with Back and Forward, and survive a reload.

const KEPT = "cairn-scroll";
const MOST = 200;
const PATIENCE_MS = 3_000;

/** @type {Map<string, number>} */
const places = new Map(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]"));
let isMoving = true;
let ending = new AbortController();

/** The entry of the history that is shown. */
function entry() {
  const navigation = /** @type {any} */ (window).navigation;
  if (navigation) return String(navigation.currentEntry.key);
  if (!history.state?.entry) history.replaceState({ entry: Math.random().toString(36).slice(2) }, "");
  return String(history.state.entry);
}

/** What scrolls: the main pane, or the whole page where it is narrow. @param {HTMLElement} main */
function scroller(main) {
  return getComputedStyle(main).overflowY === "visible" ? /** @type {Element} */ (document.scrollingElement) : main;
}

/** @param {HTMLElement} main */
export function keepPlaces(main) {
  history.scrollRestoration = "manual";
  const note = () => {
    if (isMoving) return;
    places.delete(entry());
    places.set(entry(), scroller(main).scrollTop);
    for (const key of places.keys()) if (places.size > MOST) places.delete(key);
  };
  main.addEventListener("scroll", note, { passive: true });
  document.addEventListener("scroll", note, { passive: true });
  window.addEventListener("pagehide", () => sessionStorage.setItem(KEPT, JSON.stringify([...places])));
}

/** Another entry is about to be shown: what scrolls now is no place of it. */
export function leave() {
  isMoving = true;
  ending.abort();
}

/** Another question in the same entry starts at the top. @param {HTMLElement} main */
export function toTop(main) {
  places.delete(entry());
  scroller(main).scrollTop = 0;
}

/** Whether one has been in this entry before. */
export function wasHere() {
  return places.has(entry());
}

/** Go back to where one was in this entry, as soon as so much is there. @param {HTMLElement} main */
export function restore(main) {
  ending.abort();
  ending = new AbortController();
  const { signal } = ending;
  const wanted = places.get(entry());
  const area = scroller(main);
  const done = () => {
    ending.abort();
    seen.disconnect();
    isMoving = false;
  };
  const reach = () => {
    if (signal.aborted) return void seen.disconnect();
    area.scrollTop = wanted ?? 0;
    if (Math.abs(area.scrollTop - (wanted ?? 0)) < 2) done();
  };
  const seen = new ResizeObserver(reach);
  if (wanted === undefined) return done();
  reach();
  if (signal.aborted) return;
  for (const child of main.children) seen.observe(child);
  setTimeout(() => !signal.aborted && done(), PATIENCE_MS);
  // Whoever scrolls has chosen another place.
  for (const event of ["wheel", "touchmove", "keydown"]) area.addEventListener(event, done, { once: true, signal });
}
