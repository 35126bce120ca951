// A lost connection, told everywhere by one calm bar, and mended by itself.

import { el, fill } from "../kit/dom.js";
import { live } from "./live.js";

export function tellWhenLost() {
  const bar = /** @type {HTMLElement} */ (document.getElementById("lost"));
  const when = el("span", {});
  const again = el("button", { type: "button", on: { click: () => live.check() } }, "Try now");
  const text = el("span", { role: "status" });
  fill(bar, text, when, again);
  let counting = 0;
  const count = () => {
    const seconds = Math.max(0, Math.ceil((live.state.at - Date.now()) / 1000));
    when.textContent = seconds > 1 ? `Trying again in ${seconds} s.` : "Trying again…";
  };
  live.watch(() => {
    const { lost } = live.state;
    if (lost === !bar.hidden) return;
    bar.hidden = !lost;
    text.textContent = lost ? "The connection to Cairn is lost: what is shown may be old." : "";
    clearInterval(counting);
    if (!lost) return;
    count();
    counting = setInterval(count, 500);
  }, new AbortController().signal);
}
