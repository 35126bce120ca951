// What is shown to somebody without access: how to get it; then it goes on where one wanted to be.

import { el, fill } from "../kit/dom.js";
import { session, want } from "../kit/api.js";

/** @param {HTMLElement} main @param {boolean} isWrong whether a token was given that is not this daemon's */
export function withoutAccess(main, isWrong) {
  want();
  fill(
    main,
    el(
      "div",
      { class: "page" },
      el("h1", { tabindex: "-1" }, isWrong ? "This token is not the daemon's" : "This browser has no access yet"),
      el(
        "p",
        {},
        "Open the address that ",
        el("code", {}, "cairn serve --http 127.0.0.1:0"),
        " prints, once in this browser; this page goes on from there.",
      ),
    ),
  );
  const look = async () => {
    if (document.hidden) return;
    try {
      await session();
    } catch {
      return; // Still none: the next look may find it.
    }
    location.reload();
  };
  for (const event of ["visibilitychange", "focus"]) window.addEventListener(event, look);
}
