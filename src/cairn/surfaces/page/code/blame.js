// Who changed each line last, in a margin beside the text.

import { ask } from "../kit/api.js";
import { el } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { ago, visible } from "../kit/text.js";

const KEY = "cairn-blame";

export class Blame {
  /** @param {any} document as /v1/file/blame gives it @param {string} root @param {string} path */
  constructor(document, root, path) {
    this.root = root;
    this.path = path;
    /** @type {Map<number, {first: boolean, commit: any}>} */
    this.lines = new Map();
    for (const [first, count, which] of document.runs)
      for (let at = 0; at < count; at += 1)
        this.lines.set(first + at, { first: at === 0, commit: which === null ? null : document.commits[which] });
  }

  /** The cell beside a line. @param {number} line */
  cell(line) {
    const found = this.lines.get(line);
    if (!found) return el("span", { class: "blame" });
    const { commit, first } = found;
    if (!commit)
      return el("span", { class: "blame uncommitted", title: "in no commit yet" }, first ? "not committed" : "");
    const title = visible(
      `${commit.author}, ${commit.time.slice(0, 10)}, ${commit.commit.slice(0, 10)}: ${commit.subject}`,
    );
    return el(
      "span",
      { class: first ? "blame first" : "blame", title },
      first
        ? [
            el("a", { class: "author", href: this.change(commit.commit) }, el("bdi", {}, visible(commit.author))),
            el("span", { class: "age" }, age(commit.time)),
          ]
        : null,
    );
  }

  /** What a commit did, at this file. @param {string} commit */
  change(commit) {
    return link("changes", this.path, { in: this.root, since: `${commit}^`, until: commit });
  }
}

/** @param {string} root @param {string} path @param {string} version @param {AbortSignal} signal */
export async function blameOf(root, path, version, signal) {
  const document = await ask("/v1/file/blame", { root, file: path }, signal);
  return document.version === version ? new Blame(document, root, path) : null;
}

/** Whether the margin was on when it was last switched. */
export function isWanted() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

/** @param {boolean} on */
export function want(on) {
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // It is forgotten with the tab.
  }
}

/** How long ago, short. @param {string} time */
function age(time) {
  const days = (Date.now() - Date.parse(time)) / 86_400_000;
  if (days < 1)
    return ago(time)
      .replace(/ (\w)\w+ ago$/, "$1")
      .replace("just now", "now");
  if (days < 60) return `${Math.floor(days)}d`;
  return days < 730 ? `${Math.floor(days / 30)}mo` : `${Math.floor(days / 365)}y`;
}
