// What changed about a name between two answers.

import { visible } from "../kit/text.js";

/** What is otherwise in another answer about the same name. @param {any} before @param {any} after */
export function difference(before, after) {
  const of = (/** @type {any} */ found) =>
    new Map(found.results.map((/** @type {any} */ each) => [`${each.path} ${each.qualified_name}`, each]));
  const [old, now] = [of(before), of(after)];
  const said = [];
  for (const [key, row] of now) {
    const was = old.get(key);
    if (!was) said.push(`defined in ${row.path}:${row.line} too`);
    else if (was.signature !== row.signature) said.push("another signature");
    else if (was.line !== row.line) said.push(`the definition is in line ${row.line}, no more in ${was.line}`);
  }
  for (const [key, row] of old) if (!now.has(key)) said.push(`no more defined in ${row.path}`);
  return visible(said.slice(0, 3).join("; "));
}
