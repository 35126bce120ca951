// What a change means beyond its lines: who uses what was changed, what is broken, which tests to run; and as Markdown.

import { pathLink, tier } from "../kit/answer.js";
import { el } from "../kit/dom.js";
import { fileLink, link } from "../kit/place.js";
import { count, visible } from "../kit/text.js";

const SHOWN = 6;

/** How tests of a language are run; of others the files are named. @type {[RegExp, (tests: any[]) => string][]} */
const RUNNERS = [
  [/\.py$/, (tests) => `pytest ${tests.flatMap(named).join(" ")}`],
  [
    /\.go$/,
    (tests) =>
      `go test ${folders(tests)
        .map((each) => `./${each}`)
        .join(" ")}`,
  ],
  [/\.rs$/, () => "cargo test"],
  [/\.rb$/, (tests) => `bundle exec rspec ${tests.map((each) => shell(each.path)).join(" ")}`],
  [/\.[cm]?[jt]sx?$/, (tests) => `npm test -- ${tests.map((each) => shell(each.path)).join(" ")}`],
];

export class Consequence {
  /** @param {any} impact the answer @param {number} most tests @param {any[]} files those that differ */
  constructor(impact, most, files) {
    this.impact = { ...impact, symbols: withoutMoves(impact.symbols, files) };
    this.tests = impact.tests.slice(0, most);
    this.allTests = impact.tests.length;
    const names = new Map();
    for (const each of this.impact.symbols) names.set(each.name, (names.get(each.name) ?? 0) + 1);
    /** How many changed definitions bear a name. @type {Map<string, number>} */
    this.names = names;
    this.changed = new Set(this.impact.symbols.map((/** @type {any} */ each) => `${each.path} ${each.name}`));
  }

  /** The definitions of a file that were changed. @param {string} path @returns {any[]} */
  of(path) {
    return this.impact.symbols.filter((/** @type {any} */ each) => each.path === path);
  }

  /** Who uses a changed definition in one step, outside of the change. @param {any} symbol @returns {any[]} */
  users(symbol) {
    return this.impact.users.filter(
      (/** @type {any} */ each) =>
        each.distance === 1 &&
        (each.of === symbol.name || (symbol.former && each.of === symbol.former)) &&
        !this.changed.has(`${each.path} ${each.name}`),
    );
  }

  /** What is gone, or has another name, and is still used. @returns {any[]} */
  broken() {
    return this.impact.symbols.filter((/** @type {any} */ each) => each.still_used > 0);
  }

  /** One command line for the tests of each language. @returns {string[]} */
  commands() {
    const left = [...this.tests];
    const found = [];
    for (const [pattern, line] of RUNNERS) {
      const some = left.filter((each) => pattern.test(each.path));
      if (some.length) found.push(line(some));
      for (const each of some) left.splice(left.indexOf(each), 1);
    }
    return left.length ? [...found, left.map((each) => shell(each.path)).join(" ")] : found;
  }
}

/**
 * What went with its file to another path is neither new nor gone, as long as nothing names the former place.
 * @param {any[]} symbols @param {any[]} files
 */
function withoutMoves(symbols, files) {
  const former = new Map(files.filter((each) => each.former !== each.path).map((each) => [each.path, each.former]));
  const key = (/** @type {string} */ path, /** @type {string} */ name) => `${path} ${name}`;
  const has = (/** @type {string} */ change) =>
    new Set(symbols.filter((each) => each.change === change).map((each) => key(each.path, each.name)));
  const [added, removed] = [has("added"), has("removed")];
  const later = new Map([...former].map(([path, before]) => [before, path]));
  return symbols.filter((each) => {
    if (each.change === "added") return !removed.has(key(former.get(each.path) ?? "", each.name));
    if (each.change !== "removed" || each.still_used) return true;
    return !added.has(key(later.get(each.path) ?? "", each.name));
  });
}

/** @param {any} test */
function named(test) {
  const names = test.names.map((/** @type {string} */ name) => shell(`${test.path}::${name.replaceAll(".", "::")}`));
  return names.length ? names : [shell(test.path)];
}

/** @param {any[]} tests */
function folders(tests) {
  return [...new Set(tests.map((each) => shell(each.path.replace(/\/?[^/]*$/, "") || ".")))];
}

