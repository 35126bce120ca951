/** The language server's life: found, started, started again when it dies, stopped with the window. */

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State, TransportKind } from "vscode-languageclient/node";
import { find, INSTALL } from "./model/lookup";
import { Restarts } from "./model/pace";
import { CHANGED } from "./model/protocol";
import { type ServerState, sentence } from "./model/wording";

/** A change of one of these asks for a new server. */
const AT_START = ["cairn.command", "cairn.features", "cairn.languages", "cairn.index", "cairn.sync"];

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private current: ServerState = "stopped";
  private lastWords = "";
  private told = false;
  private queue: Promise<void> = Promise.resolve();
  private readonly restarts = new Restarts();
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  readonly onState = this.states.event;
  /** The index of a folder has moved. */
  readonly onChanged = this.changes.event;

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.subscriptions = [
      this.states,
      this.changes,
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (AT_START.some((setting) => event.affectsConfiguration(setting))) void this.restart();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (!this.client) void this.restart();
      }),
    ];
  }

  get state(): ServerState {
    return this.current;
  }

  /** One start or stop at a time: each waits for the one before. */
  restart(): Promise<void> {
    this.restarts.forget();
    this.told = false;
    return this.inTurn(async () => {
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  /** Beside others the server is silent where it has no answer, and says why in the log. */
  async answer<Answer>(method: string, params: unknown, signal?: AbortSignal): Promise<Answer> {
    const given = await this.request<Answer | null>(method, params, signal);
    if (given === null || given === undefined) throw new Error("The server has no answer; its log says why.");
    return given;
  }

  async request<Answer>(method: string, params: unknown, signal?: AbortSignal): Promise<Answer> {
    const client = this.client;
    if (!client || this.current !== "running") throw new Error("The server of Cairn doesn't run.");
    const source = new vscode.CancellationTokenSource();
    const cancel = () => source.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel);
    try {
      return await client.sendRequest<Answer>(method, params, source.token);
    } finally {
      signal?.removeEventListener("abort", cancel);
      source.dispose();
    }
  }

  execute<Answer>(command: string, ...values: unknown[]): Promise<Answer> {
    return this.request("workspace/executeCommand", { command, arguments: values });
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((error: unknown) => this.log.error(sentence(error)));
    return this.queue;
  }

  private async begin(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
    if (!folders.length) return this.become("stopped");
    const settings = vscode.workspace.getConfiguration("cairn");
    const command = await find(
      {
        setting: settings.get("command", "cairn"),
        trusted: vscode.workspace.isTrusted,
        searchPath: process.env["PATH"] ?? "",
        home: homedir(),
        folders: folders.map((folder) => folder.uri.fsPath),
        interpreter: vscode.workspace.getConfiguration("python").get<string>("defaultInterpreterPath"),
        windows: process.platform === "win32",
      },
      isProgram,
    );
    if (!command) {
      this.become("missing");
      // A message stays until it is answered: a start must not wait for it.
      void this.tellMissing();
      return;
    }
    this.become("starting");
    this.lastWords = "";
    this.log.info(`starting ${command} lsp`);
    const client = this.makeClient(command, {
      features: settings.get("features"),
      languages: settings.get("languages"),
      index: settings.get("index"),
      sync: settings.get("sync"),
    });
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === State.Running) this.become("running");
      else if (newState === State.Starting) this.become("starting");
      else this.become("stopped");
    });
    client.onNotification(CHANGED, () => this.changes.fire());
    try {
      await client.start();
    } catch (error) {
      this.become("stopped");
      void this.tellStopped(sentence(error));
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.become("stopped");
    if (client?.needsStop()) await client.stop().catch((error: unknown) => this.log.warn(sentence(error)));
    await client?.dispose().catch(() => undefined);
  }

  private makeClient(command: string, options: object): LanguageClient {
    const server = { command, args: ["lsp"], transport: TransportKind.stdio };
    return new LanguageClient("cairn", "Cairn", server, {
      // The server registers what it offers, and for which languages; this says only which documents it is told of.
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      initializationOptions: options,
      synchronize: { configurationSection: "cairn" },
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      stdioOptions: {
        stdout: () => undefined,
        stderr: (input) => createInterface({ input }).on("line", (line) => this.heard(line)),
      },
      errorHandler: {
        error: (_error, _message, times) => ({ action: (times ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true }),
        closed: async () => {
          const wait = this.restarts.next();
          if (wait === undefined) {
            void this.tellStopped(this.lastWords || "it ended several times in a row");
            return { action: CloseAction.DoNotRestart, handled: true };
          }
          this.log.warn(`the server has ended; it is started again in ${wait} ms`);
          await new Promise((resolve) => setTimeout(resolve, wait));
          return { action: CloseAction.Restart, handled: true };
        },
      },
    });
  }

  private heard(line: string): void {
    if (line.trim()) this.lastWords = line.trim();
    this.log.info(line);
  }

  private become(state: ServerState): void {
    this.current = state;
    this.states.fire(state);
  }

  private async tellMissing(): Promise<void> {
    if (this.told) return;
    this.told = true;
    const copy = "Copy the Command";
    const settings = "Open Settings";
    const wanted = vscode.workspace.getConfiguration("cairn").get("command", "cairn");
    const aside = vscode.workspace.isTrusted ? "" : " This folder isn't trusted, so its own Python environment was left aside.";
    const text = `Cairn: the program ${wanted} was not found. Install it with ${INSTALL}, or name it in the setting cairn.command.${aside}`;
    const chosen = await vscode.window.showErrorMessage(text, copy, settings);
    if (chosen === copy) await vscode.env.clipboard.writeText(INSTALL);
    if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "cairn.command");
  }

  private async tellStopped(why: string): Promise<void> {
    if (this.told) return;
    this.told = true;
    const again = "Restart";
    const log = "Show the Log";
    const chosen = await vscode.window.showErrorMessage(`Cairn: the server has stopped: ${why}`, again, log);
    if (chosen === again) await this.restart();
    if (chosen === log) this.log.show();
  }
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
