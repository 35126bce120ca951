/** The extension's commands, one function each; package.json contributes exactly these. */

import * as vscode from "vscode";
import { INDEX_COMMAND, PAGE_COMMAND } from "./model/protocol";
import { currentFolder } from "./places";
import { pick } from "./searchPick";
import type { Server } from "./server";
import type { StatusBar } from "./statusBar";
import type { CallsView, ImpactView } from "./treeViews";

export interface Parts {
  server: Server;
  log: vscode.LogOutputChannel;
  calls: CallsView;
  impact: ImpactView;
  bar: StatusBar;
}

export function commands({ server, log, calls, impact, bar }: Parts): Record<string, () => unknown> {
  return {
    "cairn.search": () => pick(server, selected()),
    "cairn.whoCalls": () => calls.showHere(),
    "cairn.showImpact": () => impact.showHere(),
    "cairn.refreshCalls": () => calls.refresh(),
    "cairn.refreshImpact": () => impact.refresh(),
    "cairn.indexFolder": () => index(server, bar),
    "cairn.showPage": () => showPage(server),
    "cairn.restartServer": () => server.restart(),
    "cairn.showLog": () => log.show(),
    "cairn.showMenu": () => menu(bar),
  };
}

/** What is selected within a line, as the words to start with. */
function selected(): string {
  const editor = vscode.window.activeTextEditor;
  return editor?.selection.isSingleLine ? editor.document.getText(editor.selection).trim() : "";
}

async function index(server: Server, bar: StatusBar): Promise<void> {
  const folder = await chosenFolder();
  if (!folder) return;
  const location = { location: vscode.ProgressLocation.Window, title: `Cairn: indexing ${folder.name}` };
  await vscode.window.withProgress(location, () => server.execute(INDEX_COMMAND, folder.uri.toString()));
  bar.look();
}

async function showPage(server: Server): Promise<void> {
  const folder = currentFolder();
  if (!folder) return;
  const url = await server.execute<string | null>(PAGE_COMMAND, folder.uri.toString());
  if (url) await vscode.env.openExternal(vscode.Uri.parse(url, true));
  else void vscode.window.showInformationMessage("Cairn: the page is served by the daemon: start it with cairn serve --http.");
}

async function chosenFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 1 ? vscode.window.showWorkspaceFolderPick() : folders[0];
}

async function menu(bar: StatusBar): Promise<void> {
  const known = bar.known;
  const choices = [
    { label: "$(search) Search", command: "cairn.search" },
    { label: "$(database) Index the folder", description: known && !known.indexed ? "not indexed yet" : "", command: "cairn.indexFolder" },
    { label: "$(globe) Open the page", description: known?.page ?? "", command: "cairn.showPage" },
    { label: "$(output) Show the log", command: "cairn.showLog" },
    { label: "$(debug-restart) Restart the server", command: "cairn.restartServer" },
  ];
  const chosen = await vscode.window.showQuickPick(choices, { title: "Cairn", placeHolder: known?.notes.join(" ") ?? "" });
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}
