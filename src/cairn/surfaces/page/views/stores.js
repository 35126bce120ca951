// The stores of Cairn's home: how large each is, and which of them nobody needs.

import { el } from "../kit/dom.js";
import { base, count, size, visible, when } from "../kit/text.js";

/** @param {any} found the answer of `stores` */
export function stores(found) {
  /** @type {any[]} */
  const rows = [...found.stores].sort((a, b) => b.size_bytes - a.size_bytes);
  if (!rows.length) return el("p", { class: "nothing" }, "There is none.");
  const most = Math.max(1, ...rows.map((each) => each.size_bytes));
  const all = rows.reduce((sum, each) => sum + each.size_bytes, 0);
  const idle = rows.filter((each) => faults(each).length);
  return [
    el("p", { class: "big" }, size(all), el("span", {}, ` in ${count(rows.length, "store")}`)),
    el(
      "ul",
      { class: "bars" },
      rows.map((each) =>
        el(
          "li",
          { title: visible(each.canonical_root) },
          el("bdi", {}, visible(base(each.canonical_root))),
          el("span", { class: "meter", part: each.size_bytes / most }),
          el(
            "span",
            { class: "number" },
            size(each.size_bytes),
            each.last_used_at ? [" · used ", when(each.last_used_at)] : null,
            faults(each).map((text) => el("span", { class: "changed" }, text)),
          ),
        ),
      ),
    ),
    idle.length
      ? el("p", { class: "cut" }, "Those that are marked go with ", el("code", {}, "cairn gc --stores"), ".")
      : null,
  ];
}

/** @param {any} store */
function faults(store) {
  return [
    [store.root_gone, "folder gone"],
    [store.outdated, "outdated"],
    [store.empty, "empty"],
  ]
    .filter(([is]) => is)
    .map(([, text]) => `${text}`);
}
