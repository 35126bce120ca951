// The tiles of the dashboard: what is known of one codebase, and of all that Cairn keeps.

import { trouble, waiting } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { base, count, grouped, size, visible, when } from "../kit/text.js";
import { timeline } from "./chart.js";
import { gain } from "./gain.js";
import { stores } from "./stores.js";

/** @typedef {import("../shell/here.js").Here} Here */

const UNDER_WAY = ["queued", "running"];
const AGAIN_MS = 1_000;
const ASKED_MS = 20_000;
/** @type {Record<string, string>} */
const ENDS = { completed: "good", failed: "bad" };

/** What is asked and kept, in all of Cairn's home. @param {HTMLElement} home @param {Here} here */
export function everywhere(home, here) {
  const asked = part(
    here,
    {},
    "What was asked",
    "gain",
    "/v1/gain",
    (found) => gain(found, here.root),
    () => ASKED_MS,
  );
  fill(
    home,
    el("h2", { class: "of-one" }, "Everywhere"),
    el("div", { class: "tiles" }, asked, part(here, {}, "Stores", "stores", "/v1/stores", stores)),
  );
}

/**
 * A part that asks for itself, and again after a while where `moves` says so.
 * @param {Here} here @param {Record<string, unknown>} values
 * @param {string} title @param {string} name @param {string} asked
 * @param {(found: any) => any} shown @param {(found: any) => number} moves
 */
function part(here, values, title, name, asked, shown, moves = () => 0) {
  const body = el("div", {}, waiting("Looking…"));
  const load = async () => {
    try {
      const found = await ask(asked, values, here.signal);
      fill(body, shown(found));
      const pause = moves(found);
      if (pause) setTimeout(() => body.isConnected && !here.signal.aborted && load(), pause);
    } catch (/** @type {any} */ error) {
      if (error.name !== "AbortError") fill(body, trouble(error, load));
    }
  };
  load();
  return el("section", { class: `tile ${name}`, "aria-label": title }, el("h2", {}, title), body);
}

/** The parts about one codebase; each asks for itself, so that one that fails leaves the others.
 *  @param {HTMLElement} details @param {any} codebase @param {Here} here */
export function about(details, codebase, here) {
  const root = codebase.root;
  fill(
    details,
    el("h2", { class: "of-one" }, el("bdi", {}, visible(base(root)))),
    el(
      "div",
      { class: "tiles" },
      part(here, { root }, "Snapshots", "snapshots", "/v1/snapshots", snapshots),
      part(here, { root }, "Segments", "segments", "/v1/snapshots", segments),
      part(here, { root }, "State", "status", "/v1/status", status),
      health(root, here),
      part(here, { root }, "Read cache", "reads", "/v1/reads", reads),
      part(here, { root }, "Semantic jobs", "jobs", "/v1/jobs", jobs, (found) =>
        found.jobs.some((/** @type {any} */ job) => UNDER_WAY.includes(job.status)) ? AGAIN_MS : 0,
      ),
    ),
  );
}

/** @param {any} found */
function snapshots(found) {
  const rows = found.snapshots.slice(0, 6);
  return [
    timeline(found.snapshots),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "The newest snapshots" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Snapshot", "When", "Cause", "Files", "Chunks"].map((/** @type {any} */ each) =>
              el("th", { scope: "col" }, each),
            ),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((/** @type {any} */ each) =>
            el(
              "tr",
              { class: each.snapshot_id === found.active ? "active" : null },
              el(
                "td",
                {},
                el("code", {}, visible(each.snapshot_id)),
                each.snapshot_id === found.active ? el("span", { class: "tag" }, "active") : null,
              ),
              el("td", {}, when(each.created_at)),
              el("td", {}, visible(each.cause)),
              el("td", { class: "num" }, grouped(each.files)),
              el("td", { class: "num" }, grouped(each.chunks)),
            ),
          ),
        ),
      ),
    ),
    found.total > rows.length ? el("p", { class: "cut" }, `${grouped(found.total)} are kept.`) : null,
  ];
}

