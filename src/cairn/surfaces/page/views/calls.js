// Who calls something and what it calls, drawn to be walked and opened in place, with the same as a list.

import { standing, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";
import { drawing, legend } from "./drawing.js";
import { Graph } from "./model.js";
import { Files, preview } from "./glimpse.js";
import { list } from "./neighbours.js";

/** @typedef {import("./model.js").Node} Node */
/** @typedef {import("./model.js").Call} Call */

const WAYS = [
  ["both", "Both ways"],
  ["callers", "Callers"],
  ["callees", "What it calls"],
];
const STEPS = numbers(1, 2, 3, 5, 10);
const SIDES = numbers(15, 30, 60, 150, 400, 1000);
const FANS = numbers(10, 25, 60, 150, 500);
const USUAL = { way: "both", steps: "1", side: "30", fan: "25" };

/** @param {HTMLElement} main @param {any} place @param {any} here */
export async function show(main, place, here) {
  const view = new Calls(main, place, here);
  await view.load();
  view.listen();
}

class Calls {
  /** @param {HTMLElement} main @param {any} place @param {any} here */
  constructor(main, place, here) {
    this.main = main;
    this.here = here;
    this.name = place.line ? `${place.rest}:${place.line}` : place.rest;
    const value = (/** @type {string} */ name, usual = "") => place.values.get(name) ?? usual;
    this.limits = Object.fromEntries(Object.entries(USUAL).map(([name, usual]) => [name, value(name, usual)]));
    this.notes = value("notes");
    this.open = new Set(listed(value("open")));
    this.unfolded = new Set(listed(value("tests")));
    /** @type {string | null} */
    this.picked = value("at") || null;
    /** @type {{seen?: any}} */
    this.kept = {};
    this.files = new Files(here);
  }

  /** The address of what is shown, with some of it changed. @param {Record<string, unknown>} other */
  address(other = {}) {
    const own = Object.fromEntries(
      Object.entries(this.limits).map(([name, now]) => [name, now === usualOf(name) ? null : now]),
    );
    const shown = { open: [...this.open].join(","), tests: [...this.unfolded].join(","), at: this.picked };
    return link("calls", this.name, { in: this.here.root, ...own, notes: this.notes, ...shown, ...other });
  }

  /** The graph of another node, with the same limits. @param {string} id */
  to(id) {
    return link("calls", id, { ...Object.fromEntries(new URLSearchParams(this.address().split("?")[1])), ...NONE });
  }

  /** @param {string} name @param {Record<string, unknown>} other */
  async ask(name, other = {}) {
    const { way, steps, side, fan } = this.limits;
    const nodes = Math.min(2_000, way === "both" ? 2 * Number(side) + 1 : Number(side) + 1);
    const asked = { name, root: this.here.root, direction: way, depth: steps, nodes, fan_out: fan, notes: this.notes };
    return ask("/v1/callgraph", { ...asked, ...other }, this.here.signal);
  }

  async load() {
    const step = async (/** @type {string} */ id) => {
      try {
        return [[id, await this.ask(id, { direction: "both", depth: 1 })]];
      } catch (error) {
        if (this.here.signal.aborted) throw error;
        this.open.delete(id); // it is there no more
        return [];
      }
    };
    const [found, ...steps] = await Promise.all([this.ask(this.name), ...[...this.open].map(step)]);
    this.found = found;
    this.steps = new Map(/** @type {any} */ (steps.flat()));
    this.files = new Files(this.here);
    this.draw();
    const { here } = this;
    here.said(`${count(found.nodes.length, "definition")}, ${count(found.edges.length, "call")}`);
  }

  /** A new snapshot is asked again; what was opened, picked and seen stays. */
  listen() {
    this.here.onSnapshot?.(() => this.load().catch((error) => this.here.signal.aborted || this.here.again(error)));
    this.here.acts({ e: () => (this.picked ? (this.add(this.picked), true) : false) });
  }

  draw() {
    this.graph = new Graph(this.found, this.steps ?? new Map());
    const { found, here, graph } = this;
    const title = [...new Set(graph.rootNodes().map((node) => node.name))].join(", ") || this.name;
    this.beside = el("section", { class: "preview", "aria-label": "Code of what is picked" });
    this.figure = el("div", {});
    fill(
      this.main,
      el(
        "div",
        { class: "page wide graph-view" },
        el("h1", { tabindex: "-1" }, el("span", { class: "what" }, "Calls around "), el("bdi", {}, visible(title))),
        this.form(),
        this.choice(),
        warnings(found, (/** @type {string} */ parameter, /** @type {number} */ value) => this.lift(parameter, value)),
        found.nodes.length
          ? el(
              "div",
              { class: "split" },
              el("div", {}, this.figure, legend()),
              el("div", { class: "beside" }, this.beside, list(this)),
            )
          : el("p", { class: "nothing" }, "Nothing of this name is defined here."),
        standing(found),
      ),
    );
    if (!found.nodes.length) return;
    if (this.picked && !graph.nodes.has(this.picked)) this.picked = null;
    this.paint();
    this.preview();
  }

  /** Draw anew what is drawn, where it was. */
  paint() {
    const graph = /** @type {Graph} */ (this.graph);
    const { nodes, calls, folds } = graph.drawn(this.unfolded);
    const focused = document.activeElement?.closest(".node")?.getAttribute("data-id");
    const boxes = nodes.map((node) => ({
      id: node.id,
      column: node.column,
      label: node.name,
      under: `${node.path}:${node.line}`,
      title: `${node.name}, ${node.kind} at ${node.path}:${node.line}`,
      href: this.to(node.id),
      root: graph.roots.has(node.id),
      faint: Boolean(node.apart),
      opens: !graph.roots.has(node.id) && !this.open.has(node.id),
    }));
    const folded = folds.map((each) => ({
      id: each.id,
      column: each.side,
      label: each.what,
      under: "folded; a click shows them",
      title: `${each.what}, folded: show them`,
      fold: true,
    }));
    const said = (/** @type {string} */ id) => graph.nodes.get(id)?.name ?? "tests and examples";
    const edges = calls.map((call) => ({
      ...call,
      title:
        `${said(call.source)} calls ${said(call.target)}: ${call.tier}` +
        `${call.dispatch ? " by dispatch" : ""}, ${count(call.count, "time")}`,
    }));
    const doing = {
      picked: this.picked,
      kept: this.kept,
      pick: (/** @type {string} */ id) => this.pick(id),
      go: (/** @type {string} */ id) => (location.hash = this.to(id)),
      open: (/** @type {string} */ id) => this.add(id),
    };
    const roots = graph.rootNodes().map((node) => visible(node.name));
    fill(/** @type {HTMLElement} */ (this.figure), drawing([...boxes, ...folded], edges, named(roots), doing));
    const again = focused ? this.main.querySelector(`.node[data-id="${CSS.escape(focused)}"]`) : null;
    if (again instanceof SVGElement) again.focus({ preventScroll: true });
  }

  /** @param {string} id */
  pick(id) {
    const side = id.startsWith("fold:") ? id.slice("fold:".length) : null;
    if (side !== null) {
      this.unfolded.add(side);
      this.refined();
      return;
    }
    // The nodes stay what they are, so that a second click is one on the same.
    this.picked = id;
    history.replaceState(null, "", this.address());
    for (const each of this.main.querySelectorAll(".node"))
      each.classList.toggle("picked", each.getAttribute("data-id") === id);
    this.preview();
  }

  /** Add the step around a node, both ways. @param {string} id */
  async add(id) {
    if (this.open.has(id)) return;
    const step = await this.ask(id, { direction: "both", depth: 1 });
    this.open.add(id);
    this.picked = id;
    this.steps?.set(id, step);
    const before = this.graph?.nodes.size ?? 0;
    this.graph = new Graph(this.found, this.steps ?? new Map());
    this.here.said(`${count(this.graph.nodes.size - before, "more definition")}`);
    const seen = this.main.querySelector(".neighbours-list");
    seen?.replaceWith(list(this));
    this.refined();
  }

  /** @param {string} id */
  takeBack(id) {
    this.open.delete(id);
    this.steps?.delete(id);
    this.graph = new Graph(this.found, this.steps ?? new Map());
    this.main.querySelector(".neighbours-list")?.replaceWith(list(this));
    this.refined();
  }

  refined() {
    history.replaceState(null, "", this.address());
    this.paint();
    this.preview();
  }

  preview() {
    const graph = /** @type {Graph} */ (this.graph);
    const place = /** @type {HTMLElement} */ (this.beside);
    const node = this.picked ? graph.nodes.get(this.picked) : graph.rootNodes()[0];
    if (!node) return;
    const isRoot = graph.roots.has(node.id);
    const act = (/** @type {string} */ text, /** @type {() => void} */ click) =>
      el("button", { type: "button", on: { click } }, text);
    const ways = [
      el("a", { href: fileLink(this.here.root, node.path, node.line) }, "Open"),
      isRoot ? null : el("a", { href: this.to(node.id) }, "Its graph"),
      this.here.about ? act("Details", () => this.here.about({ name: `${node.path}:${node.line}` })) : null,
      isRoot
        ? null
        : this.open.has(node.id)
          ? act("Take the step back", () => this.takeBack(node.id))
          : act("Add a step", () => this.add(node.id)),
    ];
    preview(place, node, graph, this.files, this.here, ways);
  }

  form() {
    const { way, steps, side, fan } = this.limits;
    const change = (/** @type {Event} */ event) => {
      const form = /** @type {HTMLFormElement} */ (/** @type {HTMLElement} */ (event.currentTarget));
      location.hash = this.address(
        Object.fromEntries([...new FormData(form)].map(([name, now]) => [name, now === usualOf(name) ? null : now])),
      );
    };
    const fold = [-1, 1].flatMap((each) => (this.unfolded.has(String(each)) ? [String(each)] : []));
    return el(
      "form",
      { class: "filters", "aria-label": "What is drawn", on: { change, submit: stay } },
      select("way", "Direction", WAYS, way),
      select("steps", "Steps", STEPS, steps),
      select("side", "A side", withNow(SIDES, side), side),
      select("fan", "Of each", withNow(FANS, fan), fan),
      fold.length
        ? el("button", { type: "button", on: { click: () => this.refold() } }, "Fold tests and examples")
        : null,
    );
  }

  refold() {
    this.unfolded.clear();
    history.replaceState(null, "", this.address());
    this.draw();
  }

  /** Several definitions of a name are several things: one may be chosen. */
  choice() {
    const roots = /** @type {Graph} */ (this.graph).rootNodes();
    if (roots.length < 2) return null;
    return el(
      "nav",
      { class: "roots", "aria-label": "Which definition" },
      el("span", {}, `${count(roots.length, "definition")} of this name:`),
      roots.map((node) =>
        el(
          "a",
          { href: link("calls", node.path, { in: this.here.root }, node.line) },
          visible(node.path),
          el("span", { class: "at" }, `:${node.line}`),
        ),
      ),
    );
  }

  /** Show what a limit cut. @param {string} parameter @param {number} value */
  lift(parameter, value) {
    const both = this.limits.way === "both" ? 2 : 1;
    const own = { nodes: { side: Math.ceil((value - 1) / both) }, fan_out: { fan: value }, notes: { notes: value } };
    location.hash = this.address(/** @type {any} */ (own)[parameter] ?? {});
  }
}

const NONE = { open: null, tests: null, at: null };

/** @param {string[]} roots */
function named(roots) {
  return `Call graph of ${[...new Set(roots)].join(", ")}`;
}

/** @param {string} name */
function usualOf(name) {
  return /** @type {Record<string, string>} */ (USUAL)[name];
}

/** @param {string} text */
function listed(text) {
  return text.split(",").filter(Boolean);
}

/** @param {...number} values */
function numbers(...values) {
  return values.map((each) => [String(each), String(each)]);
}

/** @param {string[][]} options @param {string} now */
function withNow(options, now) {
  return options.some(([value]) => value === now) ? options : [...options, [now, now]];
}

/** @param {Event} event */
function stay(event) {
  event.preventDefault();
}

/** @param {string} name @param {string} text @param {string[][]} options @param {string} now */
export function select(name, text, options, now) {
  return el(
    "label",
    {},
    el("span", {}, text),
    el(
      "select",
      { name },
      options.map(([value, label]) => el("option", { value, selected: value === now }, label)),
    ),
  );
}
