// The nodes and calls of several answers as one graph: columns, what is folded, what may still be opened.

import { count } from "../kit/text.js";

/** @typedef {{id: string, path: string, name: string, kind: string, line: number, end_line: number, signature: string,
 *   depth: number, places: string[], apart: string, changed_since: boolean, column: number}} Node */
/** @typedef {{source: string, target: string, tier: string, count: number, lines: number[], dispatch: boolean}} Call */

const SIDES = [-1, 1];

export class Graph {
  /** @param {any} found the answer that was asked for @param {Map<string, any>} opened the steps that were added */
  constructor(found, opened) {
    this.roots = new Set(/** @type {string[]} */ (found.roots));
    /** @type {Map<string, Node>} */
    this.nodes = new Map();
    /** @type {Map<string, Call>} */
    this.calls = new Map();
    this.opened = new Set(opened.keys());
    this.take(found, 0);
    for (const [id, step] of opened) {
      const around = this.nodes.get(id);
      if (around) this.take(step, around.column);
    }
  }

  /** @param {any} found @param {number} column where its own root stands */
  take(found, column) {
    for (const node of found.nodes)
      if (!this.nodes.has(node.id)) this.nodes.set(node.id, { ...node, column: column + node.depth });
    for (const call of found.edges) this.calls.set(`${call.source} ${call.target}`, call);
  }

  /** @returns {Node[]} those asked for */
  rootNodes() {
    return [...this.nodes.values()].filter((node) => this.roots.has(node.id));
  }

  /** Tests and examples of a side, where there is more than one; none where they are what is asked about. */
  apart(/** @type {number} */ side) {
    if (this.rootNodes().some((node) => node.apart)) return [];
    const found = [...this.nodes.values()].filter((node) => node.apart && Math.sign(node.column) === side);
    return found.length > 1 ? found : [];
  }

  /** What is drawn, while the tests and examples of some sides are unfolded. @param {Set<string>} unfolded */
  drawn(unfolded) {
    /** @type {Map<string, string>} */
    const stands = new Map();
    /** @type {{id: string, side: number, count: number, what: string}[]} */
    const folds = [];
    for (const side of SIDES) {
      const hidden = unfolded.has(String(side)) ? [] : this.apart(side);
      for (const node of hidden) stands.set(node.id, foldId(side));
      if (hidden.length) folds.push({ id: foldId(side), side, count: hidden.length, what: told(hidden) });
    }
    const nodes = [...this.nodes.values()].filter((node) => !stands.has(node.id));
    /** @type {Map<string, Call>} */
    const calls = new Map();
    for (const call of this.calls.values()) {
      const [source, target] = [stands.get(call.source) ?? call.source, stands.get(call.target) ?? call.target];
      const key = `${source} ${target}`;
      const known = calls.get(key);
      if (source === target && source !== call.source) continue;
      calls.set(key, known ? { ...known, count: known.count + call.count } : { ...call, source, target });
    }
    return { nodes, calls: [...calls.values()], folds };
  }
}

/** @param {number} side */
export function foldId(side) {
  return `fold:${side}`;
}

/** @param {Node[]} hidden */
function told(hidden) {
  const tests = hidden.filter((node) => node.apart === "test").length;
  const examples = hidden.length - tests;
  return [tests && count(tests, "test"), examples && count(examples, "example")].filter(Boolean).join(", ");
}
