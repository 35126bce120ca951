// A place in a list: one line of code, where it stands, and a link that opens the file there.

import { excerpt } from "../code/lines.js";
import { el } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { base, folder, visible } from "../kit/text.js";

const LONGEST = 400;

/**
 * One line of code, with what it is shown for marked in it.
 * @param {string} root @param {string} path @param {number} line @param {string} text @param {string} name
 */
export function codeLine(root, path, line, text, name = "") {
  const marked = name ? new RegExp(`(?<![\\p{L}\\p{N}_$])${quoted(name)}(?![\\p{L}\\p{N}_$])`, "gu") : null;
  const rows = excerpt({ root, path, text: text.slice(0, LONGEST), first: line, marked });
  return el("code", {}, rows[0]?.querySelector(".text"));
}

/**
 * Lines of code with their numbers.
 * @param {string} root @param {string} path @param {number} first @param {string} text
 */
export function codeBlock(root, path, first, text) {
  return el(
    "pre",
    { class: "code", tabindex: "0", "aria-label": `Lines of ${path}` },
    excerpt({ root, path, text, first }),
  );
}

/**
 * A link to a place with the line that stands there.
 * @param {{root: string, path: string, line: number, text: string, name?: string}} place
 * @param {...unknown} about what is said of it beside
 */
export function placeRow({ root, path, line, text, name = "" }, ...about) {
  return el(
    "li",
    { class: "place" },
    el(
      "a",
      { class: "use", "data-item": true, "data-place": `${path}:${line}`, href: fileLink(root, path, line) },
      el("span", { class: "at" }, String(line)),
      codeLine(root, path, line, text, name),
    ),
    el("span", { class: "about" }, about),
  );
}

/** @param {string} text */
function quoted(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** A link to a definition. @param {{root: string, path: string, line: number, name: string, kind: string}} node */
export function symbolLink({ root, path, line, name, kind }, attributes = {}) {
  return el(
    "a",
    {
      class: "symbol",
      "data-item": true,
      "data-place": `${path}:${line}`,
      href: fileLink(root, path, line),
      ...attributes,
    },
    kind ? el("span", { class: "kind" }, visible(kind)) : null,
    el("bdi", {}, visible(name)),
  );
}

/** Where a definition stands, less loud than its name. @param {string} path @param {number | null} line */
export function whereText(path, line) {
  return el(
    "span",
    { class: "where", title: visible(path) },
    el("bdi", {}, el("span", { class: "folder" }, visible(folder(path))), visible(base(path)), line ? `:${line}` : ""),
  );
}

/** How sure it is, where that is not beyond doubt. @param {string | null} tier */
export function unsure(tier) {
  if (!tier || tier === "proven") return null;
  return el("span", { class: `tier ${tier}` }, tier === "name" ? "by name only" : tier);
}