/** A word of a command line; what means something to a shell is quoted. @param {string} word */
function shell(word) {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * What a changed definition means, beside its lines.
 * @param {Consequence} consequence @param {any} symbol @param {any} here
 */
export function beside(consequence, symbol, here) {
  const users = consequence.users(symbol);
  const kinds = [
    ["used by", users.filter((each) => each.role !== "override" && !each.apart)],
    ["implemented by", users.filter((each) => each.role === "override")],
    ["in tests and examples", users.filter((each) => each.role !== "override" && each.apart)],
  ];
  const shared = (consequence.names.get(symbol.name) ?? 1) > 1;
  const name = symbol.kind === "file" ? "outside of definitions" : symbol.name;
  return el(
    "section",
    { class: "consequence", "aria-label": `Impact of ${visible(name)}` },
    el(
      "h3",
      {},
      symbol.line
        ? el("a", { class: "symbol", href: fileLink(here.root, symbol.path, symbol.line) }, visible(name))
        : el("span", { class: "symbol" }, visible(name)),
      " ",
      el("span", { class: `state ${STATES[symbol.change] ?? ""}` }, visible(symbol.change)),
    ),
    symbol.former ? el("p", { class: "about" }, `was ${visible(symbol.former)}`) : null,
    symbol.still_used
      ? el("p", { class: "broken" }, `${count(symbol.still_used, "use")} of it left, in what is listed here`)
      : null,
    kinds.map(([said, some]) =>
      /** @type {any[]} */ (some).length ? listed(String(said), /** @type {any} */ (some), here) : null,
    ),
    users.length || symbol.kind === "file"
      ? null
      : el("p", { class: "about" }, "no use outside of the change is known"),
    shared && users.length ? el("p", { class: "about" }, "several changed definitions bear this name") : null,
    symbol.line && symbol.kind !== "file"
      ? el("a", { class: "about", href: link("calls", symbol.path, { in: here.root }, symbol.line) }, "call graph")
      : null,
  );
}

/** @type {Record<string, string>} */
const STATES = { added: "good", removed: "bad", renamed: "busy" };

/** @param {string} said @param {any[]} users @param {any} here */
function listed(said, users, here) {
  const row = (/** @type {any} */ each) =>
    el(
      "li",
      {},
      pathLink(here.root, each.path, each.line),
      " ",
      el("span", { class: "symbol" }, visible(each.name)),
      " ",
      tier(each.tier),
    );
  const rest = users.slice(SHOWN);
  return [
    el("p", { class: "about" }, `${said} `, el("span", { class: "number" }, String(users.length))),
    el("ul", { class: "users" }, users.slice(0, SHOWN).map(row)),
    rest.length
      ? el(
          "details",
          {},
          el("summary", {}, `${count(rest.length, "more")}`.replace(/s$/, "")),
          el("ul", { class: "users" }, rest.map(row)),
        )
      : null,
  ];
}

/**
 * The whole as Markdown for a review.
 * @param {any} diff @param {Consequence | null} consequence @param {string} since
 */
export function markdown(diff, consequence, since) {
  const code = (/** @type {string} */ text) => {
    const ticks = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map((each) => each[0].length)) + 1);
    return ticks.length > 1 ? `${ticks} ${text} ${ticks}` : `\`${text}\``;
  };
  const lines = [`## Changes since ${code(since)}`, ""];
  for (const each of diff.files) {
    const size = each.added === null ? each.hidden || each.status : `+${each.added} -${each.removed}`;
    const from = each.former === each.path ? "" : `, was ${code(each.former)}`;
    lines.push(`- ${code(each.path)}: ${each.status}, ${size}${from}`);
  }
  if (!consequence) return `${lines.join("\n")}\n`;
  const broken = consequence.broken();
  if (broken.length) lines.push("", "### Removed, still used", "");
  for (const each of broken) {
    lines.push(`- ${code(each.former || each.name)} in ${code(each.path)}: ${count(each.still_used, "use")} left`);
    for (const user of consequence.users(each))
      lines.push(`  - ${code(`${user.path}:${user.line}`)} ${code(user.name)}`);
  }
  lines.push("", "### Impact", "");
  for (const each of consequence.impact.symbols) {
    const users = consequence.users(each);
    lines.push(`- ${code(each.name)} (${each.change}): ${count(users.length, "user")} outside of the change`);
    for (const user of users) lines.push(`  - ${code(`${user.path}:${user.line}`)} ${code(user.name)}, ${user.tier}`);
  }
  const commands = consequence.commands();
  if (commands.length) lines.push("", "### Tests to run", "", "```", ...commands, "```");
  return `${lines.join("\n")}\n`;
}
