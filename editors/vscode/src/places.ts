/** Places of the server opened in the editor. */

import * as vscode from "vscode";
import type { Place } from "./model/protocol";
import type { How } from "./model/messages";

let opening: Promise<void> = Promise.resolve();

/** One after the other: a preview that comes late must not take the place of what was gone to since. */
export function open(place: Place, how: How): Promise<void> {
  const mine = opening.then(() => openNow(place, how));
  opening = mine.catch(() => undefined);
  return mine;
}

async function openNow(place: Place, how: How): Promise<void> {
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(place.uri, true), {
    preview: how === "preview",
    preserveFocus: how === "preview",
    ...(how === "beside" ? { viewColumn: vscode.ViewColumn.Beside } : {}),
  });
  // The cursor at the start: a selection of many lines would be typed over by accident.
  const at = editor.document.validatePosition(start(place));
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** What a tree opens an item with: VS Code knows this command, and keeps the keys in the tree or not as its settings say. */
export function opener(place: Place): vscode.Command {
  const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(start(place), start(place)) };
  return { command: "vscode.open", title: "Open", arguments: [vscode.Uri.parse(place.uri, true), options] };
}

function start({ range: { start } }: Place): vscode.Position {
  return new vscode.Position(start.line, start.character);
}

export function shorten(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
}

export function folders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
}

/** The folder of the active editor, else the only or first one. */
export function currentFolder(): vscode.WorkspaceFolder | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  return (active && vscode.workspace.getWorkspaceFolder(active)) ?? folders()[0];
}
