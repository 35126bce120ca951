import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatusAnswer } from "../src/model/protocol";
import { age, count, statusBar } from "../src/model/wording";

const READY: StatusAnswer = {
  root: "file:///a", name: "a", state: "sync_completed", snapshot: "01S", age: 200, files: 1, indexed: true, daemon: true, page: null, notes: [],
};

test("an age has the unit that one would say", () => {
  const said = [null, Number.NaN, 0, 9.9, 10, 59.9, 60, 3_599, 3_600, 86_399, 86_400, 9e6].map(age);
  assert.deepEqual(said, ["", "", "just now", "just now", "10 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d", "104 d"]);
});

test("one and many", () => {
  assert.deepEqual([count(0, "file"), count(1, "file"), count(2, "try", "tries")], ["0 files", "1 file", "2 tries"]);
});

test("the status bar says what keeps the answers from being there, else the age", () => {
  assert.equal(statusBar("missing", READY).text, "$(warning) Cairn: not installed");
  assert.equal(statusBar("stopped", READY).warning, true);
  assert.equal(statusBar("starting", READY).text, "$(sync~spin) Cairn");
  assert.equal(statusBar("running", undefined).text, "$(sync~spin) Cairn");
  assert.equal(statusBar("running", READY).text, "$(layers) Cairn: 3 min");
  assert.equal(statusBar("running", { ...READY, age: null }).text, "$(layers) Cairn");
  assert.equal(statusBar("running", { ...READY, state: "indexing" }).text, "$(layers) Cairn: indexing, 3 min");
  assert.equal(statusBar("running", { ...READY, state: "requires_reindex" }).text, "$(layers) Cairn: needs a new index, 3 min");
  assert.equal(statusBar("running", { ...READY, indexed: false }).text, "$(circle-slash) Cairn: not indexed");
  assert.equal(statusBar("running", { ...READY, notes: ["Partial."] }).tooltip, "a: indexed\n1 file\nsnapshot 01S\nthe daemon answers\nPartial.");
});
