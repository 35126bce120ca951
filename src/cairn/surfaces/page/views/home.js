// The dashboard: every codebase as it stands now, what needs somebody first; then what is known of the chosen one.

import { trouble } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { base, grouped, visible, when } from "../kit/text.js";
import { about, everywhere, fact } from "./tiles.js";

/** @typedef {import("../shell/here.js").Here} Here */

/** @type {Record<string, [string, string]>} */
const STATES = {
  indexed: ["good", "indexed"],
  sync_completed: ["good", "up to date"],
  indexing: ["busy", "being indexed"],
  indexfailed: ["bad", "failed"],
  requires_reindex: ["bad", "needs a new index"],
  not_found: ["bad", "not indexed"],
};

/** @param {HTMLElement} main @param {any} place @param {Here} here */
export async function show(main, place, here) {
  const cards = el("ul", { class: "cards", "aria-label": "Codebases" });
  const line = el("p", { class: "live", role: "status" });
  const details = el("div", { class: "details" });
  const home = el("div", { class: "details" });
  fill(
    main,
    el(
      "div",
      { class: "page wide" },
      el("header", { class: "row-head" }, el("h1", { tabindex: "-1" }, "Dashboard"), line),
      cards,
      details,
      home,
    ),
  );
  everywhere(home, here);
  let snapshot = "";
  /** @type {Map<string, {told: string, element: HTMLElement}>} */
  const drawn = new Map();
  const draw = () => {
    const known = here.known().sort((a, b) => urgency(a) - urgency(b) || a.root.localeCompare(b.root));
    for (const root of drawn.keys()) if (!known.some((each) => each.root === root)) drawn.delete(root);
    for (const each of known) {
      const told = JSON.stringify(each);
      if (drawn.get(each.root)?.told !== told)
        drawn.set(each.root, { told, element: card(each, each.root === here.root, here) });
    }
    const elements = known.map((each) => /** @type {{element: HTMLElement}} */ (drawn.get(each.root)).element);
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

/** What needs somebody comes first, then what is under way. @param {any} each */
function urgency(each) {
  if (!each.present || each.last_error || STATES[each.state]?.[0] !== "good") return each.state === "indexing" ? 1 : 0;
  return each.syncing ? 1 : 2;
}

/** @param {any} each @param {boolean} chosen @param {Here} here */
function card(each, chosen, here) {
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
    kind === "good" && each.present ? el("p", { class: "deed" }, sync(each, here)) : null,
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

/** Bring a codebase up to date: any question does that first, where it is asked to. @param {any} each
 *  @param {Here} here */
function sync(each, here) {
  const said = el("span", { role: "status" });
  const run = async () => {
    button.toggleAttribute("disabled", true);
    fill(said, " looking at the tree…");
    try {
      await ask("/v1/map", { root: each.root, budget: 1, sync: true, timeout_ms: 300_000 }, here.signal);
      fill(said, " up to date");
      here.said(`${base(each.root)} is up to date`);
    } catch (/** @type {any} */ error) {
      if (error.name !== "AbortError") fill(said, trouble(error));
    }
    button.toggleAttribute("disabled", false);
  };
  const button = el("button", { type: "button", on: { click: run } }, "Bring up to date");
  return [button, said];
}
