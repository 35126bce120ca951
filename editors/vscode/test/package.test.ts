import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { strFromU8, unzipSync } from "fflate";
import { pack } from "../scripts/vsix.mjs";

const own = JSON.parse(await readFile("package.json", "utf8"));
const contributed: string[] = own.contributes.commands.map(({ command }: { command: string }) => command);

test("every contributed command is implemented, and every implemented one contributed", async () => {
  const source = await readFile("src/commands.ts", "utf8");
  const table = source.slice(source.indexOf("return {"), source.indexOf("  };\n}"));
  const implemented = [...table.matchAll(/^    "(cairn\.\w+)": /gm)].map(([, name]) => name);
  assert.deepEqual(implemented.toSorted(), contributed.toSorted());
});

test("menus, welcomes and the code name commands and views that there are", async () => {
  const text = JSON.stringify([own.contributes.menus, own.contributes.viewsWelcome]);
  const named = [...text.matchAll(/"command":"([^"]+)"|command:([\w.]+)\)/g)].map(([, one, other]) => one ?? other);
  assert.deepEqual(named.filter((name) => !contributed.includes(name!)), []);
  const views: string[] = own.contributes.views.cairn.map(({ id }: { id: string }) => id);
  const code = (await Promise.all(["searchView", "treeViews"].map((name) => readFile(`src/${name}.ts`, "utf8")))).join("");
  assert.deepEqual(views, ["cairn.searchView", "cairn.callsView", "cairn.impactView"]);
  assert.match(code, /static readonly id = "cairn\.searchView"/);
  assert.deepEqual([...code.matchAll(/super\(server, "(\w+)"\)/g)].map(([, name]) => `cairn.${name}View`), views.slice(1));
});

test("every setting that the code reads is declared, and the other way round", async () => {
  const source = await readFile("src/server.ts", "utf8");
  const read = [...source.matchAll(/settings\.get\("(\w+)"/g)].map(([, name]) => `cairn.${name}`);
  // The client library reads the trace by its own.
  assert.deepEqual([...read, "cairn.trace.server"].toSorted(), Object.keys(own.contributes.configuration.properties).toSorted());
  const [, asked] = source.match(/AT_START = (\[.*\])/) ?? [];
  assert.deepEqual(JSON.parse(asked!).toSorted(), read.toSorted());
});

test("what an untrusted folder says of the program is left aside by VS Code itself", () => {
  assert.deepEqual(own.capabilities.untrustedWorkspaces.restrictedConfigurations, ["cairn.command"]);
  assert.equal(own.capabilities.untrustedWorkspaces.supported, "limited");
});

test("the version is that of the Python package", async () => {
  const [, version] = (await readFile("../../src/cairn/__init__.py", "utf8")).match(/__version__ = "([^"]+)"/) ?? [];
  assert.equal(own.version, version);
});

test("the lock holds a hash for every package and no registry", async () => {
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8"));
  const locked = Object.entries<Record<string, unknown>>(packages).filter(([path]) => path);
  assert.deepEqual(locked.filter(([, entry]) => !entry["integrity"] || entry["resolved"]).map(([path]) => path), []);
});

test("the package holds exactly what is meant, the same each time, and nothing of this machine", async () => {
  const { bytes } = await pack();
  assert.deepEqual(bytes, (await pack()).bytes);
  const files = unzipSync(bytes);
  assert.deepEqual(Object.keys(files).toSorted(), [
    "[Content_Types].xml", "extension.vsixmanifest", "extension/LICENSE.txt", "extension/NOTICES.txt", "extension/README.md",
    "extension/dist/extension.js", "extension/dist/search.css", "extension/dist/search.js", "extension/media/cairn.svg",
    "extension/media/icon.png", "extension/package.json",
  ]);
  for (const [name, content] of Object.entries(files)) assert.doesNotMatch(strFromU8(content), new RegExp(`${process.cwd()}|sourceMappingURL|BEGIN [A-Z ]*PRIVATE KEY|_authToken`), name);
  const shipped = JSON.parse(strFromU8(files["extension/package.json"]!));
  assert.deepEqual(["scripts", "dependencies", "devDependencies"].filter((key) => key in shipped), []);
  for (const named of [shipped.main, shipped.icon, shipped.contributes.viewsContainers.activitybar[0].icon]) {
    assert.ok(`extension/${named.replace("./", "")}` in files, named);
  }
  const manifest = strFromU8(files["extension.vsixmanifest"]!);
  for (const [, path] of manifest.matchAll(/Path="([^"]+)"/g)) assert.ok(path! in files, path);
  assert.match(manifest, new RegExp(`Id="${own.name}" Version="${own.version}" Publisher="${own.publisher}"`));
});

test("the models know nothing of VS Code", async () => {
  for (const name of await readdir("src/model")) assert.doesNotMatch(await readFile(`src/model/${name}`, "utf8"), /from "vscode/, name);
});
