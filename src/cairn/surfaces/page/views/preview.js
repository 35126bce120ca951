// A planned edit as one reads it: group by group and file by file, each place with its line before and after.

import { pathText } from "../kit/answer.js";
import { el, fill } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { coded, count, visible } from "../kit/text.js";
import { GROUPS, LADDER } from "./choice.js";

/** @typedef {import("./choice.js").Group} Group */
/** @typedef {import("./choice.js").Place} Place */

/** The groups of a plan with their check boxes. */
export class Preview {
  /** @param {Group[]} groups @param {string | null} root @param {Set<string> | null} checked
   *  @param {() => void} looked called when something else is checked */
  constructor(groups, root, checked, looked) {
    this.groups = groups;
    this.root = root;
    this.looked = looked;
    this.boxes = groups.map((group) => this.fieldset(group, checked));
    this.element = el(
      "div",
      { class: "preview", on: { change: (/** @type {Event} */ event) => this.changed(event) } },
      this.ladder(),
      this.boxes,
    );
    this.follow();
  }

  /** The keys of the places that are checked. @returns {Set<string>} */
  checked() {
    const places = this.boxes.flatMap((box) => [...box.querySelectorAll("li input")]);
    return new Set(places.filter(isChecked).map((each) => /** @type {HTMLInputElement} */ (each).value));
  }

  /** How far to go, where there is more than what is proven. */
  ladder() {
    const names = LADDER.filter((name) => this.groups.some((group) => group.name === name));
    if (names.length < 2) return null;
    return el(
      "p",
      { class: "ladder" },
      "Take ",
      names.map((name, at) =>
        el(
          "button",
          { type: "button", on: { click: () => this.take(names.slice(0, at + 1)) } },
          at ? `and ${GROUPS[name].toLowerCase()}` : "what is proven",
        ),
      ),
    );
  }

  /** Check some groups, and no other of the ladder. @param {string[]} names */
  take(names) {
    this.groups.forEach((group, at) => {
      if (!LADDER.includes(group.name)) return;
      for (const each of this.boxes[at].querySelectorAll("li input"))
        /** @type {HTMLInputElement} */ (each).checked = names.includes(group.name);
    });
    this.follow();
    this.looked();
  }

  /** @param {Group} group @param {Set<string> | null} checked */
  fieldset(group, checked) {
    /** @type {Map<string, Place[]>} */
    const files = new Map();
    for (const each of group.places) files.set(each.path, [...(files.get(each.path) ?? []), each]);
    const title = `${GROUPS[group.name] ?? visible(group.name)}: ${count(group.places.length, "place")}`;
    return el(
      "fieldset",
      {},
      el(
        "legend",
        {},
        el(
          "label",
          { class: "group-head" },
          el("input", { type: "checkbox", class: "whole" }),
          ` ${title} in ${count(files.size, "file")}`,
        ),
      ),
      [...files].map(([path, places]) =>
        el(
          "section",
          { class: "of-file", "aria-label": `${title}, ${visible(path)}` },
          el(
            "h3",
            {},
            el(
              "label",
              {},
              el("input", { type: "checkbox", class: "whole" }),
              el("span", {}, pathText(path), el("span", { class: "number" }, ` ${places.length}`)),
            ),
          ),
          el(
            "ul",
            { class: "places" },
            places.map((each) => this.row(each, checked ? checked.has(each.key) : group.name === "proven")),
          ),
        ),
      ),
    );
  }

  /** @param {Place} each @param {boolean} isOn */
  row(each, isOn) {
    const [before, after] = around(each);
    return el(
      "li",
      { class: "hit" },
      el("input", {
        type: "checkbox",
        value: each.key,
        checked: isOn,
        "aria-label": `${visible(each.path)}:${each.line}`,
      }),
      el(
        "a",
        { class: "number", href: fileLink(this.root, each.path, each.line), "data-item": true },
        String(each.line),
      ),
      el(
        "code",
        {},
        coded(before),
        el("del", {}, coded(shortened(each.text))),
        el("ins", {}, coded(shortened(each.new_text))),
        coded(after),
      ),
    );
  }

