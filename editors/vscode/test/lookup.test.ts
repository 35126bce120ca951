import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, find, type Surroundings } from "../src/model/lookup";

const AROUND: Surroundings = {
  setting: "cairn",
  trusted: true,
  searchPath: "/usr/bin:.:tools::/opt/bin",
  home: "/home/ann",
  folders: ["/code/a", "/code/b"],
  interpreter: undefined,
  windows: false,
};
const PATH = ["/usr/bin/cairn", "/opt/bin/cairn"];
const OWN = ["/code/a/.venv/bin/cairn", "/code/a/venv/bin/cairn", "/code/b/.venv/bin/cairn", "/code/b/venv/bin/cairn"];

test("the PATH comes first, then the environments of the folders", () => {
  assert.deepEqual(candidates(AROUND), [...PATH, ...OWN]);
  assert.deepEqual(candidates({ ...AROUND, setting: " " }), [...PATH, ...OWN]);
});

test("the interpreter that was chosen stands before the folders' own environments", () => {
  const found = candidates({ ...AROUND, interpreter: "/envs/x/bin/python" });
  assert.deepEqual(found, [...PATH, "/envs/x/bin/cairn", ...OWN]);
  assert.deepEqual(candidates({ ...AROUND, interpreter: "python" }), [...PATH, ...OWN]);
});

test("an untrusted folder gives nothing, by its environment, its interpreter or a relative path", () => {
  const untrusted = { ...AROUND, trusted: false, interpreter: "/code/a/bin/python" };
  assert.deepEqual(candidates(untrusted), PATH);
  assert.deepEqual(candidates({ ...untrusted, setting: "./cairn" }), []);
});

test("a path is taken as it is", () => {
  assert.deepEqual(candidates({ ...AROUND, setting: "/opt/cairn/bin/cairn" }), ["/opt/cairn/bin/cairn"]);
  assert.deepEqual(candidates({ ...AROUND, setting: "~/bin/cairn" }), ["/home/ann/bin/cairn"]);
  assert.deepEqual(candidates({ ...AROUND, setting: "tools/cairn" }), ["/code/a/tools/cairn", "/code/b/tools/cairn"]);
});

test("on Windows programs have endings", () => {
  const windows = { ...AROUND, windows: true, searchPath: "C:\\bin;bin", folders: ["C:\\a"] };
  assert.deepEqual(candidates(windows).slice(0, 3), ["C:\\bin\\cairn.exe", "C:\\bin\\cairn.cmd", "C:\\a\\.venv\\Scripts\\cairn.exe"]);
});

test("the first that can be run is taken, and none is none", async () => {
  assert.equal(await find(AROUND, async (file) => file.startsWith("/code")), OWN[0]);
  assert.equal(await find(AROUND, async () => false), undefined);
});
