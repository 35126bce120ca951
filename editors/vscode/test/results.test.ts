import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchAnswer, SearchResult } from "../src/model/protocol";
import { marks, show, words } from "../src/model/results";

function result(path: string, line: number, text: string, last = line): SearchResult {
  const range = { start: { line, character: 4 }, end: { line: last, character: 0 } };
  return { location: { uri: `file:///r/${path}`, range }, path, name: "f", kind: "function", language: "python", text, score: 1, changed: false };
}

function answer(results: SearchResult[], age: number | null = 90): SearchAnswer {
  return { results, notes: ["Partial."], snapshot: "01S", age, elapsed_ms: 7.6 };
}

test("results are grouped by file in the order of the best of each, and keyed across groups", () => {
  const shown = show("lock", [{ folder: "", answer: answer([result("a.py", 1, "x"), result("b.py", 2, "y"), result("a.py", 9, "z")]) }]);
  assert.deepEqual(shown.groups.map((group) => [group.path, group.items.map(({ key, line }) => [key, line])]), [
    ["a.py", [[0, 2], [2, 10]]],
    ["b.py", [[1, 3]]],
  ]);
  assert.deepEqual(shown.places.map((place) => place.uri), ["file:///r/a.py", "file:///r/b.py", "file:///r/a.py"]);
  assert.equal(shown.summary, "3 results in 2 files · snapshot 1 min old · 8 ms");
});

test("the line with the words of the query is shown and opened", () => {
  const { groups: [group], places: [place] } = show("take lease", [
    { folder: "", answer: answer([result("a.py", 10, "def f():\n\n    lease = take()\n    return lease", 13)]) },
  ]);
  assert.deepEqual(group?.items[0]?.text, "lease = take()");
  assert.equal(group?.items[0]?.line, 13);
  assert.equal(place?.range.start.line, 12);
});

test("where the range is that of a name, the line with the name is shown and opened", () => {
  const { groups: [group], places: [place] } = show("lease", [{ folder: "", answer: answer([{ ...result("a.py", 10, "@fast\ndef f():\n    lease"), name: "Store.f" }]) }]);
  assert.deepEqual([group?.items[0]?.line, group?.items[0]?.text], [11, "def f():"]);
  assert.deepEqual(place?.range.start, { line: 10, character: 4 });
});

test("without a word of the query the first line that isn't blank is shown", () => {
  const { groups: [group] } = show("how", [{ folder: "", answer: answer([result("a.py", 0, "\n  \n  x = 1\n", 3)]) }]);
  assert.deepEqual([group?.items[0]?.line, group?.items[0]?.text], [3, "x = 1"]);
});

test("folders stay apart, notes are said once, and what failed is told first", () => {
  const shown = show("x", [{ folder: "one", answer: answer([result("a.py", 0, "")], null) }, { folder: "two", answer: answer([]) }], ["three is not indexed."]);
  assert.deepEqual(shown.notes, ["three is not indexed.", "Partial."]);
  assert.equal(shown.groups[0]?.folder, "one");
  assert.equal(show("x", [{ folder: "", answer: answer([], 2) }]).summary, "Nothing found · snapshot of just now · 8 ms");
});

test("filters are no words to mark", () => {
  assert.deepEqual(words("Take lease lang:rust -path:tests -x a"), ["take", "lease"]);
  assert.deepEqual(words("lock_shared(größe)"), ["lock_shared", "größe"]);
});

test("marks neither overlap nor lie beside what they mean", () => {
  assert.deepEqual(marks("Locks lock", ["lock", "ocks"]), [[0, 5], [6, 10]]);
  assert.deepEqual(marks("aaaa", ["aa"]), [[0, 4]]);
  assert.deepEqual(marks("İx lock", ["lock"]), []);
});
