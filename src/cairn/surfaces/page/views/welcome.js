// What one sees before anything is searched for.

import { el } from "../kit/dom.js";
import { count } from "../kit/text.js";

/** @param {import("../shell/here.js").Here} here */
export function welcome(here) {
  const known = here.known();
  const files = known.reduce((sum, each) => sum + each.files, 0);
  return el(
    "section",
    { class: "welcome" },
    el("img", { src: "/page/icon.svg", alt: "", width: "72", height: "72" }),
    el(
      "p",
      { class: "lead" },
      known.length ? `${count(files, "file")} in ${count(known.length, "codebase")}.` : "Nothing is indexed yet.",
    ),
    known.length
      ? el("p", {}, "Ask a question, describe what the code does, or name something in it.")
      : el("p", {}, "Index a codebase with ", el("code", {}, "cairn index PATH"), "; it appears here by itself."),
    el(
      "p",
      { class: "keys-hint" },
      [
        ["/", "search"],
        ["Alt-1", "to"],
        ["4", "the way of searching"],
        ["j", ""],
        ["k", "move"],
        ["m", "show more"],
        ["?", "all keys"],
      ].map(([key, text]) => [el("kbd", {}, key), ` ${text} `]),
    ),
  );
}
