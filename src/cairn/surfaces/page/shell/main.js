// The page itself: which view is shown, of which codebase, and what keys do.

import { trouble, waiting } from "../kit/answer.js";
import { ask, session, takeToken, Trouble } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { hear, step } from "../kit/keys.js";
import { link, parsed } from "../kit/place.js";
import { loaded } from "../kit/style.js";
import { base, tick, visible } from "../kit/text.js";
import { startTheme, switchTheme } from "../kit/theme.js";
import { ALL, choose, chosen, finish, offer, query, startBar } from "./bar.js";
import { keepPlaces, leave, restore, toTop, wasHere } from "./history.js";
import { live } from "./live.js";
import { tellWhenLost } from "./lost.js";
import { fold, Pane, paneOf, round, startPanes } from "./panes.js";

/** @typedef {import("./here.js").Here} Here */
/** @typedef {import("./here.js").About} About */
/** @typedef {ReturnType<typeof parsed>} Place */
/** @typedef {{show: (main: HTMLElement, place: any, here: any) => Promise<void>}} View */
/** @typedef {Record<string, (event?: Event) => unknown>} Acts */

/** @type {Record<string, [title: string, load: () => Promise<View>, styles: string[]]>} */
const VIEWS = {
  search: ["Search", () => import("../views/search.js"), []],
  file: ["File", () => import("../code/file.js"), ["file"]],
  names: ["Names", () => import("../about/names.js"), ["about"]],
  calls: ["Call graph", () => import("../views/calls.js"), ["graph"]],
  changes: ["Changes", () => import("../views/changes.js"), ["changes"]],
  commits: ["Past changes", () => import("../views/commits.js"), ["changes"]],
  rename: ["Rename", () => import("../views/rename.js"), ["rename"]],
  imports: ["Imports", () => import("../views/imports.js"), ["graph"]],
  map: ["Map", () => import("../views/map.js"), ["map"]],
  home: ["Dashboard", () => import("../views/home.js"), ["home"]],
};
const ANYWHERE = ["search", "home"];
/** Views beside which what is told of a name stays; to another one it is not carried along. */
const BESIDE = ["search", "file"];
/** Keys that mean the file wherever the focus is: whoever clicked a name has it in the right pane. */
const OF_FILE = ["K", "b", "y"];
const TICK_MS = 10_000;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const keys = /** @type {HTMLDialogElement} */ (document.getElementById("keys"));
const right = new Pane("right");
const contents = new Pane("outline");
/** @type {{of: string, outline: import("./outline.js").Outline | null, line: number}} */
let outlined = { of: "", outline: null, line: 0 };
let telling = new AbortController();
let leaving = new AbortController();
/** What keys do in the main pane and in the right one. @type {{main: Acts, right: Acts}} */
const acts = { main: {}, right: {} };
let queried = "";
let shown = "";
let isHeard = false;

/** The one codebase that an address is about, if it is one. @param {Place} place */
function rootOf(place) {
  const root = place.values.get("in") ?? chosen.value;
  if (root && root !== ALL) return root;
  return live.codebases.size === 1 ? [...live.codebases.keys()][0] : null;
}

/** What a view is given. @param {Place} place @param {AbortSignal} signal @returns {Here} */
function here(place, signal) {
  const given = place.values.get("in") ?? chosen.value;
  const root = rootOf(place);
  const begun = root && live.snapshotOf(root);
  /** @type {Here} */
  const found = {
    root,
    signal,
    codebases: () => (given && given !== ALL ? { root: given } : { all: true }),
    known: () => [...live.codebases.values()],
    said: (text) => fill(/** @type {Element} */ (document.getElementById("said")), text),
    again: () => void route(),
    acts: (own) => {
      acts.main = own;
    },
    watch: (watcher) => live.watch(watcher, signal),
    isUp: () => live.isUp,
    filter: (values) => {
      const address = link("search", "", { q: query.value, ...values, in: parsed(location.hash).values.get("in") });
      if (address === location.hash) return;
      finish();
      history.pushState(null, "", address);
      void route({ moved: true });
    },
    about: (about) => void tell(about, place).catch(sayWhy),
    outline: (symbols, addressOf) => {
      if (!signal.aborted) outline(symbols, addressOf, keyOf(place, root)).catch(sayWhy);
    },
    outlineAt: (line) => {
      if (signal.aborted) return;
      outlined.line = line;
      outlined.outline?.mark(line);
    },
    onSnapshot: (heard) => {
      isHeard = true;
      if (root) live.onSnapshot(root, heard, signal, begun);
    },
    onFile: (path, heard, version = null) => {
      if (root) live.onFile({ root, path, version, heard }, signal);
    },
  };
  return found;
}

