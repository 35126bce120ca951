// The right pane: what is known about a name.

import { waiting } from "../kit/answer.js";
import { el, fill } from "../kit/dom.js";
import { visible } from "../kit/text.js";
import { names } from "./names.js";

/**
 * @param {import("../shell/panes.js").Pane} pane
 * @param {import("../shell/here.js").About} about
 * @param {import("../shell/here.js").Here} here
 */
export async function show(pane, about, here) {
  const name = about.name ?? `${about.path}:${about.line}:${about.column}`;
  const body = el("div", {}, waiting("Looking…"));
  const close = el("button", {
    class: "icon",
    type: "button",
    "aria-label": "Close",
    on: { click: () => pane.hide() },
  });
  pane.show(el("header", {}, el("h2", { tabindex: "-1" }, el("bdi", {}, visible(name))), fill(close, "×")), body);
  await names(body, name, here, "both");
}
