/** Places of the server opened in the editor. */

import * as vscode from "vscode";
import type { Place } from "./model/protocol";
import type { How } from "./model/messages";

export async function open(place: Place, how: How): Promise<void> {
  const { start, end } = place.range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(place.uri, true), {
    preview: how === "preview",
    preserveFocus: how === "preview",
    ...(how === "beside" ? { viewColumn: vscode.ViewColumn.Beside } : {}),
  });
  // The cursor at the start: a selection of many lines would be typed over by accident.
  const at = editor.document.validatePosition(selection.start);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
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