/** @param {Place} place @param {string | null} root */
function keyOf(place, root) {
  return JSON.stringify([place.view, place.rest, root]);
}

/**
 * The right pane about a name; it stays when the view is left, so what it asks ends with it alone.
 * @param {About} about @param {Place} place
 */
async function tell(about, place) {
  telling.abort();
  telling = new AbortController();
  acts.right = {};
  const own = here(place, telling.signal);
  own.acts = (found) => {
    acts.right = found;
  };
  const { show } = await loaded(() => import("../about/about.js"), ["about"]);
  await show(right, about, own);
}

/** Close the right pane. */
function untell() {
  telling.abort();
  acts.right = {};
  right.hide();
}

/** @param {any[]} symbols @param {(line: number) => string} addressOf @param {string} of */
async function outline(symbols, addressOf, of) {
  const own = { of, outline: null, line: 0 };
  outlined = own;
  if (!symbols.length) return contents.hide();
  const { Outline } = await loaded(() => import("./outline.js"));
  // Another file is shown by now.
  if (outlined !== own) return;
  outlined.outline = new Outline(symbols, addressOf);
  contents.show(el("h2", {}, "Outline"), outlined.outline.element);
  if (outlined.line) outlined.outline.mark(outlined.line);
}

/** Show what the address says. `moved`: it was another one before. */
async function route({ focus = false, moved = false } = {}) {
  leaving.abort();
  leaving = new AbortController();
  leave();
  acts.main = {};
  isHeard = false;
  const { signal } = leaving;
  const place = parsed(location.hash);
  const view = VIEWS[place.view] ? place.view : "search";
  const [title, load, styles] = VIEWS[view];
  const inAddress = place.values.get("in");
  if (inAddress) choose(inAddress);
  const given = here(place, signal);
  const of = keyOf(place, given.root);
  if (outlined.of !== of) void outline([], String, "");
  mark(view, place, given.root);
  if (moved || document.activeElement !== query) {
    if (view === "search") query.value = place.values.get("q") ?? "";
    else if (![ALL, chosen.value].includes(queried)) query.value = "";
  }
  // What is asked of one codebase is not asked of the next.
  queried = chosen.value;
  const about = view === "search" ? place.values.get("q") : base(place.rest);
  document.title = visible([about, title, "Cairn"].filter(Boolean).join(" · "));
  if (view !== "search" && main.dataset.view !== view) fill(main, waiting("Looking…"));
  if (main.dataset.view && main.dataset.view !== view && !BESIDE.includes(view)) untell();
  main.dataset.view = view;
  main.setAttribute("aria-busy", "true");
  if (moved && !wasHere() && (of !== shown || view === "search")) toTop(main);
  shown = of;
  try {
    const { show } = await loaded(load, styles);
    if (signal.aborted) return;
    if (!ANYWHERE.includes(view) && !given.root)
      throw new Trouble({ code: "usage", message: "This view is of one codebase.", hint: "Choose one above." });
    await show(main, place, given);
  } catch (error) {
    if (!signal.aborted && !(error instanceof Error && error.name === "AbortError"))
      fill(
        main,
        el(
          "div",
          { class: "page" },
          el("h1", { class: "unseen", tabindex: "-1" }, title),
          trouble(/** @type {Trouble} */ (error), () => void route()),
        ),
      );
  }
  // What comes now is a later route's affair, if there is one.
  if (signal.aborted) return;
  main.removeAttribute("aria-busy");
  if (focus) focusHead();
  restore(main);
}

/** Say in the bar and beside it where one is. @param {string} view @param {Place} place @param {string | null} root */
function mark(view, place, root) {
  for (const way of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-way]"))) {
    if (way.dataset.way === view) way.setAttribute("aria-current", "page");
    else way.removeAttribute("aria-current");
  }
  document.dispatchEvent(
    new CustomEvent("cairn-place", { detail: { root, path: view === "file" ? place.rest : null } }),
  );
}

function focusHead() {
  if (main.contains(document.activeElement) && document.activeElement !== main) return;
  /** @type {HTMLElement} */ (main.querySelector("h1") ?? main).focus({ preventScroll: true });
}

/** Say why something that was asked for is not there. @param {Error} error */
function sayWhy(error) {
  fill(/** @type {Element} */ (document.getElementById("said")), error.message);
}

