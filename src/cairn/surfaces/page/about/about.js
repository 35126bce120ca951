// The right pane: what is known about a name.

import { Telling } from "./telling.js";

/** @type {{telling: Telling, from: Element | null} | null} */
let shown = null;

/**
 * @param {import("../shell/panes.js").Pane} pane
 * @param {import("./telling.js").Place} place
 * @param {import("../shell/here.js").Here} here
 */
export async function show(pane, place, here) {
  // Whoever asks from inside of the pane comes back to where the first one asked from.
  const inside = pane.element.contains(document.activeElement);
  const from = inside && shown ? shown.from : document.activeElement;
  shown?.telling.end();
  const close = () => {
    telling.end();
    pane.hide();
    shown = null;
    const back =
      from instanceof HTMLElement && from.isConnected && from !== document.body
        ? from
        : document.getElementById("main");
    back?.focus({ preventScroll: true });
  };
  const telling = new Telling(place, here, new URLSearchParams(), { close });
  shown = { telling, from };
  pane.show(telling.element);
  telling.title.focus({ preventScroll: true });
  await telling.open();
}
