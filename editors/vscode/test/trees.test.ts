import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallItem, ImpactAnswer, ImpactItem } from "../src/model/protocol";
import { callers, impact, subject } from "../src/model/trees";

const range = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 3 } });
const item = (name: string, line: number): CallItem => ({
  name, kind: 12, detail: `def ${name}()`, uri: "file:///r/src/a.py", range: range(line), selectionRange: range(line),
});
const shorten = (uri: string) => uri.replace("file:///r/", "");

test("callers open level by level, at the place of the call, until one was there before", () => {
  const root = subject(item("f", 1), shorten);
  assert.deepEqual([root.label, root.description, root.opens], ["f", "a.py:2", "open"]);
  const [caller] = callers(root, [{ from: item("g", 10), fromRanges: [range(12), range(14)] }], shorten);
  assert.deepEqual([caller?.label, caller?.description, caller?.opens], ["g", "a.py:13 · 2 calls", "closed"]);
  assert.equal(caller?.tooltip, "g\ndef g()\nsrc/a.py");
  assert.equal(caller?.place?.range.start.line, 12);
  const [again] = callers(caller!, [{ from: item("f", 1), fromRanges: [] }], shorten);
  assert.deepEqual([again?.description, again?.opens], ["a.py:2 · calls itself in the end", "never"]);
});

test("impact stands by distance, tests together and marked, and what isn't proven says so", () => {
  const reached = (name: string, distance: number, more: Partial<ImpactItem> = {}): ImpactItem => ({
    location: { uri: "file:///r/a.py", range: range(4) }, path: "src/a.py", name, kind: "method", distance, certainty: "proven", isTest: false, ...more,
  });
  const answer: ImpactAnswer = {
    subject: "f",
    items: [reached("far", 2, { certainty: "possible" }), reached("near", 1), reached("test_f", 3, { isTest: true, certainty: "likely" }), reached("self", 0)],
    notes: ["7 more were left out."],
    snapshot: "01S",
  };
  const branches = impact(answer);
  assert.deepEqual(branches.map(({ label, description, opens }) => [label, description, opens]), [
    ["Itself", "1", "open"], ["Directly", "1", "open"], ["2 steps away", "1", "closed"], ["Tests", "1", "open"], ["7 more were left out.", "", "never"],
  ]);
  assert.deepEqual(branches.flatMap(({ below }) => below.map((leaf) => [leaf.label, leaf.description, leaf.icon])), [
    ["self", "a.py:5", "symbol-method"], ["near", "a.py:5", "symbol-method"], ["far", "a.py:5 · possible", "symbol-method"],
    ["test_f", "a.py:5 · likely · 3 steps", "beaker"],
  ]);
  assert.equal(branches[3]?.below[0]?.tooltip, "src/a.py\nmethod, test, likely");
});
