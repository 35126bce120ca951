// What is heard of the daemon: how codebases and files stand, and whether it is there at all.

import { listen } from "../kit/api.js";

/** @typedef {import("./here.js").FileState} FileState */
/** @typedef {{root: string, path: string, version: string | null, heard: (state: FileState) => void}} FileWatch */

class Live {
  constructor() {
    /** @type {Map<string, any>} */
    this.codebases = new Map();
    this.isUp = false;
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    /** @type {Set<{root: string, snapshot: string | null, heard: (codebase: any) => void}>} */
    this.snapshots = new Set();
    /** @type {Set<FileWatch>} */
    this.files = new Set();
  }

  /** Take what /v1/codebases said. @param {any[]} codebases */
  begin(codebases) {
    for (const each of codebases) this.codebases.set(each.root, each);
  }

  /** Hear of anything until the signal. @param {() => void} watcher @param {AbortSignal} signal */
  watch(watcher, signal) {
    keep(this.watchers, watcher, signal);
  }

  /** @param {string} root @param {(codebase: any) => void} heard @param {AbortSignal} signal */
  onSnapshot(root, heard, signal) {
    keep(this.snapshots, { root, heard, snapshot: this.codebases.get(root)?.snapshot_id ?? null }, signal);
  }

  /** @param {FileWatch} watch @param {AbortSignal} signal */
  onFile(watch, signal) {
    keep(this.files, watch, signal);
  }

  start() {
    listen(
      (name, document) => this.told(name, document),
      (up) => {
        this.isUp = up;
        for (const watcher of this.watchers) watcher();
      },
      new AbortController().signal,
    );
  }

  /** @param {string} name @param {any} document */
  told(name, document) {
    if (name === "gone") this.codebases.delete(document.root);
    else if (name === "codebase") this.codebases.set(document.root, document);
    for (const each of this.snapshots) {
      const found = this.codebases.get(each.root);
      if (!found || found.snapshot_id === each.snapshot) continue;
      each.snapshot = found.snapshot_id;
      each.heard(found);
    }
    for (const watcher of this.watchers) watcher();
  }
}

/** @template T @param {Set<T>} set @param {T} item @param {AbortSignal} signal */
function keep(set, item, signal) {
  if (signal.aborted) return;
  set.add(item);
  signal.addEventListener("abort", () => set.delete(item));
}

export const live = new Live();
