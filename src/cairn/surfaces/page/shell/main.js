// The page itself: which view is shown, of which codebase, and what keys and colours do.

import { trouble, waiting } from "../kit/answer.js";
import { ask, hasToken, takeToken, Trouble } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { hear, showKeys, step } from "../kit/keys.js";
import { pause } from "../kit/pace.js";
import { link, parsed } from "../kit/place.js";
import { base, tick, visible } from "../kit/text.js";
import { startTheme, switchTheme } from "../kit/theme.js";
import { live } from "./live.js";
import { Outline } from "./outline.js";
import { Pane } from "./panes.js";

const VIEWS = {
  search: () => import("../views/search.js"),
  file: () => import("../code/file.js"),
  names: () => import("../about/names.js"),
  calls: () => import("../views/calls.js"),
  changes: () => import("../views/changes.js"),
  rename: () => import("../views/rename.js"),
  imports: () => import("../views/imports.js"),
  map: () => import("../views/map.js"),
  home: () => import("../views/home.js"),
};
const TITLES = {
  search: "Search",
  file: "File",
  names: "Names",
  calls: "Call graph",
  changes: "Changes",
  rename: "Rename",
  imports: "Imports",
  map: "Map",
  home: "Dashboard",
};
const FINISHED_MS = 1_500;
const TICK_MS = 10_000;
const ALL = "*";

const main = document.getElementById("main");
const query = document.getElementById("query");
const chosen = document.getElementById("codebase");
const right = new Pane("right");
const contents = new Pane("outline");
let outlined = { of: "", outline: null };
let telling = new AbortController();
let leaving = new AbortController();
let acts = {};
let typed = 0;
let finished = 0;
let isDraft = false;
let queried = "";

/** What a view is given, as shell/here.js describes it. */
function here(place, signal) {
  const root = place.values.get("in") ?? chosen.value;
  const one = root && root !== ALL ? root : null;
  const only = one ?? (live.codebases.size === 1 ? [...live.codebases.keys()][0] : null);
  return {
    root: only,
    signal,
    codebases: () => (one ? { root: one } : { all: true }),
    known: () => [...live.codebases.values()],
    said: (text) => fill(document.getElementById("said"), text),
    again: () => route(),
    acts: (own) => {
      acts = own;
    },
    watch: (watcher) => live.watch(watcher, signal),
    isUp: () => live.isUp,
    filter: (values) =>
      replace(link("search", "", { q: query.value, ...values, in: parsed(location.hash).values.get("in") })),
    about: (about) => tell(about, place),
    outline: (symbols, addressOf) => {
      if (!signal.aborted) outline(symbols, addressOf, keyOf(place, only));
    },
    outlineAt: (line) => {
      if (!signal.aborted) outlined.outline?.mark(line);
    },
    onSnapshot: (heard) => only && live.onSnapshot(only, heard, signal),
    onFile: (path, heard, version = null) => only && live.onFile({ root: only, path, version, heard }, signal),
  };
}

function keyOf(place, root) {
  return JSON.stringify([place.view, place.rest, root]);
}

/** The right pane about a name; it stays when the view is left, so what it asks ends with it alone. */
async function tell(about, place) {
  telling.abort();
  telling = new AbortController();
  const { show } = await import("../about/about.js");
  await show(right, about, here(place, telling.signal));
}

function outline(symbols, addressOf, of) {
  outlined = { of, outline: symbols.length ? new Outline(symbols, addressOf) : null };
  if (outlined.outline) contents.show(el("h2", {}, "Outline"), outlined.outline.element);
  else contents.hide();
}

function replace(address) {
  history.replaceState(null, "", address);
  route();
}

/** Show what the address says. */
async function route({ focus = false, moved = false } = {}) {
  leaving.abort();
  leaving = new AbortController();
  acts = {};
  const { signal } = leaving;
  const place = parsed(location.hash);
  const view = VIEWS[place.view] ? place.view : "search";
  const given = here(place, signal);
  if (outlined.of !== keyOf(place, given.root)) outline([], null, "");
  if (place.values.get("in")) choose(place.values.get("in"));
  for (const way of document.querySelectorAll("[data-way]")) {
    if (way.dataset.way === view) way.setAttribute("aria-current", "page");
    else way.removeAttribute("aria-current");
  }
  if (moved || document.activeElement !== query) {
    if (view === "search") query.value = place.values.get("q") ?? "";
    else if (![ALL, chosen.value].includes(queried)) query.value = "";
  }
  // What is asked of one codebase is not asked of the next.
  queried = chosen.value;
  const about = view === "search" ? place.values.get("q") : base(place.rest);
  document.title = visible([about, TITLES[view], "Cairn"].filter(Boolean).join(" · "));
  if (view !== "search" && main.dataset.view !== view) fill(main, waiting("Looking…"));
  main.dataset.view = view;
  main.setAttribute("aria-busy", "true");
  try {
    const { show } = await VIEWS[view]();
    if (view !== "search" && view !== "home" && !given.root)
      throw new Trouble({ code: "usage", message: "This view is of one codebase.", hint: "Choose one above." });
    await show(main, place, given);
  } catch (error) {
    if (!signal.aborted && error.name !== "AbortError")
      fill(
        main,
        el(
          "div",
          { class: "page" },
          el("h1", { class: "unseen", tabindex: "-1" }, TITLES[view]),
          trouble(error, () => route()),
        ),
      );
  }
  // What comes now is a later route's affair, if there is one.
  if (signal.aborted) return;
  main.removeAttribute("aria-busy");
  if (focus) focusHead();
}

