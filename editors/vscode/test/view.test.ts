import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { move } from "../src/model/keys";
import { fromView, LONGEST_QUERY } from "../src/model/messages";

test("keys lead through the results and stay within them", () => {
  assert.deepEqual(["ArrowDown", "ArrowUp", "PageDown", "PageUp", "a"].map((key) => move(-1, 3, key)), [0, 0, 2, 0, undefined]);
  assert.equal(move(2, 3, "ArrowDown"), 2);
  assert.equal(move(-1, 0, "ArrowDown"), undefined);
});

test("only messages that are known and whole are heard", () => {
  assert.deepEqual(fromView({ type: "open", id: 1, key: 2, how: "go", more: 1 }), { type: "open", id: 1, key: 2, how: "go" });
  assert.deepEqual(fromView({ type: "query", query: "x".repeat(9_000) }), { type: "query", query: "x".repeat(LONGEST_QUERY) });
  const odd = [null, "ready", {}, { type: "query" }, { type: "query", query: 1 }, { type: "open", id: 1, key: -1, how: "go" },
    { type: "open", id: 1, key: 1, how: "run" }, { type: "open", id: "1", key: 1, how: "go" }, { type: "eval", query: "x" }];
  assert.deepEqual(odd.map(fromView), odd.map(() => undefined));
});

test("the page takes no text for markup and no script but its own", async () => {
  const page = await readFile("src/webview/search.ts", "utf8");
  assert.doesNotMatch(page, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
  const view = await readFile("src/searchView.ts", "utf8");
  assert.match(view, /default-src 'none'; style-src \$\{webview\.cspSource\}; script-src 'nonce-\$\{nonce\}'"/);
  assert.doesNotMatch(view, /unsafe-inline|unsafe-eval/);
});
