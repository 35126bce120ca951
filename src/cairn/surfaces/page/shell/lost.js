// What makes all that is shown old, told everywhere by one calm bar, and mended by itself: the connection is lost, or
// the codebase has no index any more.

import { el, fill } from "../kit/dom.js";
import { base, visible } from "../kit/text.js";
import { live } from "./live.js";

/** @param {() => void} again told when the codebase that is shown has an index again */
export function tellWhenLost(again) {
  const bar = /** @type {HTMLElement} */ (document.getElementById("lost"));
  const when = el("span", {});
  const now = el("button", { type: "button", on: { click: () => live.check() } }, "Try now");
  const text = el("span", { role: "status" });
  fill(bar, text, when, now);
  /** @type {Set<string>} */
  const known = new Set();
  let [counting, said, root] = [0, "", ""];
  const count = () => {
    const seconds = Math.max(0, Math.ceil((live.state.at - Date.now()) / 1000));
    when.textContent = seconds > 1 ? `Trying again in ${seconds} s.` : "Trying again…";
  };
  const tell = () => {
    for (const each of live.codebases.values()) if (each.snapshot_id) known.add(each.root);
    const isCleared = known.has(root) && !live.codebases.get(root)?.snapshot_id;
    const tells = live.state.lost ? "lost" : isCleared ? `cleared ${root}` : "";
    if (tells === said) return;
    if (said === `cleared ${root}` && !tells) again();
    said = tells;
    bar.hidden = !said;
    clearInterval(counting);
    when.hidden = now.hidden = said !== "lost";
    if (said === "lost") {
      text.textContent = "The connection to Cairn is lost: what is shown may be old.";
      count();
      counting = setInterval(count, 500);
    } else {
      fill(text, said && [`${visible(base(root))} is not indexed any more, so what is shown is old: `, command(root)]);
    }
  };
  live.watch(tell, new AbortController().signal);
  document.addEventListener("cairn-place", (event) => {
    root = /** @type {CustomEvent} */ (event).detail.root ?? "";
    tell();
  });
}

/** What mends it. @param {string} root */
function command(root) {
  return [el("code", {}, `cairn index ${visible(root)}`), " indexes it anew."];
}
