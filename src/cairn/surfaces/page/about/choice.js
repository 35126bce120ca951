// What is chosen of uses: filters by tier, role and tests, as controls; everything of it stands in the address.

import { el } from "../kit/dom.js";
import { grouped, visible } from "../kit/text.js";

export const TIERS = ["semantic", "proven", "likely", "name"];
export const ROLES = ["call", "write", "read", "type", "import"];
const TESTS = { all: "with tests", none: "without tests", only: "tests only" };
const ROLE_NAMES = { call: "calls", write: "writes", read: "reads", type: "types", import: "imports" };

/** The tier as it is shown: what a compiler's index says is surer than any chain. @param {any} use */
export function tierOf(use) {
  return use.layer === "semantic" ? "semantic" : use.tier;
}

/** @param {any} use */
export function roleOf(use) {
  return ROLES.includes(use.role) ? use.role : "read";
}

export class Choice {
  /** @param {URLSearchParams} values */
  constructor(values) {
    const listed = (/** @type {string} */ name) => new Set((values.get(name) ?? "").split(",").filter(Boolean));
    /** @type {Set<string>} none: all of them */
    this.tiers = listed("tier");
    /** @type {Set<string>} none: all of them */
    this.roles = listed("role");
    this.tests = values.get("tests") ?? "all";
    this.glob = values.get("glob") ?? "";
  }

  values() {
    return {
      tier: [...this.tiers].join(","),
      role: [...this.roles].join(","),
      tests: this.tests === "all" ? "" : this.tests,
      glob: this.glob,
    };
  }

  get isAll() {
    return !this.tiers.size && !this.roles.size && this.tests === "all";
  }

  /** @param {any} file */
  hasFile(file) {
    return this.tests === "all" || file.tests === (this.tests === "only");
  }

  /** @param {any} use */
  has(use) {
    return (!this.tiers.size || this.tiers.has(tierOf(use))) && (!this.roles.size || this.roles.has(roleOf(use)));
  }
}

/**
 * The controls; `counts` says how many uses there are of each tier and role.
 * @param {Choice} choice @param {{tiers: Map<string, number>, roles: Map<string, number>, tests: number}} counts
 * @param {() => void} changed @param {(glob: string) => void} ask
 */
export function controls(choice, counts, changed, ask) {
  const several = (
    /** @type {string} */ label,
    /** @type {string[]} */ all,
    /** @type {Set<string>} */ chosen,
    /** @type {Map<string, number>} */ numbers,
  ) => {
    const present = all.filter((each) => numbers.get(each) || chosen.has(each));
    if (!present.length) return null;
    return el(
      "div",
      { class: "chips", role: "group", "aria-label": label },
      present.map((each) => chip(each, chosen, numbers.get(each) ?? 0, changed)),
    );
  };
  const tests = el(
    "select",
    {
      "aria-label": "Uses in tests",
      on: { change: (/** @type {any} */ event) => ((choice.tests = event.target.value), changed()) },
    },
    Object.entries(TESTS).map(([value, text]) => el("option", { value, selected: value === choice.tests }, text)),
  );
  const glob = el("input", {
    type: "search",
    "aria-label": "Only files that match",
    placeholder: "only files like src/**",
    value: choice.glob,
    spellcheck: "false",
  });
  const form = el(
    "form",
    { class: "glob", on: { submit: (/** @type {Event} */ event) => (event.preventDefault(), ask(glob.value.trim())) } },
    glob,
  );
  glob.addEventListener("search", () => glob.value.trim() !== choice.glob && ask(glob.value.trim()));
  return el(
    "div",
    { class: "filters" },
    several("By how sure it is", TIERS, choice.tiers, counts.tiers),
    several("By what it does", ROLES, choice.roles, counts.roles),
    el("div", { class: "more-filters" }, counts.tests || choice.tests !== "all" ? tests : null, form),
  );
}

/** @param {string} name @param {Set<string>} chosen @param {number} number @param {() => void} changed */
function chip(name, chosen, number, changed) {
  const turn = () => {
    if (!chosen.delete(name)) chosen.add(name);
    changed();
  };
  return el(
    "button",
    {
      class: `chip ${TIERS.includes(name) ? `tier-${name}` : ""}`,
      type: "button",
      "aria-pressed": String(chosen.has(name)),
      "data-chip": name,
      on: { click: turn },
    },
    visible(/** @type {Record<string, string>} */ (ROLE_NAMES)[name] ?? (name === "name" ? "by name only" : name)),
    el("span", { class: "number" }, grouped(number)),
  );
}