  /** @param {Event} event */
  changed(event) {
    const box = /** @type {HTMLInputElement} */ (event.target);
    if (box.classList.contains("whole")) {
      const part = /** @type {Element} */ (box.closest("h3") ? box.closest(".of-file") : box.closest("fieldset"));
      for (const each of part.querySelectorAll("li input"))
        /** @type {HTMLInputElement} */ (each).checked = box.checked;
    }
    this.follow();
    this.looked();
  }

  /** Boxes of files and groups are as those in them. */
  follow() {
    for (const part of this.boxes.flatMap((box) => [box, ...box.querySelectorAll(".of-file")])) {
      const whole = /** @type {HTMLInputElement} */ (part.querySelector(".whole"));
      const all = [...part.querySelectorAll("li input")];
      const some = all.filter(isChecked).length;
      whole.checked = some === all.length;
      whole.indeterminate = some > 0 && some < all.length;
    }
  }

  /** Turn the box of the place that has the focus. @param {boolean} isFile the whole file's */
  turn(isFile) {
    const row = document.activeElement?.closest("li");
    const box = isFile ? row?.closest(".of-file")?.querySelector(".whole") : row?.querySelector("input");
    /** @type {HTMLElement | null | undefined} */ (box)?.click();
    return Boolean(box);
  }
}

/** What reads names at run time. @param {any} found @param {string | null} root */
export function constructs(found, root) {
  if (!found.constructs.length) return null;
  return el(
    "section",
    { class: "constructs", "aria-label": "What reads names at run time" },
    el("h2", {}, `These read names at run time: may one of them mean ${visible(found.target.name)}?`),
    el("p", { class: "cut" }, "Who writes the rename has answered for them, until they change."),
    el(
      "ul",
      { class: "uses" },
      found.constructs.map((/** @type {any} */ each) =>
        el(
          "li",
          {},
          el("a", { href: fileLink(root, each.path, each.line) }, pathText(`${each.path}:${each.line}`)),
          ` ${visible(each.why)} `,
          el("code", {}, visible(each.text)),
        ),
      ),
    ),
  );
}

/** A diff with its lines told apart. @param {string} text */
export function diff(text) {
  /** @type {Record<string, string>} */
  const kinds = { "+": "added", "-": "removed", "@": "hunk" };
  const pre = el("pre", { class: "code diff", tabindex: "0", "aria-label": "The diff" });
  return fill(
    pre,
    text.split("\n").map((line) => el("span", { class: `d ${kinds[line[0]] ?? ""}` }, coded(line), "\n")),
  );
}

/** @param {Element} each */
function isChecked(each) {
  return /** @type {HTMLInputElement} */ (each).checked;
}

/** What stands before and behind a place in its line. @param {Place} each */
function around(each) {
  const { whole, text } = each;
  /** @type {number[]} */
  const places = [];
  for (let at = whole.indexOf(text); text && at >= 0; at = whole.indexOf(text, at + 1)) places.push(at);
  // A line may be shown without its indentation, so of several places the one whose surroundings fit is meant.
  const fits = places.find(
    (at) =>
      whole.slice(0, at).endsWith(tail(each.before)) && whole.slice(at + text.length).startsWith(lead(each.after)),
  );
  const at = fits ?? places[0];
  if (at === undefined) return [tail(each.before), lead(each.after)];
  return [whole.slice(0, at).trimStart(), whole.slice(at + text.length)];
}

/** @param {string} text */
function lead(text) {
  return text.split("\n")[0];
}

/** @param {string} text */
function tail(text) {
  return text.slice(text.lastIndexOf("\n") + 1).trimStart();
}

/** Of a text of many lines the first. @param {string} text */
function shortened(text) {
  const [first, ...rest] = text.split("\n");
  return rest.length ? `${first} …` : first;
}
