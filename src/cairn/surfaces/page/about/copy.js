// What a list shows, for the clipboard: plain lines, or Markdown with the code.

import { el } from "../kit/dom.js";

/** @typedef {{path: string, rows: {line: number, text: string}[]}} CopiedFile */

/** Buttons that copy what `listed` gives. @param {() => CopiedFile[]} listed */
export function copyButtons(listed) {
  return el(
    "span",
    { class: "copies" },
    copy("Copy list", () => asList(listed())),
    copy("Copy as Markdown", () => asMarkdown(listed())),
  );
}

/** @param {string} label @param {() => string} text */
function copy(label, text) {
  const button = el("button", { class: "quiet", type: "button" }, label);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1_500);
  });
  return button;
}

/** @param {CopiedFile[]} files */
export function asList(files) {
  return files.flatMap(({ path, rows }) => rows.map((row) => `${path}:${row.line}: ${row.text.trim()}`)).join("\n");
}

/** @param {CopiedFile[]} files */
export function asMarkdown(files) {
  return files
    .map(({ path, rows }) =>
      [`**${path}**`, "", ...rows.map((row) => `- ${row.line}: ${quoted(row.text.trim())}`)].join("\n"),
    )
    .join("\n\n");
}

/** Code in backticks, of which it may hold some itself. @param {string} text */
function quoted(text) {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((each) => each.length));
  const ticks = "`".repeat(longest + 1);
  return longest ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`;
}
