/** The views "Who Calls This" and "Impact". */

import * as vscode from "vscode";
import { type CallItem, IMPACT, type ImpactAnswer, INCOMING_CALLS, type IncomingCall, PREPARE_CALLS } from "./model/protocol";
import { type Branch, type CallBranch, callers, impact, type ImpactBranch, subject } from "./model/trees";
import { sentence } from "./model/wording";
import { opener, shorten } from "./places";
import type { Server } from "./server";

interface Asked {
  uri: string;
  position: { line: number; character: number };
}

const OPENS = {
  never: vscode.TreeItemCollapsibleState.None,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
  open: vscode.TreeItemCollapsibleState.Expanded,
};

/** A view of branches about the name that the cursor was on; a subclass says which requests make them. */
abstract class NameView<Kind extends Branch> implements vscode.TreeDataProvider<Kind> {
  private readonly emitter = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.emitter.event;
  readonly view: vscode.TreeView<Kind>;
  private asked: Asked | undefined;
  protected roots: Kind[] = [];

  constructor(
    protected readonly server: Server,
    private readonly name: string,
  ) {
    this.view = vscode.window.createTreeView(`cairn.${name}View`, { treeDataProvider: this, showCollapseAll: true });
  }

  protected abstract ask(asked: Asked): Promise<{ roots: Kind[]; description: string; message: string }>;
  abstract getChildren(branch?: Kind): vscode.ProviderResult<Kind[]>;

  async showHere(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) throw new Error("Put the cursor on a name first.");
    const { line, character } = editor.selection.active;
    this.asked = { uri: editor.document.uri.toString(), position: { line, character } };
    await vscode.commands.executeCommand(`cairn.${this.name}View.focus`);
    await this.refresh();
  }

  async refresh(): Promise<void> {
    const asked = this.asked;
    if (!asked) return;
    await vscode.window.withProgress({ location: { viewId: `cairn.${this.name}View` } }, async () => {
      try {
        const { roots, description, message } = await this.ask(asked);
        this.roots = roots;
        this.view.description = description;
        this.view.message = message;
      } catch (error) {
        this.roots = [];
        this.view.description = "";
        this.view.message = sentence(error);
      }
    });
    await vscode.commands.executeCommand("setContext", `cairn.${this.name}`, true);
    this.emitter.fire(undefined);
  }

  getTreeItem(branch: Kind): vscode.TreeItem {
    const item = new vscode.TreeItem(branch.label, OPENS[branch.opens]);
    item.description = branch.description;
    item.tooltip = branch.tooltip;
    item.iconPath = new vscode.ThemeIcon(branch.icon);
    if (branch.place) item.command = opener(branch.place);
    return item;
  }
}

export class CallsView extends NameView<CallBranch> {
  constructor(server: Server) {
    super(server, "calls");
  }

  protected async ask({ uri, position }: Asked): Promise<{ roots: CallBranch[]; description: string; message: string }> {
    const items = await this.server.request<CallItem[] | null>(PREPARE_CALLS, { textDocument: { uri }, position });
    const roots = (items ?? []).map((item) => subject(item, shorten));
    return { roots, description: roots[0]?.label ?? "", message: roots.length ? "" : "There is no name here that the index knows as a function." };
  }

  async getChildren(branch?: CallBranch): Promise<CallBranch[]> {
    if (!branch) return this.roots;
    try {
      const calls = await this.server.request<IncomingCall[] | null>(INCOMING_CALLS, { item: branch.item });
      if (!calls?.length && !branch.above.length) this.view.message = `No caller of ${branch.label} is known.`;
      return callers(branch, calls ?? [], shorten);
    } catch (error) {
      this.view.message = sentence(error);
      return [];
    }
  }
}

export class ImpactView extends NameView<ImpactBranch> {
  constructor(server: Server) {
    super(server, "impact");
  }

  protected async ask({ uri, position }: Asked): Promise<{ roots: ImpactBranch[]; description: string; message: string }> {
    const answer = await this.server.answer<ImpactAnswer>(IMPACT, { textDocument: { uri }, position });
    const message = answer.items.length ? "" : `Nothing is known to depend on ${answer.subject}.`;
    return { roots: impact(answer), description: answer.subject, message };
  }

  getChildren(branch?: ImpactBranch): ImpactBranch[] {
    return branch ? branch.below : this.roots;
  }
}
