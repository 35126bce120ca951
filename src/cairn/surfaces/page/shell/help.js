// What the keys do, in one table that `?` shows.

import { el, fill } from "../kit/dom.js";

const DRAWINGS = ["calls", "imports"];

/** What keys do, by where one is: `at` names views, and is left out for what works everywhere. */
/** @type {{title: string, at?: string[], keys: [keys: string, text: string][]}[]} */
const TABLE = [
  {
    title: "In this file",
    at: ["file"],
    keys: [
      ["j k", "next line, the line before"],
      ["l h", "next name, the name before"],
      ["Enter", "about the name"],
      ["g d", "its definition"],
      ["g r", "its references"],
      ["g c", "its callers and callees"],
      ["g t", "its tests"],
      ["g i", "what implements or overrides it"],
    ],
  },
  {
    title: "In this search",
    at: ["search"],
    keys: [
      ["Alt-1 Alt-4", "by words, exact text, expression, name"],
      ["m", "show more"],
      ["o", "tell of the definition"],
      ["v", "what stands around it"],
    ],
  },
  {
    title: "In this rename",
    at: ["rename"],
    keys: [
      ["x X", "check the place, all of its file"],
      ["w", "to the button"],
    ],
  },
  {
    title: "In the changes",
    at: ["changes"],
    keys: [["n p", "next change, the one before"]],
  },
  {
    title: "In this drawing",
    at: DRAWINGS,
    keys: [
      ["e", "add a step around the node"],
      ["+ -", "larger, smaller"],
      ["0", "see all of it"],
      ["Tab", "to the next box"],
    ],
  },
  {
    title: "In lists",
    keys: [
      ["j k", "next, the one before"],
      ["Enter", "open it"],
      ["Esc", "close, or leave a field"],
    ],
  },
  {
    title: "In the files",
    keys: [
      ["↑ ↓", "move"],
      ["→ ←", "open or close a folder"],
      ["Home End", "first, last"],
      ["a…z", "to what begins so"],
    ],
  },
  {
    title: "Everywhere",
    keys: [
      ["/", "search"],
      ["Ctrl-K", "files, symbols and commands (also Ctrl-P, Ctrl-T)"],
      ["F6", "to the next pane (also Ctrl-.)"],
      ["[ ]", "fold the left or the right pane"],
      ["g s", "to the search"],
      ["g v", "to the changes"],
      ["g p", "to past changes"],
      ["g m", "to the map"],
      ["g h", "to the dashboard"],
      ["t", "light or dark"],
      ["?", "these keys"],
    ],
  },
];

/** Show what the keys do where one is. @param {HTMLDialogElement} dialog @param {string} view */
export function showKeys(dialog, view) {
  const close = () => dialog.close();
  fill(
    dialog,
    el("h2", { id: "keys-title" }, "Keys"),
    TABLE.filter((each) => !each.at || each.at.includes(view)).map((each) =>
      el("section", {}, el("h3", {}, each.title), el("dl", {}, each.keys.map(entry))),
    ),
    el("button", { type: "button", autofocus: true, on: { click: close } }, "Close"),
  );
  dialog.showModal();
}

/** @param {[string, string]} row */
function entry([keys, text]) {
  const shown = keys.split(" ").map((key) => [el("kbd", {}, mac(key)), " "]);
  return el("div", {}, el("dt", {}, shown), el("dd", {}, text));
}

/** @param {string} key */
function mac(key) {
  return /Mac|iP/.test(navigator.platform) ? key.replace("Ctrl-", "⌘") : key;
}
