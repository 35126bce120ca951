/** The status bar: whether the server runs, what state the index is in and how old the snapshot is. */

import * as vscode from "vscode";
import { Pace } from "./model/pace";
import { STATUS, type StatusAnswer } from "./model/protocol";
import { statusBar } from "./model/wording";
import { currentFolder } from "./places";
import type { Server } from "./server";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("cairn.status", vscode.StatusBarAlignment.Right, 50);
  private answer: StatusAnswer | undefined;
  private root: string | undefined;
  private pace = new Pace();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking: AbortController | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.item.name = "Cairn";
    this.item.command = "cairn.showMenu";
    this.subscriptions = [
      this.item,
      server.onState(() => this.look()),
      server.onChanged(() => this.look()),
      vscode.window.onDidChangeActiveTextEditor(() => {
        if (currentFolder()?.uri.toString() !== this.root) this.look();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.look();
      }),
    ];
    this.render();
  }

  get known(): StatusAnswer | undefined {
    return this.answer;
  }

  /** Asks now, and then again ever more rarely until something moves. */
  look(): void {
    this.pace = new Pace();
    void this.poll();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.abort();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private async poll(): Promise<void> {
    clearTimeout(this.timer);
    this.asking?.abort();
    const root = currentFolder()?.uri.toString();
    if (root !== this.root) this.answer = undefined;
    this.root = root;
    if (this.server.state !== "running" || !root) {
      this.answer = undefined;
      return this.render();
    }
    const mine = new AbortController();
    this.asking = mine;
    const before = this.answer;
    const answer = await this.server.answer<StatusAnswer>(STATUS, { root }, mine.signal).catch(() => undefined);
    if (mine.signal.aborted) return;
    this.answer = answer ?? before;
    this.render();
    const moved = answer !== undefined && (answer.snapshot !== before?.snapshot || answer.state !== before?.state);
    const wait = this.pace.next(moved);
    // Nobody reads the bar of a window in the background; it asks when it comes to the front.
    if (vscode.window.state.focused) this.timer = setTimeout(() => void this.poll(), wait);
  }

  private render(): void {
    const { text, tooltip, warning } = statusBar(this.server.state, this.answer);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = warning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (vscode.workspace.workspaceFolders?.length) this.item.show();
    else this.item.hide();
  }
}
