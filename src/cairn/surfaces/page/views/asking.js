// The controls of a search: in which way one searches, and what is left out. The address holds what they say.

import { el } from "../kit/dom.js";
import { visible } from "../kit/text.js";
import { isByLine, WAYS } from "./question.js";

/** @typedef {import("./question.js").Values} Values */

export class Asking {
  /** @param {(values: Values, isRefined?: boolean) => void} go to the address of other values */
  constructor(go) {
    /** @type {Values} */
    this.values = {};
    this.go = go;
    this.ways = el(
      "fieldset",
      { class: "ways-of" },
      el("legend", { class: "unseen" }, "How to search"),
      WAYS.map(([value, text, title], at) =>
        el(
          "label",
          { title: `${title} (Alt-${at + 1})` },
          el("input", { type: "radio", name: "mode", value, "aria-keyshortcuts": `Alt+${at + 1}` }),
          el("span", {}, text),
        ),
      ),
    );
    this.lines = el(
      "span",
      { class: "toggles" },
      toggle("anycase", "aA", "Any case"),
      toggle("word", "\u201cw\u201d", "Whole words"),
    );
    this.chips = el("span", { class: "chips" });
    this.element = el(
      "form",
      {
        class: "filters search-form",
        "aria-label": "Filters",
        on: {
          change: (/** @type {Event} */ event) => this.changed(event),
          submit: (/** @type {Event} */ event) => event.preventDefault(),
        },
      },
      this.ways,
      this.lines,
      el(
        "label",
        {},
        el("span", {}, "Tests"),
        el(
          "select",
          { name: "tests" },
          [
            ["", "with"],
            ["without", "without"],
            ["only", "only"],
          ].map(([value, text]) => el("option", { value }, text)),
        ),
      ),
      el(
        "label",
        {},
        el("span", {}, "Path"),
        el("input", { name: "path", placeholder: "src/**", autocomplete: "off", spellcheck: "false" }),
      ),
      toggle("explain", "Explain", "What each signal added to the score"),
      this.chips,
    );
  }

  /** @param {Event} event */
  changed(event) {
    const values = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (this.element)));
    const ticks = { anycase: "", word: "", explain: "" };
    const field = /** @type {HTMLElement} */ (event.target);
    // Somebody who types a path refines it; the rest is another question.
    this.go(
      { ...this.values, ...ticks, .../** @type {Values} */ (values), shown: "" },
      field.getAttribute("name") === "path",
    );
  }

  /** Another way of searching, by its number. @param {number} at */
  way(at) {
    this.go({ ...this.values, mode: WAYS[at][0], shown: "" });
  }

  /** Be as the address is. @param {Values} values */
  follow(values) {
    this.values = values;
    const mode = WAYS.some(([value]) => value === (values.mode ?? "")) ? (values.mode ?? "") : "";
    for (const field of this.element.querySelectorAll("[name]")) {
      // Somebody may be typing into it at this moment.
      if (field instanceof HTMLInputElement && field.type === "radio") field.checked = field.value === mode;
      else if (field instanceof HTMLInputElement && field.type === "checkbox")
        field.checked = values[field.name] === "1";
      else if (
        field !== document.activeElement &&
        (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
      )
        field.value = values[field.name] ?? "";
    }
    this.lines.hidden = !isByLine(values);
    this.chips.replaceChildren(
      ...[
        ["lang", values.lang],
        ["mode", values.mode !== mode ? values.mode : ""],
      ]
        .filter(([, value]) => value)
        .map(([name, value]) =>
          el(
            "button",
            {
              type: "button",
              class: "chip",
              "aria-label": `Take away ${visible(`${value}`)}`,
              on: { click: () => this.go({ ...values, [`${name}`]: "" }) },
            },
            `${visible(`${value}`)} ×`,
          ),
        ),
    );
  }
}

/** @param {string} name @param {string} text @param {string} title */
function toggle(name, text, title) {
  return el(
    "label",
    { class: "check toggle", title },
    el("input", { type: "checkbox", name, value: "1", "aria-label": name === "explain" ? text : title }),
    el("span", { "aria-hidden": "true" }, text),
  );
}
