/** The words of the status bar and of the lines below an answer. */

import type { StatusAnswer } from "./protocol";

const UNITS: readonly [seconds: number, word: string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/** "just now", "40 s", "3 min", "2 h", "5 d"; nothing where no age is known. */
export function age(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return "";
  if (seconds < 10) return "just now";
  for (const [length, word] of UNITS) if (seconds >= length) return `${Math.floor(seconds / length)} ${word}`;
  return `${Math.floor(seconds)} s`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

export interface Shown {
  text: string;
  tooltip: string;
  warning: boolean;
}

export type ServerState = "starting" | "running" | "stopped" | "missing";

/** The states of a codebase that need a word beside the age (docs/lifecycle.md). */
const STATES: Readonly<Record<string, string>> = {
  indexing: "indexing",
  indexfailed: "indexing failed",
  requires_reindex: "needs a new index",
};

export function statusBar(server: ServerState, answer: StatusAnswer | undefined): Shown {
  if (server === "missing") return shown("$(warning) Cairn: not installed", "The program cairn was not found.", true);
  if (server === "stopped") return shown("$(warning) Cairn: stopped", "The server has stopped.", true);
  if (server === "starting" || !answer) return shown("$(sync~spin) Cairn", "The server is starting.");
  const lines = [
    `${answer.name}: ${answer.indexed ? STATES[answer.state] ?? "indexed" : "not indexed"}`,
    ...(answer.files === null ? [] : [count(answer.files, "file")]),
    ...(answer.snapshot ? [`snapshot ${answer.snapshot}`] : []),
    answer.daemon ? "the daemon answers" : "no daemon runs",
    ...answer.notes,
  ];
  const tooltip = lines.join("\n");
  if (!answer.indexed) return shown("$(circle-slash) Cairn: not indexed", tooltip);
  const words = [STATES[answer.state], age(answer.age)].filter(Boolean);
  return shown(words.length ? `$(layers) Cairn: ${words.join(", ")}` : "$(layers) Cairn", tooltip);
}

function shown(text: string, tooltip: string, warning = false): Shown {
  return { text, tooltip, warning };
}

/** The sentence for something that was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