/** @param {any} found */
function segments(found) {
  const active =
    found.snapshots.find((/** @type {any} */ each) => each.snapshot_id === found.active) ?? found.snapshots[0];
  if (!active) return el("p", { class: "nothing" }, "There is none.");
  const most = Math.max(...active.segments.map((/** @type {any} */ each) => each.size_bytes), 1);
  const whole = active.segments.reduce(
    (/** @type {number} */ sum, /** @type {any} */ each) => sum + each.size_bytes,
    0,
  );
  return [
    el(
      "p",
      { class: "big" },
      size(whole),
      el("span", {}, ` in ${count(active.segments.length, "segment")}, ${count(active.tombstones, "tombstone")}`),
    ),
    el(
      "ul",
      { class: "bars" },
      active.segments.map((/** @type {any} */ each) =>
        el(
          "li",
          {},
          el("code", {}, visible(each.segment_id.slice(-12))),
          el("span", { class: "meter", part: each.size_bytes / most }),
          el("span", { class: "number" }, `${grouped(each.rows)} rows · ${size(each.size_bytes)}`),
        ),
      ),
    ),
  ];
}

/** @param {any} found */
function status(found) {
  const skipped = Object.entries(found.skipped ?? {});
  return [
    el(
      "dl",
      { class: "facts wide" },
      fact("proof", visible(found.completion_proof)),
      fact("store", el("code", {}, visible(found.store_id))),
      fact("read", visible(found.read_mode)),
      fact(
        "git",
        el("code", {}, visible(`${(found.git?.head ?? "none").slice(0, 12)}${found.git?.dirty ? " dirty" : ""}`)),
      ),
      fact(
        "left out",
        skipped.length ? skipped.map(([why, number]) => visible(`${why} ${number}`)).join(", ") : "nothing",
      ),
    ),
    found.warnings?.length
      ? el(
          "ul",
          { class: "warnings" },
          found.warnings.map((/** @type {any} */ each) => el("li", {}, visible(each))),
        )
      : null,
  ];
}

/** Health reads every byte of the store, so it is looked at when somebody asks.
 *  @param {string} root @param {Here} here */
function health(root, here) {
  const body = el("div", {});
  const button = el("button", { type: "button" }, "Check everything");
  const check = async () => {
    fill(body, waiting("Every artifact is hashed anew…"));
    try {
      const found = await ask("/v1/health", { root, timeout_ms: 300_000 }, here.signal);
      fill(
        body,
        el("p", { class: found.healthy ? "verdict good" : "verdict bad" }, found.healthy ? "Healthy" : "Not healthy"),
        el(
          "ul",
          { class: "checks" },
          found.checks.map((/** @type {any} */ each) =>
            el(
              "li",
              {},
              el("span", { class: `level ${each.level === "ok" ? "good" : "bad"}` }, visible(each.level)),
              el("span", {}, visible(each.code.replace(/_/g, " "))),
              el("span", { class: "about" }, visible([each.message, each.action].filter(Boolean).join(": "))),
            ),
          ),
        ),
      );
      here.said(found.healthy ? "Healthy" : "Not healthy");
    } catch (/** @type {any} */ error) {
      if (error.name !== "AbortError") fill(body, trouble(error));
    }
  };
  button.addEventListener("click", check);
  return el(
    "section",
    { class: "tile health", "aria-label": "Health" },
    el("h2", {}, "Health"),
    el("p", {}, button),
    body,
  );
}

/** @param {any} found */
function reads(found) {
  const mine = found.codebases[0] ?? { sessions: 0, modes: {}, bytes_saved: 0, tokens_saved: 0 };
  const modes = Object.entries(mine.modes);
  return [
    el(
      "p",
      { class: "big" },
      grouped(mine.tokens_saved),
      el("span", {}, ` tokens saved in ${count(mine.sessions, "session")}`),
    ),
    modes.length
      ? el(
          "dl",
          { class: "facts" },
          modes.map(([name, number]) => fact(visible(name), grouped(number))),
        )
      : el("p", { class: "nothing" }, "No file was read through the cache yet."),
  ];
}

/** @param {any} found */
function jobs(found) {
  if (!found.jobs.length) return el("p", { class: "nothing" }, "None have run.");
  return el(
    "ul",
    { class: "checks" },
    found.jobs
      .slice(0, 20)
      .map((/** @type {any} */ job) =>
        el(
          "li",
          {},
          el("span", { class: `level ${ENDS[job.status] ?? "busy"}` }, visible(job.status ?? "")),
          el("span", {}, visible(job.context ?? job.id)),
          el("span", { class: "about" }, visible(job.failure?.message ?? job.phase ?? "")),
        ),
      ),
  );
}

/** @param {string} name @param {any} value */
export function fact(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}
