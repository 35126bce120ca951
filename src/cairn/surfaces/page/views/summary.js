// The top of a change: what it comes to, what it breaks, and which tests see it.

import { pathText } from "../kit/answer.js";
import { el } from "../kit/dom.js";
import { fileLink } from "../kit/place.js";
import { count, grouped, visible } from "../kit/text.js";

/** @typedef {import("./consequence.js").Consequence} Consequence */

/** Files, lines, definitions, uses and tests in numbers. @param {any} diff @param {Consequence | null} consequence */
export function facts(diff, consequence) {
  const files = diff.files;
  const sum = (/** @type {string} */ name) =>
    files.reduce((/** @type {number} */ total, /** @type {any} */ each) => total + (each[name] ?? 0), 0);
  const rows = [
    [count(diff.total, "file"), "changed"],
    [`+${grouped(sum("added"))} −${grouped(sum("removed"))}`, "lines"],
  ];
  if (consequence) {
    const { symbols, users } = consequence.impact;
    const broken = consequence.broken().reduce((total, each) => total + each.still_used, 0);
    const definitions = symbols.filter((/** @type {any} */ each) => each.kind !== "file").length;
    rows.push([grouped(definitions), "definitions changed"], [grouped(users.length), "reached by uses"]);
    rows.push([grouped(broken), "uses broken"], [grouped(consequence.allTests), "test files to run"]);
  }
  return el(
    "dl",
    { class: "facts" },
    rows.map(([value, said]) => el("div", {}, el("dt", {}, said), el("dd", {}, value))),
  );
}

/** What is gone, or has another name, and is still used. @param {Consequence} consequence @param {any} here */
export function brokenUses(consequence, here) {
  const broken = consequence.broken();
  if (!broken.length) return null;
  return el(
    "section",
    { class: "trouble", "aria-label": "Removed, still used" },
    el("h2", {}, "Removed, still used"),
    broken.map((each) => [
      el(
        "p",
        {},
        el("span", { class: "symbol" }, visible(each.former || each.name)),
        ` was in ${visible(each.path)}: ${count(each.still_used, "use")} left`,
      ),
      el(
        "ul",
        { class: "users" },
        consequence
          .users(each)
          .map((user) =>
            el(
              "li",
              {},
              el(
                "a",
                { class: "path", href: fileLink(here.root, user.path, user.line) },
                pathText(user.path, user.line),
              ),
              " in ",
              visible(user.name),
            ),
          ),
      ),
    ]),
  );
}

/**
 * The tests that see the change, as command lines to copy.
 * @param {Consequence} consequence @param {any} here @param {(text: string) => void} copied
 * @param {(tests: number) => void} more
 */
export function testsToRun(consequence, here, copied, more) {
  const { tests, allTests } = consequence;
  if (!tests.length) return el("p", { class: "about" }, "No test is known to see this change.");
  return el(
    "section",
    { class: "tests-to-run", "aria-label": "Tests to run" },
    el("h2", {}, "Tests to run ", el("span", { class: "number" }, grouped(allTests))),
    consequence
      .commands()
      .map((line) =>
        el(
          "p",
          { class: "command" },
          el("code", { tabindex: "0" }, visible(line)),
          el("button", { type: "button", on: { click: () => copied(line) } }, "Copy"),
        ),
      ),
    el(
      "details",
      {},
      el("summary", {}, "Why these"),
      el(
        "ul",
        { class: "users" },
        tests.map((/** @type {any} */ each) =>
          el(
            "li",
            {},
            el("a", { class: "path", href: fileLink(here.root, each.path) }, pathText(each.path)),
            ` ${visible(each.how)}, ${visible(each.tier)}`,
          ),
        ),
      ),
    ),
    tests.length < allTests
      ? el(
          "p",
          { class: "cut" },
          `Only ${grouped(tests.length)} of ${count(allTests, "test file")} are shown. `,
          el("button", { class: "more", type: "button", on: { click: () => more(allTests) } }, "Show more"),
        )
      : null,
  );
}
