// What is heard of the daemon: how codebases and files stand, and whether it is there at all.

import { unreached } from "../kit/api.js";
import { Wire } from "./wire.js";

/** @typedef {import("./here.js").FileState} FileState */
/** @typedef {{root: string, path: string, version: string | null, heard: (state: FileState) => void}} FileWatch */
/** @typedef {{root: string, snapshot: string | null, heard: (codebase: any) => void}} SnapshotWatch */
/** @typedef {{up: boolean, lost: boolean, at: number}} State `at`: when it is tried again */

const SETTLED_MS = 20;
const RENEWED_MS = 60_000;

class Live {
  constructor() {
    /** @type {Map<string, any>} */
    this.codebases = new Map();
    /** @type {State} */
    this.state = { up: false, lost: false, at: 0 };
    /** @type {Set<() => void>} */
    this.watchers = new Set();
    /** @type {Set<SnapshotWatch>} */
    this.snapshots = new Set();
    /** @type {Set<FileWatch>} */
    this.files = new Set();
    /** Told when the line is up again. @type {Set<() => void>} */
    this.mended = new Set();
    /** @type {(message: object) => void} */
    this.send = () => {};
    this.wishing = 0;
    this.told = this.told.bind(this);
  }

  get isUp() {
    return this.state.up;
  }

  /** Take what /v1/codebases said. @param {any[]} codebases */
  begin(codebases) {
    for (const each of codebases) this.codebases.set(each.root, each);
  }

  /** Hear of anything until the signal. @param {() => void} watcher @param {AbortSignal} signal */
  watch(watcher, signal) {
    keep(this.watchers, watcher, signal);
  }

  /** The newest snapshot of a codebase that was heard of. @param {string} root @returns {string | null} */
  snapshotOf(root) {
    return this.codebases.get(root)?.snapshot_id ?? null;
  }

  /** `since`: the newest snapshot when what is shown was asked for; one that came meanwhile is told at once.
   *  @param {string} root @param {(codebase: any) => void} heard @param {AbortSignal} signal
   *  @param {string | null} [since] */
  onSnapshot(root, heard, signal, since = null) {
    keep(this.snapshots, { root, heard, snapshot: since ?? this.snapshotOf(root) }, signal);
    queueMicrotask(() => this.moved());
  }

  /** @param {FileWatch} watch @param {AbortSignal} signal */
  onFile(watch, signal) {
    keep(this.files, watch, signal, () => this.wish());
    this.wish();
  }

  start() {
    if (typeof SharedWorker === "function") {
      const worker = new SharedWorker("/page/shell/wire.js", { type: "module", name: "cairn" });
      worker.port.onmessage = ({ data }) => this.told(data);
      this.send = (message) => worker.port.postMessage(message);
    } else {
      const wire = new Wire();
      this.send = (message) => {
        if ("files" in message) wire.join(this, /** @type {any} */ (message.files), this.told);
        else if ("check" in message) wire.again();
        else wire.leave(this);
      };
    }
    this.wish();
    setInterval(() => this.wish(), RENEWED_MS);
    window.addEventListener("pagehide", () => this.send({}));
    window.addEventListener("pageshow", (event) => event.persisted && this.wish());
    unreached.add(() => this.state.up && this.check());
  }

  /** Say which files are shown, once for all that is left and shown at a time. */
  wish() {
    clearTimeout(this.wishing);
    this.wishing = setTimeout(() => {
      this.send({ files: [...this.files].map(({ root, path }) => ({ root, path })) });
    }, SETTLED_MS);
  }

  /** Try the line now. */
  check() {
    this.send({ check: true });
  }

  /** @param {{state?: State, name?: string, document?: any}} told */
  told({ state, name, document }) {
    if (state) this.stands(state);
    else if (name === "file") this.toldFile(document);
    else if (name === "gone") this.codebases.delete(document.root);
    else this.codebases.set(document.root, document);
    this.moved();
    for (const watcher of this.watchers) watcher();
  }

  /** Tell who is shown what is of another snapshot than the newest. */
  moved() {
    for (const each of this.snapshots) {
      const found = this.codebases.get(each.root);
      if (!found || found.snapshot_id === each.snapshot) continue;
      each.snapshot = found.snapshot_id;
      each.heard(found);
    }
  }

  /** @param {State} state */
  stands(state) {
    const mended = state.up && this.state.lost;
    this.state = state;
    if (!mended) return;
    for (const each of this.snapshots) {
      const found = this.codebases.get(each.root);
      if (found && found.snapshot_id === each.snapshot) each.heard(found);
    }
    for (const each of this.mended) each();
  }

  /** @param {any} row */
  toldFile(row) {
    // What is gone has no version, nor has what may not be read.
    const version = row.version ?? (row.refused ? "refused" : "");
    for (const each of this.files) {
      if (each.root !== row.root || each.path !== row.path) continue;
      // Without a version to compare with, the first that is told is the one that is shown.
      const isKnown = each.version !== null;
      if (each.version === version) continue;
      each.version = version;
      if (isKnown || !row.present) each.heard(row);
    }
  }
}

/** @template T @param {Set<T>} set @param {T} item @param {AbortSignal} signal @param {() => void} [left] */
function keep(set, item, signal, left = () => {}) {
  if (signal.aborted) return;
  set.add(item);
  signal.addEventListener("abort", () => {
    set.delete(item);
    left();
  });
}

export const live = new Live();
