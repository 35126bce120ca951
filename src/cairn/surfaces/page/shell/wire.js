// The one line to the daemon for all tabs of a browser, which allows a host only six connections: a shared worker
// listens for all of them, and a browser without such workers listens in each tab.

const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 15_000;
/** A daemon that says nothing for so long hangs; one that works says every few seconds that it does. */
const SILENT_MS = 8_000;
const FORGOTTEN_MS = 180_000;
const CLIENT = `line-${crypto.getRandomValues(new Uint32Array(1))[0].toString(16)}`;

/**
 * @typedef {{root: string, path: string}} Shown
 * @typedef {{files: Shown[], until: number, tell: (told: any) => void}} Listener
 */

export class Wire {
  constructor() {
    /** @type {Map<unknown, Listener>} */
    this.listeners = new Map();
    /** What was told last, for whoever comes later. @type {Map<string, any>} */
    this.kept = new Map();
    this.listened = "";
    this.state = { up: false, lost: false, at: 0 };
    this.line = new AbortController();
    this.pause = FIRST_PAUSE_MS;
    this.waiting = 0;
  }

  /**
   * Someone listens, or shows other files.
   * @param {unknown} who @param {Shown[]} files @param {(told: any) => void} tell
   */
  join(who, files, tell) {
    const isNew = !this.listeners.has(who);
    this.listeners.set(who, { files, tell, until: Date.now() + FORGOTTEN_MS });
    if (isNew) {
      for (const each of this.kept.values()) tell(each);
      tell({ state: this.state });
    }
    const named = new Set(pairsOf(this.listened));
    const isNamed = this.listened && pairsOf(this.wanted()).every((each) => named.has(each));
    if (!isNamed || this.state.lost) this.again();
  }

  /** @param {unknown} who */
  leave(who) {
    this.listeners.delete(who);
    if (this.listeners.size) return;
    this.line.abort();
    this.listened = "";
  }

  /** What is to be named: the files of everybody who was heard of lately. */
  wanted() {
    for (const [who, each] of this.listeners) if (each.until < Date.now()) this.listeners.delete(who);
    const pairs = [...this.listeners.values()].flatMap((each) => each.files.map(({ root, path }) => [root, path]));
    const query = new URLSearchParams();
    for (const text of [...new Set(pairs.map((each) => JSON.stringify(each)))].sort().slice(0, 64)) {
      const [root, path] = JSON.parse(text);
      query.append("root", root);
      query.append("file", path);
    }
    return `/v1/events?${query}`;
  }

  /** Listen anew, now. */
  again() {
    this.line.abort();
    clearTimeout(this.waiting);
    this.line = new AbortController();
    this.listen(this.wanted(), this.line.signal);
  }

  /** @param {string} address @param {AbortSignal} signal */
  async listen(address, signal) {
    this.listened = address;
    const silent = new AbortController();
    let timer = 0;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENT_MS);
    };
    heard();
    try {
      const found = await fetch(address, {
        headers: { "Cairn-Client": CLIENT },
        signal: AbortSignal.any([signal, silent.signal]),
        cache: "no-store",
        credentials: "same-origin",
      });
      // One of the codebases is gone: the rest is told all the same.
      if (found.status === 404 && address.includes("file=")) return void this.listen("/v1/events", signal);
      if (!found.ok || !found.body) throw new Error(`status ${found.status}`);
      this.pause = FIRST_PAUSE_MS;
      for await (const [name, document] of events(found.body, heard)) {
        if (name === "hello") this.greeted(document.roots);
        else this.told(name, document);
      }
    } catch {
      // However it ended, it is tried again.
    } finally {
      clearTimeout(timer);
    }
    if (signal.aborted) return;
    this.stands({ up: false, lost: true, at: Date.now() + this.pause });
    this.waiting = setTimeout(() => this.listeners.size && this.again(), this.pause);
    this.pause = Math.min(this.pause * 2, MOST_PAUSE_MS);
  }

  /** The line is up; what went while it was not is told as gone. @param {string[]} roots */
  greeted(roots) {
    for (const [key, { document }] of [...this.kept]) {
      if (key.startsWith("file ")) this.kept.delete(key);
      else if (!roots.includes(document.root)) this.told("gone", { root: document.root });
    }
    this.stands({ up: true, lost: false, at: 0 });
  }

  /** @param {string} name @param {any} document */
  told(name, document) {
    const told = { name, document };
    if (name === "gone") this.kept.delete(`codebase ${document.root}`);
    else this.kept.set(name === "file" ? `file ${document.root} ${document.path}` : `codebase ${document.root}`, told);
    for (const each of this.listeners.values()) each.tell(told);
  }

  /** @param {{up: boolean, lost: boolean, at: number}} state */
  stands(state) {
    this.state = state;
    for (const each of this.listeners.values()) each.tell({ state });
  }
}

/** What an address names. @param {string} address */
function pairsOf(address) {
  const query = new URLSearchParams(address.split("?")[1] ?? "");
  const files = query.getAll("file");
  return query.getAll("root").map((root, at) => JSON.stringify([root, files[at]]));
}

/**
 * @param {ReadableStream<Uint8Array>} body @param {() => void} heard told of every sign of life
 * @returns {AsyncGenerator<[string, any]>}
 */
async function* events(body, heard) {
  const decoder = /** @type {ReadableWritablePair<string, any>} */ (new TextDecoderStream());
  const reader = body.pipeThrough(decoder).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const name = /^event: (.*)$/m.exec(part);
      const data = /^data: (.*)$/m.exec(part);
      if (name && data) yield [name[1], JSON.parse(data[1])];
    }
  }
}

const scope = /** @type {any} */ (globalThis);
if (typeof scope.SharedWorkerGlobalScope === "function" && scope instanceof scope.SharedWorkerGlobalScope) {
  const wire = new Wire();
  scope.onconnect = (/** @type {MessageEvent} */ event) => {
    const port = event.ports[0];
    port.onmessage = ({ data }) => {
      if (data.files) wire.join(port, data.files, (told) => port.postMessage(told));
      else if (data.check) wire.again();
      else wire.leave(port);
    };
  };
}