function focusHead() {
  if (main.contains(document.activeElement) && document.activeElement !== main) return;
  (main.querySelector("h1") ?? main).focus({ preventScroll: true });
}

function search() {
  const place = parsed(location.hash);
  const values = place.view === "search" ? Object.fromEntries(place.values) : { in: place.values.get("in") };
  // How much is shown was asked for with the query before.
  const address = link("search", "", { ...values, shown: null, q: query.value });
  clearTimeout(finished);
  finished = setTimeout(finish, FINISHED_MS);
  if (place.view === "search" && address === location.hash) return void route();
  // One entry of the history for a query, and none for the words that it was made of.
  if (place.view === "search" && isDraft) return replace(address);
  isDraft = true;
  history.pushState(null, "", address);
  route();
}

/** What is typed next is another query. */
function finish() {
  clearTimeout(finished);
  isDraft = false;
}

function choose(root) {
  if (![...chosen.options].some((each) => each.value === root))
    chosen.append(el("option", { value: root }, visible(root === ALL ? "All codebases" : base(root))));
  chosen.value = root;
}

function offer() {
  const now = parsed(location.hash).values.get("in") ?? chosen.value;
  const roots = [...live.codebases.keys()].sort();
  const names = roots.map(base);
  fill(
    chosen,
    roots.map((root, at) =>
      el(
        "option",
        { value: root, title: visible(root) },
        visible(names.indexOf(names[at]) !== names.lastIndexOf(names[at]) ? root : names[at]),
      ),
    ),
    roots.length > 1 ? el("option", { value: ALL }, "All codebases") : null,
    roots.length ? null : el("option", { value: "" }, "no codebase"),
  );
  if (now) choose(now);
  else if (roots.length > 1) chosen.value = ALL;
}

function move() {
  const place = parsed(location.hash);
  const kept =
    place.view === "search" ? { ...Object.fromEntries(place.values), in: chosen.value } : { in: chosen.value };
  const view = ["search", "map", "home"].includes(place.view) ? place.view : "map";
  location.hash = link(view, "", kept);
}

function pressed(key, event) {
  const place = parsed(location.hash);
  if (acts[key]) return acts[key](event) !== false;
  const root = here(place, leaving.signal).root;
  switch (key) {
    case "/":
      query.focus();
      query.select();
      return true;
    case "j":
    case "k":
      return step(main, key === "j" ? 1 : -1);
    case "Esc":
      if (document.activeElement === query) main.querySelector("[data-item]")?.focus() ?? query.blur();
      return false;
    case "t":
      return (switchTheme(), true);
    case "?":
      return (showKeys(document.getElementById("keys")), true);
    case "g s":
      location.hash = link("search", "", { in: root });
      return (query.focus(), true);
    case "g m":
      return ((location.hash = link("map", "", { in: root })), true);
    case "g h":
      return ((location.hash = link("home", "", { in: root })), true);
    default:
      return false;
  }
}

function withoutToken() {
  fill(
    main,
    el(
      "div",
      { class: "page" },
      el("h1", { tabindex: "-1" }, "This page needs its key"),
      el("p", {}, "The daemon shows code only to whoever has its token, which is part of the address that it prints:"),
      el("pre", { class: "code" }, "cairn serve --http 127.0.0.1:0"),
      el("p", {}, "Open the address after ", el("code", {}, "open"), ". The token stays in this tab and goes with it."),
    ),
  );
}

async function start() {
  startTheme();
  takeToken();
  document.getElementById("help").addEventListener("click", () => showKeys(document.getElementById("keys")));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  if (!hasToken()) return withoutToken();
  query.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(search, pause());
  });
  query.addEventListener("blur", finish);
  document.getElementById("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(typed);
    const first = main.querySelector(".hit [data-item]");
    if (first && parsed(location.hash).values.get("q") === query.value) first.focus();
    else search();
    finish();
  });
  chosen.addEventListener("change", move);
  window.addEventListener("hashchange", () => {
    finish();
    if (/[#&]token=/.test(location.hash)) takeToken();
    route({ focus: parsed(location.hash).view !== "search" || document.activeElement !== query, moved: true });
  });
  hear(pressed);
  try {
    live.begin((await ask("/v1/codebases")).codebases);
  } catch (error) {
    fill(
      main,
      el(
        "div",
        { class: "page" },
        trouble(error, () => location.reload()),
      ),
    );
    return;
  }
  offer();
  await route({ moved: true });
  if (parsed(location.hash).view === "search") query.focus();
  setInterval(tick, TICK_MS);
  let known = live.codebases.size;
  live.watch(() => {
    if (live.codebases.size !== known) offer();
    known = live.codebases.size;
  }, new AbortController().signal);
  live.start();
}

start();
