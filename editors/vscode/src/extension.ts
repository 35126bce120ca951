/** Puts the parts together when a window opens, and stops the server when it closes. */

import * as vscode from "vscode";
import { commands } from "./commands";
import { sentence } from "./model/wording";
import { SearchView } from "./searchView";
import { Server } from "./server";
import { StatusBar } from "./statusBar";
import { CallsView, ImpactView } from "./treeViews";

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Cairn", { log: true });
  const server = new Server(log);
  const search = new SearchView(server, context.extensionUri);
  const calls = new CallsView(server);
  const impact = new ImpactView(server);
  const bar = new StatusBar(server);
  running = server;
  context.subscriptions.push(log, server, calls.view, impact.view, bar);
  context.subscriptions.push(vscode.window.registerWebviewViewProvider(SearchView.id, search));
  context.subscriptions.push(server.onChanged(() => search.changed()));
  context.subscriptions.push(
    server.onState((state) => {
      if (state === "running") search.changed();
    }),
  );
  for (const [name, run] of Object.entries(commands({ server, log, calls, impact, bar }))) {
    context.subscriptions.push(vscode.commands.registerCommand(name, () => told(run)));
  }
  void server.restart();
}

export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}

/** A command that fails says why, in one message. */
async function told(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    void vscode.window.showErrorMessage(`Cairn: ${sentence(error)}`);
  }
}
