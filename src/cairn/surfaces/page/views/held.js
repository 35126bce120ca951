// What stays where it is while results come and go.

/** An answer that takes longer is slow. */
const SLOW_MS = 250;

/** What is shown is not yet of what is asked; it fades if that takes a while. */
export class Busy {
  /** @param {Element} element */
  constructor(element) {
    this.element = element;
    this.fading = 0;
  }

  begin() {
    this.element.setAttribute("aria-busy", "true");
    // Most answers come before: to fade and come back would be many frames to draw, for nothing.
    this.fading ||= setTimeout(() => this.element.classList.add("slow"), SLOW_MS);
  }

  end() {
    clearTimeout(this.fading);
    this.fading = 0;
    this.element.classList.remove("slow");
    this.element.removeAttribute("aria-busy");
  }
}

/** Have the frame with what is in sight come before that with the rest.
 *  @param {Element} element @param {boolean} isWanted */
export function firstInSight(element, isWanted) {
  element.classList.toggle("first", isWanted);
  requestAnimationFrame(() => setTimeout(() => element.classList.remove("first")));
}

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
