// Marks beside the scroll bar: the picked name, what was searched for, what changed since the last commit.

import { ask } from "../kit/api.js";

/** @param {import("./file.js").FileView} view */
export async function marks(view) {
  const name = view.name?.textContent;
  const { map, blocks, document } = view;
  map?.set(
    "name",
    name ? blocks.linesWith(name).map((line) => ({ line, kind: "name", text: `${name}, line ${line}` })) : [],
  );
  map?.set(
    "hit",
    view.marked
      ? blocks.linesThat(view.marked).map((line) => ({ line, kind: "hit", text: `found, line ${line}` }))
      : [],
  );
  if (view.marksOf === document.version) return;
  view.marksOf = document.version;
  try {
    const found = await ask("/v1/file/changed", { file: document.path, root: view.here.root });
    if (found.version !== view.document.version) return;
    const lines = [
      ...found.added.map((/** @type {number[]} */ [first, last]) => ({
        line: first,
        kind: "changed",
        text: first === last ? `changed, line ${first}` : `changed, lines ${first} to ${last}`,
      })),
      ...found.removed.map((/** @type {number} */ line) => ({
        line: Math.max(1, line),
        kind: "removed",
        text: `lines removed after line ${line}`,
      })),
    ];
    view.map?.set("changed", lines);
  } catch {
    // Without git nothing is known of changes.
  }
}
