// What the found is of: each value with how much of it there is, and a click to narrow to it or to take that away.

import { el } from "../kit/dom.js";
import { count, grouped, visible } from "../kit/text.js";
import { addressOf, chosen, FACETS, isByLine, narrowed } from "./question.js";

const FEW = 7;
/** @type {Record<string, string>} */
const ROLES = { code: "Code", tests: "Tests", docs: "Documentation", data: "Data" };

/**
 * @param {any} counted what the daemon counted of the whole list
 * @param {import("./question.js").Values} values
 */
export function facets(counted, values) {
  return FACETS.map(([name, , title]) => {
    const own = chosen(values, name);
    /** @type {any[]} */
    const rows = counted.facets[name];
    const gone = own.filter((value) => !rows.some((each) => each.value === value));
    const above = name === "folder" ? gone : [];
    const all = [...(name === "folder" ? [] : gone.map((value) => ({ value, files: 0, lines: 0 }))), ...rows];
    if (!all.length && !above.length) return null;
    const items = all.map((each) => row(name, each, own.includes(each.value), values));
    return el(
      "section",
      { class: "facet", "aria-label": title },
      el("h2", {}, title),
      above.map((value) => taken(name, value, values)),
      el("ul", {}, items.slice(0, FEW)),
      items.length > FEW
        ? el("details", {}, el("summary", {}, `${grouped(items.length - FEW)} more`), el("ul", {}, items.slice(FEW)))
        : null,
    );
  });
}

/** @param {string} name @param {any} each @param {boolean} isOn @param {import("./question.js").Values} values */
function row(name, each, isOn, values) {
  const number = isByLine(values) ? each.lines : each.files;
  const what = isByLine(values) ? count(each.lines, "line") : count(each.files, "place");
  return el(
    "li",
    {},
    el(
      "a",
      {
        class: isOn ? "value on" : "value",
        href: narrowed(values, name, each.value, !isOn),
        "aria-current": isOn ? "true" : null,
        "data-facet": name,
        title: `${visible(each.value)}: ${what}${isOn ? "; click to take it away" : ""}`,
      },
      el("bdi", {}, visible(shown(name, each.value))),
      el("span", { class: "number" }, isOn ? "×" : grouped(number)),
    ),
  );
}

/** A folder that is looked into: itself and those above it. @param {string} name @param {string} value
 *  @param {import("./question.js").Values} values */
function taken(name, value, values) {
  const parts = value.split("/");
  return el(
    "p",
    { class: "into" },
    el("a", { href: addressOf({ ...values, [name]: "", shown: "" }), title: "Look everywhere again" }, "all"),
    parts.map((part, at) => {
      const above = parts.slice(0, at + 1).join("/");
      return [
        " / ",
        at === parts.length - 1
          ? el("span", { "aria-current": "true" }, el("bdi", {}, visible(part)))
          : el("a", { href: narrowed(values, name, above, true) }, el("bdi", {}, visible(part))),
      ];
    }),
  );
}

/** @param {string} name @param {string} value */
function shown(name, value) {
  if (name === "role") return ROLES[value] ?? value;
  return name === "folder" ? `${value.slice(value.lastIndexOf("/") + 1)}/` : value;
}
