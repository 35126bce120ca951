import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createMessageConnection, type MessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { type CallItem, type ImpactAnswer, IMPACT, INCOMING_CALLS, type IncomingCall, INDEX_COMMAND, PAGE_COMMAND, PREPARE_CALLS, SEARCH, type SearchAnswer, STATUS, type StatusAnswer } from "../src/model/protocol";
import { show } from "../src/model/results";
import { CALLED, MAPPED, PREPARED, REACHED, SEARCHED, STOOD } from "./shapes";

const FILES = {
  "leases.py": 'def take_over(lease):\n    """Take over a stale lease."""\n    return lease\n\n\ndef renew(lease):\n    return take_over(lease)\n',
  "keeper.py": "from leases import renew\n\n\ndef keep(lease):\n    # größe\n    return renew(lease)\n",
  "tests/test_leases.py": "from leases import take_over\n\n\ndef test_take_over():\n    assert take_over(1) == 1\n",
};

// `make vscode` names the program, and then it has to be there.
const named = process.env["CAIRN"];
const program = named ?? resolve("../../.venv/bin/cairn");
const missing = !named && spawnSync(program, ["lsp", "--help"]).status !== 0 && "cairn lsp isn't built here";

// As package.json has them.
const SETTINGS = { features: "default", languages: [], index: "ask", sync: true };

const base = mkdtempSync(join(tmpdir(), "cairn-vscode-"));
const root = join(base, "tree");
const uri = (path: string) => pathToFileURL(join(root, path)).toString();
const environment = { ...process.env, CAIRN_HOME: join(base, "home") };
let server: ChildProcess;
let connection: MessageConnection;
let capabilities: { executeCommandProvider?: { commands: string[] }; positionEncoding?: string };
const registered: { method: string }[] = [];

before(async () => {
  if (missing) return;
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  execFileSync("git", ["init", "-q"], { cwd: root });
  execFileSync(program, ["index", root], { env: environment, stdio: "pipe" });
  server = spawn(program, ["lsp"], { cwd: root, env: environment, stdio: ["pipe", "pipe", "inherit"] });
  connection = createMessageConnection(new StreamMessageReader(server.stdout!), new StreamMessageWriter(server.stdin!));
  connection.onRequest("client/registerCapability", ({ registrations }: { registrations: { method: string }[] }) => {
    registered.push(...registrations);
    return null;
  });
  connection.onRequest("client/unregisterCapability", () => null);
  connection.onRequest("window/workDoneProgress/create", () => null);
  connection.onRequest("window/showMessageRequest", () => null);
  connection.onRequest("workspace/configuration", ({ items }: { items: unknown[] }) => items.map(() => (SETTINGS)));
  connection.listen();
  // What the client library of VS Code says of itself, as far as it matters to the server.
  const dynamic = { dynamicRegistration: true };
  const answer = await connection.sendRequest<{ capabilities: typeof capabilities }>("initialize", {
    processId: process.pid,
    clientInfo: { name: "Visual Studio Code", version: "1.91.0" },
    rootUri: uri(""),
    workspaceFolders: [{ uri: uri(""), name: "tree" }],
    initializationOptions: SETTINGS,
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      window: { workDoneProgress: true, showDocument: { support: true } },
      workspace: { configuration: true, workspaceFolders: true, didChangeConfiguration: dynamic, executeCommand: dynamic, symbol: dynamic },
      textDocument: { synchronization: dynamic, callHierarchy: dynamic, definition: dynamic, references: dynamic, hover: dynamic, rename: dynamic },
    },
  });
  capabilities = answer.capabilities;
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("workspace/didChangeConfiguration", { settings: { cairn: SETTINGS } });
});

after(async () => {
  if (!missing) {
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    const code = await new Promise((ended) => server.once("exit", ended));
    assert.equal(code, 0);
    connection.dispose();
  }
  rmSync(base, { recursive: true, force: true });
});

const real = (name: string, run: () => Promise<void>) => test(name, { skip: missing, timeout: 180_000 }, run);

real("positions are counted as VS Code counts them", async () => {
  assert.equal(capabilities.positionEncoding ?? "utf-16", "utf-16");
});

real("the server's commands are those that the extension asks for, and none is called like one of its own", async () => {
  const commands = capabilities.executeCommandProvider?.commands ?? [];
  assert.ok(commands.includes(INDEX_COMMAND) && commands.includes(PAGE_COMMAND), String(commands));
  const own = JSON.parse(readFileSync("package.json", "utf8")).contributes.commands.map(({ command }: { command: string }) => command);
  assert.deepEqual(commands.filter((name) => own.includes(name)), []);
});

real("a search answers as agreed, and its results can be shown", async () => {
  const answer = await connection.sendRequest<SearchAnswer>(SEARCH, { query: "take over a stale lease", root: uri(""), limit: 5 });
  SEARCHED(answer, "search");
  const shown = show("take over a stale lease", [{ folder: "", answer }]);
  const [group] = shown.groups;
  assert.equal(group?.path, "leases.py");
  assert.equal(shown.places[group!.items[0]!.key]?.uri, uri("leases.py"));
  for (const { path, items } of shown.groups) {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    for (const item of items) assert.equal(lines[item.line - 1]?.trim(), item.text, `${path}:${item.line}`);
  }
});

real("the status tells of an index", async () => {
  const answer = await connection.sendRequest<StatusAnswer>(STATUS, { root: uri("") });
  STOOD(answer, "status");
  assert.equal(answer.indexed, true);
  assert.equal(answer.files, Object.keys(FILES).length);
});

real("the callers of a name come level by level", async () => {
  const items = await connection.sendRequest<CallItem[]>(PREPARE_CALLS, { textDocument: { uri: uri("leases.py") }, position: { line: 0, character: 6 } });
  PREPARED(items, "prepared");
  assert.deepEqual(items.map(({ name }) => name), ["take_over"]);
  const calls = await connection.sendRequest<IncomingCall[]>(INCOMING_CALLS, { item: items[0] });
  CALLED(calls, "calls");
  assert.deepEqual(calls.map(({ from }) => from.name).toSorted(), ["renew", "test_take_over"]);
  const renew = calls.find(({ from }) => from.name === "renew")!;
  assert.deepEqual(renew.fromRanges[0]?.start, { line: 6, character: 11 });
  const further = await connection.sendRequest<IncomingCall[]>(INCOMING_CALLS, { item: renew.from });
  assert.deepEqual(further.map(({ from }) => from.name), ["keep"]);
});

real("impact tells how far, how sure and which are tests", async () => {
  const answer = await connection.sendRequest<ImpactAnswer>(IMPACT, { textDocument: { uri: uri("leases.py") }, position: { line: 0, character: 6 } });
  REACHED(answer, "impact");
  const names = new Map(answer.items.map((item) => [item.name, item]));
  assert.equal(names.get("renew")?.isTest, false);
  assert.equal(names.get("test_take_over")?.isTest, true);
  assert.ok(names.get("keep")!.distance > names.get("renew")!.distance);
});

real("the map is a text", async () => {
  MAPPED(await connection.sendRequest("cairn/map", { root: uri("") }), "map");
});

real("the page has an address only while a daemon serves it", async () => {
  assert.equal(await connection.sendRequest("workspace/executeCommand", { command: PAGE_COMMAND, arguments: [uri("")] }), null);
});
