/** The search view: a web page in the side bar that shows results while one types. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { Latest } from "./model/latest";
import { fromView, type FromView, LONGEST_QUERY, type ToView } from "./model/messages";
import type { Shown } from "./model/results";
import { sentence } from "./model/wording";
import { open } from "./places";
import { PAUSE, search } from "./searching";
import type { Server } from "./server";

export class SearchView implements vscode.WebviewViewProvider {
  static readonly id = "cairn.searchView";
  private view: vscode.WebviewView | undefined;
  private shown: { id: number; answer: Shown } | undefined;
  private readonly latest: Latest<string, Shown>;

  constructor(
    server: Server,
    private readonly base: vscode.Uri,
  ) {
    this.latest = new Latest(
      {
        ask: (query, signal) => search(server, query, signal),
        show: (query, answer) => this.show(query, answer),
        fail: (_query, error) => this.send({ type: "failed", message: sentence(error) }),
      },
      PAUSE,
    );
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.base, "dist")] };
    view.webview.onDidReceiveMessage((message: unknown) => {
      const known = fromView(message);
      if (known) void this.heard(known);
    });
    view.onDidDispose(() => {
      this.latest.cancel();
      this.view = undefined;
    });
    view.webview.html = page(view.webview, this.base);
  }

  /** The index has moved or the server is back: what is shown is asked for again. */
  changed(): void {
    if (this.view?.visible) this.send({ type: "changed" });
  }

  private async heard(message: FromView): Promise<void> {
    if (message.type === "query") {
      if (message.query.trim()) this.latest.want(message.query);
      else this.latest.cancel();
      return;
    }
    const place = message.id === this.shown?.id ? this.shown.answer.places[message.key] : undefined;
    if (!place) return;
    try {
      await open(place, message.how);
    } catch (error) {
      this.send({ type: "failed", message: sentence(error) });
    }
  }

  private show(query: string, answer: Shown): void {
    const id = (this.shown?.id ?? 0) + 1;
    this.shown = { id, answer };
    const { groups, notes, summary } = answer;
    this.send({ type: "answer", id, query, groups, notes, summary });
  }

  private send(message: ToView): void {
    void this.view?.webview.postMessage(message);
  }
}

function page(webview: vscode.Webview, base: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64");
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(base, "dist", name)).toString();
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("search.css")}">
<title>Search</title>
</head>
<body>
<input id="query" type="text" role="combobox" aria-label="Search the code in words or by name" aria-controls="results"
  aria-expanded="false" aria-autocomplete="list" placeholder="Search in words or by name" spellcheck="false" autocomplete="off" maxlength="${LONGEST_QUERY}">
<div id="summary" role="status"></div>
<div id="notes"></div>
<div id="results" role="listbox" aria-label="Results"></div>
<script nonce="${nonce}" src="${file("search.js")}"></script>
</body>
</html>`;
}