/** What a key does where the focus is. @param {string} key @param {KeyboardEvent} event */
function pressed(key, event) {
  const pane = paneOf(document.activeElement);
  const own = acts[/** @type {"main" | "right"} */ (pane.id)]?.[key];
  if (own && own(event) !== false) return true;
  if (OF_FILE.includes(key) && pane !== main && acts.main[key]) return acts.main[key](event);
  const root = rootOf(parsed(location.hash));
  switch (key) {
    case "/":
      query.focus();
      query.select();
      return true;
    case "j":
    case "k":
      return step(pane, key === "j" ? 1 : -1);
    case "Esc":
      if (document.activeElement === query) {
        // A browser would clear the field.
        event.preventDefault();
        const first = /** @type {HTMLElement | null} */ (main.querySelector("[data-item]"));
        if (first) first.focus();
        else query.blur();
      } else if (right.isShown && pane.id !== "left") {
        untell();
        main.focus({ preventScroll: true });
      } else if (pane !== main) main.focus({ preventScroll: true });
      return false;
    case "t":
      return (switchTheme(), true);
    case "?":
      return (void help().catch(sayWhy), true);
    case "[":
      return fold("left");
    case "]":
      return fold("right");
    case "g s":
      location.hash = link("search", "", { in: root });
      return (query.focus(), true);
    case "g m":
      return ((location.hash = link("map", "", { in: root })), true);
    case "g v":
      return ((location.hash = link("changes", "", { in: root })), true);
    case "g p":
      return ((location.hash = link("commits", "", { in: root })), true);
    case "g h":
      return ((location.hash = link("home", "", { in: root })), true);
    default:
      return false;
  }
}

/** The line is up again: what could not be answered is asked again, and so is what hears of no snapshot. */
function mended() {
  if (main.querySelector(".trouble") || !isHeard) void route();
}

/** @param {KeyboardEvent} event */
function chord(event) {
  const isOwn = event.ctrlKey || event.metaKey;
  if (event.key === "F6" || (event.ctrlKey && event.key === ".")) {
    event.preventDefault();
    round(event.shiftKey ? -1 : 1);
  } else if (isOwn && !event.altKey && !event.shiftKey && ["k", "p", "t"].includes(event.key.toLowerCase())) {
    event.preventDefault();
    palette().catch(sayWhy);
  }
}

async function palette(typed = "") {
  // What is typed until its code is there is meant for it.
  const early = new AbortController();
  const taken = (/** @type {KeyboardEvent} */ event) => {
    if (event.key.length > 1 || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    typed += event.key;
  };
  document.addEventListener("keydown", taken, { capture: true, signal: early.signal });
  const { open } = await loaded(() => import("./palette.js"), ["palette"]).finally(() => early.abort());
  const place = parsed(location.hash);
  open({ root: rootOf(place), place, symbols: outlined.outline?.symbols ?? [] }, typed);
}

async function help() {
  const { showKeys } = await loaded(() => import("./help.js"));
  showKeys(keys, String(main.dataset.view));
}

/** @param {unknown} error @param {boolean} [isWrong] whether a token was given that is not this daemon's */
async function failed(error, isWrong = false) {
  const code = /** @type {Trouble} */ (error).code;
  if (code === "no_access") return (await import("./access.js")).withoutAccess(main, isWrong);
  fill(
    main,
    el(
      "div",
      { class: "page" },
      trouble(/** @type {Trouble} */ (error), () => location.reload()),
    ),
  );
}

async function start() {
  startTheme();
  keepPlaces(main);
  document.getElementById("help")?.addEventListener("click", () => help().catch(sayWhy));
  document.getElementById("palette-open")?.addEventListener("click", () => palette().catch(sayWhy));
  document.getElementById("skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  try {
    await takeToken();
  } catch (error) {
    window.addEventListener("hashchange", () => location.reload());
    return failed(error, true);
  }
  window.addEventListener("hashchange", () => {
    if (/[#&?]token=/.test(location.hash)) return location.reload();
    const isTyping = parsed(location.hash).view === "search" && document.activeElement === query;
    void route({ focus: !isTyping, moved: true });
  });
  hear(pressed);
  document.addEventListener("keydown", chord);
  startBar(() => void route());
  startPanes(main);
  try {
    live.begin((await ask("/v1/codebases")).codebases);
  } catch (error) {
    return failed(error);
  }
  offer();
  const always = new AbortController().signal;
  let known = live.codebases.size;
  live.watch(() => {
    if (live.codebases.size !== known) offer();
    known = live.codebases.size;
  }, always);
  tellWhenLost(() => void route());
  live.mended.add(mended);
  live.start();
  setInterval(tick, TICK_MS);
  const { startTree } = await import("./tree.js");
  startTree();
  await route({ moved: true });
  if (parsed(location.hash).view === "search") query.focus();
  // The cookie is kept for another time from now on; where that fails the one that is there goes on.
  session().catch(() => undefined);
}

void start();
