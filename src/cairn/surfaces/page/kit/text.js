// Text as it is shown: nothing invisible passes for what it isn't, and numbers read well.

import { el } from "./dom.js";

const HIDDEN_ALL = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/gu;
/** In code, where a tab and the end of a line are what they look like. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u;
const HIDDEN_SPLIT = new RegExp(`(${HIDDEN.source})`, "u");
const BYTES = new TextEncoder();

/** A name or a message in one line: whatever can't be seen, or turns text around, is escaped. */
export function visible(text) {
  return String(text).replace(HIDDEN_ALL, escaped);
}

/** A piece of code as nodes: what can't be seen is shown by its number, and copied as what it is. */
export function coded(text) {
  if (!HIDDEN.test(text)) return [text];
  return text
    .split(HIDDEN_SPLIT)
    .map((part, at) => (at % 2 ? el("span", { class: "hidden-char", "data-raw": part }, escaped(part)) : part));
}

/** Copy code as it is, where what can't be seen is shown otherwise. @param {ClipboardEvent} event */
export function copied(event) {
  const selection = getSelection();
  const hidden = [...document.querySelectorAll(".hidden-char")].filter((each) => selection.containsNode(each, true));
  if (!hidden.length) return;
  const shown = hidden.map((each) => each.textContent);
  for (const each of hidden) each.firstChild.data = each.dataset.raw;
  event.clipboardData.setData("text/plain", selection.toString());
  hidden.forEach((each, at) => (each.firstChild.data = shown[at]));
  event.preventDefault();
}

function escaped(character) {
  const code = character.codePointAt(0);
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The column of a place in a line as the index counts it: bytes, from one. */
export function byteColumn(line, at) {
  return BYTES.encode(line.slice(0, at)).length + 1;
}

export function count(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

export function grouped(number) {
  return Number(number).toLocaleString("en");
}

export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let found = Number(bytes);
  for (; found >= 1000 && unit < units.length - 1; unit += 1) found /= 1000;
  return `${unit && found < 100 ? found.toFixed(1) : Math.round(found)} ${units[unit]}`;
}

/** How long ago, in the one unit that says most. */
export function ago(time) {
  const seconds = Math.round((Date.now() - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 10) return "just now";
  for (const [length, unit] of [
    [86400, "day"],
    [3600, "hour"],
    [60, "minute"],
    [1, "second"],
  ]) {
    if (seconds >= length) return `${count(Math.floor(seconds / length), unit)} ago`;
  }
  return "";
}

/** A time as how long ago it was, which `tick` keeps true. */
export function when(time) {
  return el("time", { datetime: time, title: visible(time) }, ago(time));
}

export function tick() {
  for (const each of document.querySelectorAll("time[datetime]")) each.textContent = ago(each.getAttribute("datetime"));
}

export function base(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function folder(path) {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
