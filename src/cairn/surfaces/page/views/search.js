// The search: as one types, the best places with their code, and on demand why they are the best.

import { changed, pathLink, standing, trouble, waiting, warnings } from "../kit/answer.js";
import { ask } from "../kit/api.js";
import { excerpt, textPattern, wordsPattern } from "../code/lines.js";
import { el, fill } from "../kit/dom.js";
import { link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";

const SHOWN = 9;
const MODES = [
  ["", "Anything"],
  ["code", "Code"],
  ["docs", "Documentation"],
  ["symbol", "Symbols"],
  ["literal", "Exact text"],
  ["regex", "Expression"],
];
const KINDS = { literal: { literal: true }, regex: { regex: true } };
const LIMIT = 20;

/** Show the view, or bring the one that is there up to date. */
export async function show(main, place, here) {
  const view = main.querySelector("#search-view") ?? built(main);
  view.here = here;
  const values = Object.fromEntries(place.values);
  for (const field of view.querySelectorAll(".filters [name]")) {
    // Somebody may be typing into it at this moment.
    if (field === document.activeElement) continue;
    if (field.type === "checkbox") field.checked = values[field.name] === field.value;
    else field.value = values[field.name] ?? "";
  }
  const results = view.querySelector("#results");
  if (!(values.q ?? "").trim()) {
    fill(results, welcome(here));
    here.said("");
    return;
  }
  results.setAttribute("aria-busy", "true");
  if (!results.querySelector("li.hit")) fill(results, waiting("Searching…"));
  try {
    const document = await ask("/v1/search", asked(values, here), here.signal);
    fill(results, shown(document, values, here));
    here.said(document.results.length ? count(document.results.length, "result") : "Nothing was found");
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(
      results,
      trouble(error, () => here.again()),
    );
  }
  results.removeAttribute("aria-busy");
}

function asked(values, here) {
  const exact = KINDS[values.mode];
  return {
    q: values.q,
    ...here.codebases(),
    limit: values.limit ?? LIMIT,
    ...(exact ?? { mode: values.mode }),
    explain: values.explain === "1",
    lang: values.lang ? values.lang.split(/[\s,]+/).filter(Boolean) : null,
    glob: values.path ? values.path.split(/\s+/).filter(Boolean) : null,
    timeout_ms: 20_000,
  };
}

function built(main) {
  const change = () => view.here.filter(Object.fromEntries(new FormData(form)));
  const form = el(
    "form",
    { class: "filters", "aria-label": "Filters", on: { change, submit: (event) => event.preventDefault() } },
    el(
      "label",
      {},
      el("span", {}, "Look for"),
      el(
        "select",
        { name: "mode" },
        MODES.map(([value, text]) => el("option", { value }, text)),
      ),
    ),
    el(
      "label",
      {},
      el("span", {}, "Language"),
      el("input", {
        name: "lang",
        placeholder: "any",
        list: "languages",
        autocomplete: "off",
        on: { focus: () => offerLanguages(view.here) },
      }),
    ),
    el(
      "label",
      {},
      el("span", {}, "Path"),
      el("input", { name: "path", placeholder: "src/**", autocomplete: "off", spellcheck: "false" }),
    ),
    el(
      "label",
      { class: "check" },
      el("input", { type: "checkbox", name: "explain", value: "1" }),
      el("span", {}, "Explain"),
    ),
    el("datalist", { id: "languages" }),
  );
  const view = el(
    "div",
    { id: "search-view", class: "page" },
    el("h1", { class: "unseen", tabindex: "-1" }, "Search"),
    form,
    el("div", { id: "results" }),
  );
  fill(main, view);
  return view;
}

async function offerLanguages(here) {
  const list = document.getElementById("languages");
  if (!list || list.dataset.root === here.root || !here.root) return;
  list.dataset.root = here.root;
  try {
    const { languages } = await ask("/v1/map", { root: here.root, budget: 1 });
    fill(
      list,
      languages.map((each) => el("option", { value: each.language }, `${each.files}`)),
    );
  } catch {
    // Any language can be typed; what is offered is a convenience.
    delete list.dataset.root;
  }
}

function welcome(here) {
  const known = here.known();
  const files = known.reduce((sum, each) => sum + each.files, 0);
  return el(
    "section",
    { class: "welcome" },
    el("img", { src: "/page/icon.svg", alt: "", width: "72", height: "72" }),
    el(
      "p",
      { class: "lead" },
      known.length ? `${count(files, "file")} in ${count(known.length, "codebase")}.` : "Nothing is indexed yet.",
    ),
    known.length
      ? el("p", {}, "Ask a question, describe what the code does, or name something in it.")
      : el("p", {}, "Index a codebase with ", el("code", {}, "cairn index PATH"), "; it appears here by itself."),
    el(
      "p",
      { class: "keys-hint" },
      el("kbd", {}, "/"),
      " search ",
      el("kbd", {}, "j"),
      " ",
      el("kbd", {}, "k"),
      " move ",
      el("kbd", {}, "Enter"),
      " open ",
      el("kbd", {}, "?"),
      " all keys",
    ),
  );
}

function shown(document, values, here) {
  const said = warnings(document, (parameter, value) => here.filter({ ...values, [parameter]: value }));
  if (!document.results.length) {
    return [
      said,
      el(
        "p",
        { class: "nothing" },
        "Nothing was found. ",
        el(
          "span",
          {},
          values.lang || values.path || values.mode ? "The filters may be too narrow." : "Try other words.",
        ),
      ),
      standing(document),
    ];
  }
  const pattern = values.mode === "literal" ? null : wordsPattern(values.q);
  const most = Math.max(...document.results.map((each) => each.score));
  return [
    said,
    el(
      "ol",
      { class: "hits", "aria-label": "Results" },
      document.results.map((each) => hit(each, pattern, most, here)),
    ),
    document.limits_hit?.length
      ? el("p", { class: "cut" }, `Cut short by: ${document.limits_hit.map(visible).join(", ")}.`)
      : null,
    document.engine ? el("p", { class: "cut" }, `Matched by: ${visible(document.engine)}.`) : null,
    standing(document),
  ];
}

function hit(result, pattern, most, here) {
  const root = result.root ?? here.root;
  const marked = result.match ? textPattern(result.match) : pattern;
  const at = result.kind === "match" ? result.start_line : lineOfInterest(result, marked);
  const names =
    result.symbol &&
    el(
      "a",
      { class: "symbol", href: link("names", `${result.symbol}`, { in: root }) },
      el("bdi", {}, visible(result.symbol)),
    );
  return el(
    "li",
    { class: "hit" },
    el(
      "div",
      { class: "head" },
      pathLink(root, result.path, at, { "data-item": true }),
      names,
      changed(result),
      here.root ? null : el("span", { class: "of" }, visible(root.split("/").pop())),
      el(
        "span",
        { class: "score", part: most > 0 ? result.score / most : 0, title: `score ${result.score}` },
        el("span", { class: "unseen" }, `score ${result.score.toFixed(2)}`),
      ),
    ),
    body(result, marked, at),
    result.explain && explained(result),
  );
}

function body(result, marked, at) {
  const lines = result.text.replace(/\n$/, "").split("\n");
  const start = Math.max(0, Math.min(at - result.start_line - 2, lines.length - SHOWN));
  const pre = el("pre", {
    class: "code",
    tabindex: "0",
    "aria-label": `${base(result.path)}, from line ${result.start_line + start}`,
  });
  const few = lines.slice(start, start + SHOWN).join("\n");
  fill(pre, excerpt(few, result.language, result.start_line + start, marked));
  if (lines.length <= SHOWN) return pre;
  const all = el(
    "button",
    { class: "all-lines", type: "button", "aria-expanded": "false" },
    `All ${lines.length} lines`,
  );
  all.addEventListener("click", () => {
    const open = all.getAttribute("aria-expanded") === "true";
    all.setAttribute("aria-expanded", String(!open));
    all.textContent = open ? `All ${lines.length} lines` : "Fewer lines";
    fill(
      pre,
      open
        ? excerpt(few, result.language, result.start_line + start, marked)
        : excerpt(result.text, result.language, result.start_line, marked),
    );
  });
  return [pre, all];
}

function base(path) {
  return visible(path.slice(path.lastIndexOf("/") + 1));
}

/** The line that defines what the result is called, else the one with most of the query's words. */
function lineOfInterest(result, pattern) {
  const lines = result.text.split("\n");
  const name = (result.symbol ?? "").split(".").pop();
  const defined = name
    ? lines.findIndex(
        (line) =>
          new RegExp(
            `\\b(def|class|func|fn|function|struct|enum|trait|interface|type|module|const|let|var|public|private|static)\\b`,
          ).test(line) && line.includes(name),
      )
    : -1;
  if (defined >= 0) return result.start_line + defined;
  if (!pattern) return result.start_line;
  const scores = lines.map((line) => new Set((line.match(pattern) ?? []).map((word) => word.toLowerCase())).size);
  return result.start_line + Math.max(0, scores.indexOf(Math.max(...scores)));
}

function explained(result) {
  const rows = Object.entries(result.explain)
    .filter(([, value]) => typeof value === "number")
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const most = Math.max(...rows.map(([, value]) => Math.abs(value)), 1e-9);
  return el(
    "dl",
    { class: "explain", "aria-label": `Why: the signals of score ${result.score.toFixed(2)}` },
    rows.map(([name, value]) =>
      el(
        "div",
        {},
        el("dt", {}, visible(name.replace(/_/g, " "))),
        el(
          "dd",
          {},
          el("span", { class: value < 0 ? "meter less" : "meter", part: Math.abs(value) / most }),
          el("span", { class: "value" }, value.toFixed(2)),
        ),
      ),
    ),
  );
}
