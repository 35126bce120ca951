/** "Cairn: Search": the same search in VS Code's own list, for those who keep the side bar closed. */

import * as vscode from "vscode";
import { Latest } from "./model/latest";
import type { Place } from "./model/protocol";
import type { Shown } from "./model/results";
import { sentence } from "./model/wording";
import { open } from "./places";
import { PAUSE, PREVIEW_PAUSE, search } from "./searching";
import type { Server } from "./server";

interface Choice extends vscode.QuickPickItem {
  place?: Place;
}

export function pick(server: Server, query: string): void {
  const list = vscode.window.createQuickPick<Choice>();
  const before = vscode.window.activeTextEditor;
  const stood = before?.selection;
  let went = false;
  list.title = "Cairn: Search";
  list.placeholder = "In words or by name";
  list.value = query;
  const latest = new Latest<string, Shown>(
    {
      ask: (asked, signal) => search(server, asked, signal),
      show: (_asked, answer) => {
        list.busy = false;
        list.items = choices(answer);
      },
      fail: (_asked, error) => {
        list.busy = false;
        list.items = [{ label: `$(warning) ${sentence(error)}`, alwaysShow: true }];
      },
    },
    PAUSE,
  );
  const want = (text: string) => {
    list.busy = text.trim() !== "";
    if (list.busy) latest.want(text);
    else {
      latest.cancel();
      list.items = [];
    }
  };
  list.onDidChangeValue(want);
  let previewing: ReturnType<typeof setTimeout> | undefined;
  list.onDidChangeActive(([chosen]) => {
    clearTimeout(previewing);
    const place = chosen?.place;
    if (place) previewing = setTimeout(() => void open(place, "preview").catch(() => undefined), PREVIEW_PAUSE);
  });
  list.onDidAccept(() => {
    const place = list.activeItems[0]?.place;
    if (!place) return;
    went = true;
    list.hide();
    void open(place, "go").catch((error: unknown) => vscode.window.showErrorMessage(`Cairn: ${sentence(error)}`));
  });
  list.onDidHide(() => {
    latest.cancel();
    clearTimeout(previewing);
    list.dispose();
    // Previews have led away from where one stood; who leaves without a choice goes back.
    if (!went && before && stood) {
      const column = before.viewColumn === undefined ? {} : { viewColumn: before.viewColumn };
      void vscode.window.showTextDocument(before.document, { ...column, selection: stood });
    }
  });
  want(query);
  list.show();
}

function choices(answer: Shown): Choice[] {
  const items = answer.groups.flatMap((group) =>
    group.items.map((item): Choice => {
      const place = answer.places[item.key];
      return {
        label: item.name || item.text || group.path,
        description: `${group.folder ? `${group.folder} · ` : ""}${group.path}:${item.line}`,
        detail: item.text,
        // The list would otherwise leave out what doesn't hold the typed letters.
        alwaysShow: true,
        ...(place ? { place } : {}),
      };
    }),
  );
  return items.length ? items : [{ label: answer.notes[0] ?? "Nothing found", alwaysShow: true }];
}
