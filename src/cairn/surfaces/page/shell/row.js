// One row of the tree of files.

import { el } from "../kit/dom.js";
import { why } from "../kit/leftout.js";
import { fileLink } from "../kit/place.js";
import { count, visible } from "../kit/text.js";

const MARKS = /** @type {Record<string, [string, string]>} */ ({
  added: ["A", "new since the branch began"],
  untracked: ["A", "new since the branch began"],
  renamed: ["R", "renamed since the branch began"],
  changed: ["M", "changed since the branch began"],
  deleted: ["D", "removed since the branch began"],
});

/**
 * @typedef {{path: string, name: string, depth: number, isFolder: boolean, files: number, reason: string, at: number,
 *   of: number}} Row `at` and `of`: its place among those of its folder; `reason`: why it is left out of the index
 */
/**
 * @typedef {{root: string | null, path: string | null, active: string, open: Set<string>, changes: Map<string, string>,
 *   within: Set<string>}} Standing what is open, chosen and changed
 */

/** @param {Row} row @param {number} at @param {Standing} standing */
export function rowOf(row, at, { root, path, active, open, changes, within }) {
  const mark = MARKS[changes.get(row.path) ?? ""];
  const inside = row.isFolder && within.has(row.path);
  const isOpen = row.isFolder && open.has(row.path);
  const element = el(
    row.isFolder ? "div" : "a",
    {
      class: "twig",
      role: "treeitem",
      href: row.isFolder ? null : fileLink(root, row.path),
      tabindex: row.path === active ? "0" : "-1",
      title: visible(row.path) + (row.reason && `: not in the index, ${why(row.reason)}`),
      "data-at": at,
      "data-change": inside ? "inside" : (changes.get(row.path) ?? null),
      "aria-level": row.depth + 1,
      "aria-posinset": row.at,
      "aria-setsize": row.of,
      "aria-selected": row.path === path ? "true" : "false",
      "aria-current": row.path === path ? "true" : null,
      "aria-expanded": row.isFolder ? String(isOpen) : null,
    },
    el("span", { class: "twist", "aria-hidden": "true" }, row.isFolder ? (isOpen ? "▾" : "▸") : ""),
    el("bdi", {}, visible(row.name)),
    row.isFolder && el("span", { class: "unseen" }, `, ${count(row.files, "file")}`),
    inside && [el("span", { class: "dot", "aria-hidden": "true" }), el("span", { class: "unseen" }, ", with changes")],
    row.reason && [el("span", { class: "unseen" }, ", "), el("span", { class: "why" }, why(row.reason))],
    mark && [
      el("span", { class: "mark", "aria-hidden": "true", title: mark[1] }, mark[0]),
      el("span", { class: "unseen" }, `, ${mark[1]}`),
    ],
  );
  element.style.setProperty("--at", String(at));
  element.style.setProperty("--depth", String(Math.min(row.depth, 12)));
  return element;
}

/** The folders around a file, from the outermost on. @param {string} path */
export function foldersOf(path) {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
