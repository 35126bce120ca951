// What a name means and where it is used, each place with how sure that is and who says so.

import { changed, cuts, layer, pathLink, pathText, standing, tier, trouble, waiting, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { el, fill } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { excerpt } from "../code/lines.js";
import { count, visible } from "../kit/text.js";

const MOST = 200;
const SYMBOL = "/v1/symbol";
const REFS = "/v1/refs";

export async function show(main, place, here) {
  const name = place.line ? `${place.rest}:${place.line}` : place.rest;
  const body = el("div", {}, waiting("Looking…"));
  fill(main, el("div", { class: "page" }, el("h1", { tabindex: "-1" }, el("bdi", {}, visible(name))), body));
  await names(body, name, here, "both");
}

/** Fill an element with the definitions of a name, its references, or both. */
export async function names(body, name, here, what, bounds = {}) {
  const found = (path) => ask(path, { name, root: here.root, limit: MOST, ...bounds[path] }, here.signal);
  const more = (path) => async (parameter, value) => {
    await names(body, name, here, what, { ...bounds, [path]: { ...bounds[path], [parameter]: value } });
    body.querySelector("[data-item]")?.focus({ preventScroll: true });
  };
  const parts = { definitions: what !== "references", references: what !== "definitions" };
  const asked = [parts.definitions && found(SYMBOL), parts.references && found(REFS)];
  try {
    const [defined, used] = await Promise.all(asked);
    const said = used
      ? [defined && cuts(defined, more(SYMBOL)), warnings(used, more(REFS))]
      : warnings(defined, more(SYMBOL));
    fill(body, defined && definitions(defined, here), used && references(used, here), said, standing(used || defined));
    const total = [defined && count(defined.total, "definition"), used && count(used.total, "reference")];
    here.said(total.filter(Boolean).join(", "));
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(
      body,
      trouble(error, () => names(body, name, here, what, bounds)),
    );
  }
}

function definitions(document, here) {
  const others = Object.entries(document.otherwise ?? {});
  return el(
    "section",
    { class: "definitions", "aria-label": "Definitions" },
    el("h2", {}, count(document.total, "definition")),
    document.results.length
      ? el(
          "ul",
          { class: "places" },
          document.results.map((each) => definition(each, here)),
        )
      : el("p", { class: "nothing" }, "Nothing in this codebase defines it: it may be local, or come from outside."),
    others.length
      ? el("p", { class: "cut" }, `Otherwise: ${others.map(([key, value]) => visible(`${key} ${value}`)).join(", ")}.`)
      : null,
  );
}

function definition(row, here) {
  return el(
    "li",
    { class: "definition" },
    el(
      "div",
      { class: "head" },
      el("span", { class: "kind" }, visible(row.kind)),
      el(
        "a",
        { class: "symbol", "data-item": true, href: fileLink(here.root, row.path, row.line) },
        el("bdi", {}, visible(row.qualified_name)),
      ),
      layer(row.layer),
      changed(row),
    ),
    row.signature && el("pre", { class: "signature" }, excerptText(row.signature)),
    row.doc && el("p", { class: "doc" }, visible(row.doc)),
    el(
      "div",
      { class: "where" },
      pathLink(here.root, row.path, row.line),
      el("a", { href: link("calls", row.path, { in: here.root }, row.line) }, "call graph"),
    ),
  );
}

function excerptText(text) {
  return excerpt(text, "python", 1).map((row) => row.querySelector(".text"));
}

function references(document, here) {
  const files = byFile(document.results);
  const tiers = Object.entries(document.tiers ?? {});
  return el(
    "section",
    { class: "references", "aria-label": "References" },
    el(
      "h2",
      {},
      count(document.total, "reference"),
      " ",
      el(
        "span",
        { class: "tiers" },
        tiers.map(([name, number]) => [tier(name), ` ${number} `]),
      ),
    ),
    [...files].map(([path, rows]) =>
      el(
        "div",
        { class: "file-uses" },
        el("h3", {}, pathText(path), " ", el("span", { class: "number" }, String(rows.length)), changed(rows[0])),
        el(
          "ul",
          { class: "uses" },
          rows.map((row) => use(row, here)),
        ),
      ),
    ),
    document.elsewhere
      ? el(
          "p",
          { class: "cut" },
          `${count(document.elsewhere, "use")} of the name surely mean something else and are not shown.`,
        )
      : null,
    document.complete === false ? el("p", { class: "cut" }, "There may be more: not every file was looked at.") : null,
  );
}

function use(row, here) {
  return el(
    "li",
    {},
    el(
      "a",
      { class: "use", "data-item": true, href: fileLink(here.root, row.path, row.line) },
      el("span", { class: "at" }, String(row.line)),
      el("code", {}, excerptText(row.text.trim().slice(0, 400))),
    ),
    el(
      "span",
      { class: "about" },
      el("span", { class: "role" }, visible(row.role)),
      row.within && el("span", { class: "within" }, "in ", el("bdi", {}, visible(row.within))),
      tier(row.tier, row.dispatch),
      layer(row.layer),
    ),
  );
}

function byFile(rows) {
  const found = new Map();
  for (const row of rows) found.set(row.path, [...(found.get(row.path) ?? []), row]);
  return found;
}
