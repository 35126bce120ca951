// What scrolls around the text of a file.

/** What scrolls: the pane, or the page where it is narrow. @param {Element} element @returns {Element} */
export function scroller(element) {
  const pane = element.closest("main");
  const own = pane && getComputedStyle(pane).overflowY !== "visible" ? pane : null;
  return own ?? /** @type {Element} */ (document.scrollingElement);
}
