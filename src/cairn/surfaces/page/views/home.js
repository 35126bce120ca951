// The dashboard: every codebase as it stands now, and of the chosen one its snapshots, segments, health, jobs and reads.

import { trouble, waiting } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { timeline } from "./chart.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { base, count, grouped, size, visible, when } from "../kit/text.js";

const STATES = {
  indexed: ["good", "indexed"],
  sync_completed: ["good", "up to date"],
  indexing: ["busy", "being indexed"],
  indexfailed: ["bad", "failed"],
  requires_reindex: ["bad", "needs a new index"],
  not_found: ["bad", "not indexed"],
};

const UNDER_WAY = ["queued", "running"];
const AGAIN_MS = 1_000;

export async function show(main, place, here) {
  const cards = el("ul", { class: "cards", "aria-label": "Codebases" });
  const line = el("p", { class: "live", role: "status" });
  const details = el("div", { class: "details" });
  fill(
    main,
    el(
      "div",
      { class: "page wide" },
      el("header", { class: "row-head" }, el("h1", { tabindex: "-1" }, "Dashboard"), line),
      cards,
      details,
    ),
  );
  let snapshot = "";
  const drawn = new Map();
  const draw = () => {
    const known = here.known().sort((a, b) => a.root.localeCompare(b.root));
    for (const root of drawn.keys()) if (!known.some((each) => each.root === root)) drawn.delete(root);
    for (const each of known) {
      const told = JSON.stringify(each);
      if (drawn.get(each.root)?.told !== told)
        drawn.set(each.root, { told, element: card(each, each.root === here.root) });
    }
    const elements = known.map((each) => drawn.get(each.root).element);
    if (elements.length !== cards.children.length || elements.some((each, at) => each !== cards.children[at]))
      fill(cards, elements);
    if (!known.length)
      fill(
        cards,
        el(
          "li",
          { class: "card" },
          el("p", {}, "Nothing is indexed yet."),
          el("p", {}, el("code", {}, "cairn index PATH")),
        ),
      );
    fill(
      line,
      el("span", { class: here.isUp() ? "pulse" : "pulse down", "aria-hidden": "true" }),
      here.isUp() ? "live" : "not connected",
    );
    const mine = known.find((each) => each.root === here.root);
    if (mine?.snapshot_id && mine.snapshot_id !== snapshot) {
      snapshot = mine.snapshot_id;
      about(details, mine, here);
    }
  };
  here.watch(draw);
  draw();
}

function card(each, chosen) {
  const [kind, text] = STATES[each.state] ?? ["bad", each.state];
  const busy = each.syncing || each.state === "indexing";
  return el(
    "li",
    { class: chosen ? "card chosen" : "card" },
    el(
      "div",
      { class: "head" },
      el(
        "a",
        { href: link("home", "", { in: each.root }), "data-item": true, "aria-current": chosen ? "true" : null },
        el("bdi", {}, visible(base(each.root))),
      ),
      el(
        "span",
        { class: `state ${each.syncing ? "busy" : kind}` },
        each.syncing && kind === "good" ? "syncing" : text,
      ),
    ),
    el("p", { class: "root" }, el("bdi", {}, visible(each.root))),
    busy
      ? el(
          "div",
          { class: "progress" },
          el("progress", {
            max: 100,
            value: each.progress_pct ?? null,
            "aria-label": `Progress of ${visible(base(each.root))}`,
          }),
          el(
            "span",
            {},
            visible(
              [each.phase, each.progress_pct === null ? "" : `${Math.round(each.progress_pct)}%`]
                .filter(Boolean)
                .join(" "),
            ),
          ),
        )
      : null,
    el(
      "dl",
      { class: "facts" },
      fact("files", grouped(each.files)),
      fact("chunks", grouped(each.chunks)),
      fact("updated", when(each.updated_at)),
      fact("watched", each.watched ? "yes" : "no"),
    ),
    each.present ? null : el("p", { class: "hint" }, "Its folder is not there."),
    each.last_error
      ? el(
          "div",
          { class: "trouble small" },
          el("p", { class: "what" }, visible(each.last_error.message)),
          el("p", { class: "hint" }, visible(each.last_error.hint)),
        )
      : null,
  );
}

function fact(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}

/** The parts about one codebase; each asks for itself, so that one that fails leaves the others. */
function about(details, codebase, here) {
  const root = codebase.root;
  const part = (title, name, asked, shown, moves = () => false) => {
    const body = el("div", {}, waiting("Looking…"));
    const load = async () => {
      try {
        const found = await ask(asked, { root }, here.signal);
        fill(body, shown(found));
        if (moves(found)) setTimeout(() => body.isConnected && !here.signal.aborted && load(), AGAIN_MS);
      } catch (error) {
        if (error.name !== "AbortError") fill(body, trouble(error, load));
      }
    };
    load();
    return el("section", { class: `tile ${name}`, "aria-label": title }, el("h2", {}, title), body);
  };
  fill(
    details,
    el("h2", { class: "of-one" }, el("bdi", {}, visible(base(root)))),
    el(
      "div",
      { class: "tiles" },
      part("Snapshots", "snapshots", "/v1/snapshots", snapshots),
      part("Segments", "segments", "/v1/snapshots", segments),
      part("State", "status", "/v1/status", status),
      health(root, here),
      part("Read cache", "reads", "/v1/reads", reads),
      part("Semantic jobs", "jobs", "/v1/jobs", jobs, (found) =>
        found.jobs.some((job) => UNDER_WAY.includes(job.status)),
      ),
    ),
  );
}

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
            ["Snapshot", "When", "Cause", "Files", "Chunks"].map((each) => el("th", { scope: "col" }, each)),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((each) =>
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

function segments(found) {
  const active = found.snapshots.find((each) => each.snapshot_id === found.active) ?? found.snapshots[0];
  if (!active) return el("p", { class: "nothing" }, "There is none.");
  const most = Math.max(...active.segments.map((each) => each.size_bytes), 1);
  const whole = active.segments.reduce((sum, each) => sum + each.size_bytes, 0);
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
      active.segments.map((each) =>
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
          found.warnings.map((each) => el("li", {}, visible(each))),
        )
      : null,
  ];
}

/** Health reads every byte of the store, so it is looked at when somebody asks. */
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
          found.checks.map((each) =>
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
    } catch (error) {
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

function jobs(found) {
  if (!found.jobs.length) return el("p", { class: "nothing" }, "None have run.");
  return el(
    "ul",
    { class: "checks" },
    found.jobs
      .slice(0, 20)
      .map((job) =>
        el(
          "li",
          {},
          el(
            "span",
            { class: `level ${{ completed: "good", failed: "bad" }[job.status] ?? "busy"}` },
            visible(job.status ?? ""),
          ),
          el("span", {}, visible(job.context ?? job.id)),
          el("span", { class: "about" }, visible(job.failure?.message ?? job.phase ?? "")),
        ),
      ),
  );
}
