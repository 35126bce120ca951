// What stands around a result: the lines before and behind it, beneath it, until it is asked for again.

import { excerpt } from "../code/lines.js";
import { trouble } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { parsed } from "../kit/place.js";
import { base, visible } from "../kit/text.js";

const BEFORE = 8;
const BEHIND = 16;

/**
 * Show it beneath a result, or take it away; its link says where it stands.
 * @param {Element} hit @param {RegExp | null} marked @param {AbortSignal} signal
 */
export async function nearby(hit, marked, signal) {
  const shown = hit.querySelector(".nearby");
  if (shown) return shown.remove();
  const { rest: path, line: at, values } = parsed(hit.querySelector("[data-item]")?.getAttribute("href") ?? "");
  const [line, root] = [at ?? 1, values.get("in")];
  const first = Math.max(1, line - BEFORE);
  const box = el("div", { class: "nearby" });
  hit.append(box);
  try {
    const place = `${path}:${first}-${line + BEHIND}`;
    const [found] = (await ask("/v1/colours", { root, places: [place] }, signal)).excerpts;
    const text = found.lines.join("\n");
    const name = `${visible(base(path))}, around line ${line}`;
    fill(
      box,
      text
        ? el("pre", { class: "code", tabindex: "0", "aria-label": name }, excerpt({ root, path, text, first, marked }))
        : el("p", { class: "about" }, "The file can't be read as it is now."),
    );
    box.scrollIntoView({ block: "nearest" });
  } catch (/** @type {any} */ error) {
    if (error.name !== "AbortError") fill(box, trouble(error));
  }
}
