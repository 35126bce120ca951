// The page of a name: what the right pane tells, at its full width, with all that is chosen in its address.

import { el, fill } from "../kit/dom.js";
import { parsed } from "../kit/place.js";
import { Telling } from "./telling.js";

/** @param {HTMLElement} main @param {any} place @param {import("../shell/here.js").Here} here */
export async function show(main, place, here) {
  const column = Number(place.values.get("column")) || null;
  const asked = place.line ? { path: place.rest, line: place.line, column } : { name: place.rest };
  const telling = new Telling(asked, here, place.values, { moved });
  fill(main, el("div", { class: "page names-page" }, telling.element));
  here.acts({
    ...Object.fromEntries(
      ["g d", "g r", "g c", "g i", "g t", "j", "k", "o"].map((key) => [key, () => telling.does(key)]),
    ),
  });
  await telling.open();
}

/**
 * Another tab is another page to go back to; other filters are the same one.
 * @param {Telling} telling @param {boolean} another
 */
function moved(telling, another) {
  const address = telling.address();
  if (address === location.hash || parsed(location.hash).view !== "names") return;
  if (another) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
