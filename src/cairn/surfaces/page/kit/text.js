// Text as it is shown: nothing invisible passes for what it isn't, and numbers read well.

import { el } from "./dom.js";

const HIDDEN_ALL = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/gu;
/** In code, where a tab and the end of a line are what they look like. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u;
const HIDDEN_SPLIT = new RegExp(`(${HIDDEN.source})`, "u");
/** @type {[number, string][]} */
const UNITS = [
  [86400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];
const BYTES = new TextEncoder();

/** A name or a message in one line: whatever can't be seen, or turns text around, is escaped. @param {unknown} text */
export function visible(text) {
  return String(text).replace(HIDDEN_ALL, escaped);
}

/**
 * A piece of code as nodes: what can't be seen is shown by its number, and copied as what it is.
 * @param {string} text
 */
export function coded(text) {
  if (!HIDDEN.test(text)) return [text];
  return text
    .split(HIDDEN_SPLIT)
    .map((part, at) => (at % 2 ? el("span", { class: "hidden-char" }, escaped(part)) : part));
}

/** Copy code as it is, where what can't be seen is shown otherwise. @param {ClipboardEvent} event */
export function copied(event) {
  const selection = /** @type {Selection} */ (getSelection());
  const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".hidden-char")]);
  const hidden = all.filter((each) => selection.containsNode(each, true));
  if (!hidden.length) return;
  const shown = hidden.map((each) => each.textContent ?? "");
  for (const each of hidden) /** @type {Text} */ (each.firstChild).data = meant(each.textContent ?? "");
  event.clipboardData?.setData("text/plain", selection.toString());
  for (const [at, each] of hidden.entries()) /** @type {Text} */ (each.firstChild).data = shown[at];
  event.preventDefault();
}

/** @param {string} character */
function escaped(character) {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The character that an escape stands for: only the copy has it, the page nowhere. @param {string} escape */
function meant(escape) {
  return String.fromCodePoint(parseInt(escape.slice(2), 16));
}

/** The column of a place in a line as the index counts it: bytes, from one. @param {string} line @param {number} at */
export function byteColumn(line, at) {
  return BYTES.encode(line.slice(0, at)).length + 1;
}

/** @param {number} number @param {string} one @param {string} [many] */
export function count(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** @param {number | string} number */
export function grouped(number) {
  return Number(number).toLocaleString("en");
}

/** @param {number | string} bytes */
export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let found = Number(bytes);
  for (; found >= 1000 && unit < units.length - 1; unit += 1) found /= 1000;
  return `${unit && found < 100 ? found.toFixed(1) : Math.round(found)} ${units[unit]}`;
}

/** How long ago, in the one unit that says most. @param {string} time */
export function ago(time) {
  const seconds = Math.round((Date.now() - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 10) return "just now";
  for (const [length, unit] of UNITS) {
    if (seconds >= length) return `${count(Math.floor(seconds / length), unit)} ago`;
  }
  return "";
}

/** A time as how long ago it was, which `tick` keeps true. @param {string} time */
export function when(time) {
  return el("time", { datetime: time, title: visible(time) }, ago(time));
}

export function tick() {
  for (const each of document.querySelectorAll("time[datetime]"))
    each.textContent = ago(each.getAttribute("datetime") ?? "");
}

/** @param {string} path */
export function base(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** @param {string} path */
export function folder(path) {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
