// What stays where it is while results come and go.

/** What scrolls. @param {HTMLElement} main @returns {Element} */
export function scroller(main) {
  const own = getComputedStyle(main).overflowY !== "visible" && main.scrollHeight > main.clientHeight;
  return own ? main : (document.scrollingElement ?? main);
}

/** Whether text within an element is selected. @param {Element} element */
export function selects(element) {
  const selection = getSelection();
  return Boolean(selection && !selection.isCollapsed && selection.anchorNode && element.contains(selection.anchorNode));
}

/** Remember which result is at the top, to put it there again.
 *  @param {HTMLElement} main @param {HTMLElement} results */
export function anchor(main, results) {
  const top = Math.max(0, main.getBoundingClientRect().top);
  const first = [...results.querySelectorAll(".group")].find((each) => each.getBoundingClientRect().bottom > top);
  const label = (/** @type {Element} */ each) => each.querySelector(".path")?.textContent?.replace(/:\d+$/, "");
  const was = first && label(first);
  const at = first?.getBoundingClientRect().top ?? 0;
  const { scrollTop } = scroller(main);
  return () => {
    const now = [...results.querySelectorAll(".group")].find((each) => was && label(each) === was);
    const box = scroller(main);
    if (now) box.scrollTop += now.getBoundingClientRect().top - at;
    else box.scrollTop = scrollTop;
  };
}
