/** The trees of the views "Who Calls This" and "Impact", without VS Code. */

import type { CallItem, ImpactAnswer, ImpactItem, IncomingCall, Place } from "./protocol";
import { count } from "./wording";

export interface Branch {
  label: string;
  description: string;
  tooltip: string;
  /** The name of one of VS Code's own icons. */
  icon: string;
  place: Place | undefined;
  opens: "never" | "closed" | "open";
}

export interface CallBranch extends Branch {
  item: CallItem;
  /** From the subject to this one's parent: one that is among them calls itself in the end. */
  above: readonly CallItem[];
}

export interface ImpactBranch extends Branch {
  below: ImpactBranch[];
}

export function subject(item: CallItem, shorten: (uri: string) => string): CallBranch {
  return {
    label: item.name,
    description: where(shorten(item.uri), item.selectionRange.start.line),
    tooltip: tooltip(item, shorten),
    icon: icon(item.kind),
    place: { uri: item.uri, range: item.selectionRange },
    opens: "open",
    item,
    above: [],
  };
}

export function callers(of: CallBranch, calls: readonly IncomingCall[], shorten: (uri: string) => string): CallBranch[] {
  const above = [...of.above, of.item];
  return calls.map(({ from, fromRanges }) => {
    const again = above.some((item) => same(item, from));
    const first = fromRanges[0] ?? from.selectionRange;
    const times = fromRanges.length > 1 ? count(fromRanges.length, "call") : "";
    return {
      label: from.name,
      description: [where(shorten(from.uri), first.start.line), times, again && "calls itself in the end"].filter(Boolean).join(" · "),
      tooltip: tooltip(from, shorten),
      icon: icon(from.kind),
      place: { uri: from.uri, range: first },
      opens: again ? "never" : "closed",
      item: from,
      above,
    };
  });
}

function tooltip(item: CallItem, shorten: (uri: string) => string): string {
  return [...new Set([item.name, item.detail, shorten(item.uri)])].filter(Boolean).join("\n");
}

function same(one: CallItem, other: CallItem): boolean {
  const [a, b] = [one.selectionRange.start, other.selectionRange.start];
  return one.uri === other.uri && one.name === other.name && a.line === b.line && a.character === b.character;
}

/** What a change reaches, by how far away it is; tests stand together, since one runs them. */
export function impact(answer: ImpactAnswer): ImpactBranch[] {
  const tests = answer.items.filter((item) => item.isTest);
  const levels = new Map<number, ImpactItem[]>();
  for (const item of answer.items.filter((item) => !item.isTest)) {
    levels.set(item.distance, [...(levels.get(item.distance) ?? []), item]);
  }
  const branches = [...levels].sort(([one], [other]) => one - other).map(([distance, items]) => level(distance, items));
  if (tests.length) branches.push(group("Tests", "beaker", [...tests].sort((one, other) => one.distance - other.distance)));
  const notes = answer.notes.map((note) => leaf(note, "", "info", undefined));
  return [...branches, ...notes];
}

function level(distance: number, items: readonly ImpactItem[]): ImpactBranch {
  const label = distance === 0 ? "Itself" : distance === 1 ? "Directly" : `${distance} steps away`;
  return group(label, "references", items, distance <= 1);
}

function group(label: string, icon: string, items: readonly ImpactItem[], open = true): ImpactBranch {
  const below = items.map((item) => {
    const sure = item.certainty === "proven" ? "" : item.certainty;
    const far = item.isTest && item.distance > 1 ? `${item.distance} steps` : "";
    const description = [where(item.path, item.location.range.start.line), sure, far].filter(Boolean).join(" · ");
    const branch = leaf(item.name, description, item.isTest ? "beaker" : SYMBOLS.get(item.kind ?? "") ?? "symbol-misc", item.location);
    return { ...branch, tooltip: `${item.path}\n${[item.kind, item.isTest ? "test" : "", item.certainty].filter(Boolean).join(", ")}` };
  });
  return { ...leaf(label, String(items.length), icon, undefined), opens: open ? "open" : "closed", below };
}

function leaf(label: string, description: string, icon: string, place: Place | undefined): ImpactBranch {
  return { label, description, tooltip: label, icon, place, opens: "never", below: [] };
}

/** A side bar is narrow: the folders stand in the tooltip. */
function where(path: string, line: number): string {
  return `${path.slice(path.lastIndexOf("/") + 1)}:${line + 1}`;
}

const SYMBOLS = new Map(
  ["class", "constant", "constructor", "enum", "field", "file", "function", "interface", "method", "module", "property", "struct", "variable"].map(
    (kind) => [kind, kind === "function" || kind === "constructor" ? "symbol-method" : kind === "module" ? "symbol-namespace" : `symbol-${kind}`],
  ),
);

/** The icons of the protocol's kinds of symbols that call or are called. */
const KINDS: Readonly<Record<number, string>> = {
  1: "symbol-file", 2: "symbol-namespace", 5: "symbol-class", 6: "symbol-method", 7: "symbol-property", 8: "symbol-field",
  9: "symbol-method", 10: "symbol-enum", 11: "symbol-interface", 12: "symbol-method", 13: "symbol-variable",
  14: "symbol-constant", 23: "symbol-struct",
};

export function icon(kind: number): string {
  return KINDS[kind] ?? "symbol-misc";
}
