// Who calls something and what it calls, drawn to be walked, with the same as a list.

import { changed, pathLink, standing, tier, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { drawing, legend } from "./drawing.js";
import { link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";

const WAYS = [
  ["both", "Both ways"],
  ["callers", "Callers"],
  ["callees", "What it calls"],
];
const BOUNDS = { nodes: 60, fan_out: 25, notes: null };

export async function show(main, place, here) {
  const name = place.line ? `${place.rest}:${place.line}` : place.rest;
  const direction = place.values.get("way") ?? "both";
  const depth = place.values.get("steps") ?? "1";
  const bounds = Object.fromEntries(Object.keys(BOUNDS).map((each) => [each, place.values.get(each)]));
  const asked = Object.fromEntries(Object.entries(BOUNDS).map(([each, most]) => [each, bounds[each] ?? most]));
  const found = await ask("/v1/callgraph", { name, root: here.root, direction, depth, ...asked }, here.signal);
  const byId = new Map(found.nodes.map((node) => [node.id, node]));
  const roots = new Set(found.roots);
  const title =
    found.nodes
      .filter((node) => roots.has(node.id))
      .map((node) => node.name)
      .join(", ") || name;
  const to = (id) => link("calls", id, { in: here.root, way: direction, steps: depth });
  const more = (parameter, value) =>
    (location.hash = link("calls", name, {
      in: here.root,
      way: direction,
      steps: depth,
      ...bounds,
      [parameter]: value,
    }));
  const change = () =>
    (location.hash = link("calls", name, { in: here.root, ...Object.fromEntries(new FormData(form)) }));
  const form = el(
    "form",
    { class: "filters", "aria-label": "What is drawn", on: { change, submit: (event) => event.preventDefault() } },
    select("way", "Direction", WAYS, direction),
    select(
      "steps",
      "Steps",
      [
        ["1", "1"],
        ["2", "2"],
        ["3", "3"],
      ],
      depth,
    ),
  );
  fill(
    main,
    el(
      "div",
      { class: "page wide" },
      el("h1", { tabindex: "-1" }, el("span", { class: "what" }, "Calls around "), el("bdi", {}, visible(title))),
      form,
      warnings(found, more),
      found.nodes.length
        ? el(
            "div",
            { class: "split" },
            el(
              "div",
              {},
              drawing(nodes(found, roots, to), edges(found, byId), `Call graph of ${visible(title)}`),
              legend(),
            ),
            list(found, byId, roots, to, here),
          )
        : el("p", { class: "nothing" }, "Nothing of this name is defined here."),
      standing(found),
    ),
  );
  here.said(`${count(found.nodes.length, "definition")}, ${count(found.edges.length, "call")}`);
}

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

function nodes(found, roots, to) {
  return found.nodes.map((node) => ({
    id: node.id,
    column: node.depth,
    label: node.name,
    under: `${node.path}:${node.line}`,
    title: `${node.name}, ${node.kind} at ${node.path}:${node.line}`,
    href: to(node.id),
    root: roots.has(node.id),
  }));
}

function edges(found, byId) {
  return found.edges.map((edge) => ({
    ...edge,
    title: `${byId.get(edge.source)?.name} calls ${byId.get(edge.target)?.name}: ${edge.tier}${edge.dispatch ? " by dispatch" : ""}, ${count(edge.count, "time")}`,
  }));
}

function list(found, byId, roots, to, here) {
  const group = (title, rows) =>
    rows.length > 0 &&
    el(
      "section",
      { "aria-label": title },
      el("h2", {}, title, " ", el("span", { class: "number" }, String(rows.length))),
      el("ul", { class: "neighbours" }, rows),
    );
  const row = (node, edge) =>
    el(
      "li",
      {},
      el("a", { class: "symbol", "data-item": true, href: to(node.id) }, el("bdi", {}, visible(node.name))),
      tier(edge?.tier, edge?.dispatch),
      changed(node),
      pathLink(here.root, node.path, edge && edge.source === node.id ? edge.lines[0] : node.line),
    );
  const into = found.edges.filter((edge) => roots.has(edge.target) && !roots.has(edge.source));
  const out = found.edges.filter((edge) => roots.has(edge.source) && !roots.has(edge.target));
  const shown = new Set([...roots, ...into.map((edge) => edge.source), ...out.map((edge) => edge.target)]);
  const further = found.nodes.filter((node) => !shown.has(node.id));
  return el(
    "div",
    { class: "beside" },
    group(
      "Defined at",
      found.nodes.filter((node) => roots.has(node.id)).map((node) => row(node)),
    ),
    group(
      "Called by",
      into.map((edge) => row(byId.get(edge.source), edge)),
    ),
    group(
      "Calls",
      out.map((edge) => row(byId.get(edge.target), edge)),
    ),
    group(
      "Further away",
      further.map((node) => row(node)),
    ),
    found.notes?.length
      ? el(
          "details",
          { class: "notes" },
          el("summary", {}, `${count(found.total_note_count ?? found.notes.length, "note")}: what could not be drawn`),
          el(
            "ul",
            {},
            found.notes.map((note) =>
              el("li", {}, pathLink(here.root, note.file, note.start_line), " ", visible(note.detail)),
            ),
          ),
        )
      : null,
  );
}
