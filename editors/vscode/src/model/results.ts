/** Results of a search as the views show them: by file, in the order of the best result of each, a line of each. */

import type { Place, SearchAnswer, SearchResult } from "./protocol";
import { age, count } from "./wording";

export interface Item {
  /** Its number among all items shown, by which the view asks to open it. */
  key: number;
  name: string;
  kind: string;
  /** Counted from one, as people do. */
  line: number;
  text: string;
  /** Parts of the text that a word of the query matches, as [start, end). */
  marks: [number, number][];
  changed: boolean;
}

export interface Group {
  path: string;
  /** The folder of the workspace, where there are several. */
  folder: string;
  items: Item[];
}

export interface Shown {
  groups: Group[];
  places: Place[];
  notes: string[];
  /** What the answer rests on, in one line. */
  summary: string;
}

export interface Answered {
  folder: string;
  answer: SearchAnswer;
}

const WIDEST = 200;

export function show(query: string, answers: readonly Answered[], failures: readonly string[] = []): Shown {
  const groups = new Map<string, Group>();
  const places: Place[] = [];
  const wanted = words(query);
  for (const { folder, answer } of answers) {
    for (const result of answer.results) {
      const group = groups.get(result.location.uri) ?? { path: result.path, folder, items: [] };
      groups.set(result.location.uri, group);
      const { item, place } = itemOf(result, places.length, wanted);
      group.items.push(item);
      places.push(place);
    }
  }
  const notes = [...failures, ...new Set(answers.flatMap(({ answer }) => answer.notes))];
  return { groups: [...groups.values()], places, notes, summary: summary(answers, places.length, groups.size) };
}

function itemOf(result: SearchResult, key: number, wanted: readonly string[]): { item: Item; place: Place } {
  const { start, end } = result.location.range;
  const lines = result.text.split("\n");
  const name = result.name ?? "";
  // The range is that of the text, or of the name somewhere in it.
  const whole = end.line - start.line + 1 >= lines.length;
  const best = whole ? bestLine(lines, wanted) : lineOf(lines, name);
  const line = whole ? start.line + best : start.line;
  const text = (lines[best] ?? "").trim().slice(0, WIDEST);
  const item: Item = { key, name, kind: result.kind ?? "", line: line + 1, text, marks: marks(text, wanted), changed: result.changed };
  const range = line === start.line ? result.location.range : { start: { line, character: 0 }, end: { line, character: 0 } };
  return { item, place: { uri: result.location.uri, range } };
}

/** The line with the most of the words, the first of them; without any, the first that isn't blank. */
function bestLine(lines: readonly string[], wanted: readonly string[]): number {
  const found = lines.map((line) => wanted.filter((word) => word && line.toLowerCase().includes(word)).length);
  const most = Math.max(0, ...found);
  const best = most ? found.indexOf(most) : lines.findIndex((line) => line.trim() !== "");
  return Math.max(0, best);
}

/** The line that names what is named; a method bears the name of its class before its own. */
function lineOf(lines: readonly string[], name: string): number {
  const last = name.split(/[.:#/]+/).at(-1) ?? "";
  const own = lines.findIndex((line) => names(line).includes(last));
  return own >= 0 ? own : bestLine(lines, []);
}

function names(line: string): string[] {
  return line.match(/[\p{L}\p{N}_$]+/gu) ?? [];
}

/** Filters such as `lang:rust` or `-path:tests` match no text. */
export function words(query: string): string[] {
  const parts = query.split(/\s+/).filter((part) => !/^-|^[a-z]+:/.test(part));
  return [...new Set(parts.join(" ").toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
}

export function marks(text: string, wanted: readonly string[]): [number, number][] {
  const lower = text.toLowerCase();
  // Where lower case has another length, positions in it aren't positions in the text.
  if (lower.length !== text.length) return [];
  const spans: [number, number][] = [];
  for (const word of wanted) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) spans.push([at, at + word.length]);
  }
  spans.sort((one, other) => one[0] - other[0] || other[1] - one[1]);
  const apart: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = apart.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else apart.push([start, end]);
  }
  return apart;
}

function summary(answers: readonly Answered[], results: number, files: number): string {
  if (!answers.length) return "";
  const oldest = answers.reduce<number | null>((most, { answer }) => (answer.age === null ? most : Math.max(most ?? 0, answer.age)), null);
  const slowest = Math.max(...answers.map(({ answer }) => answer.elapsed_ms));
  const found = results ? `${count(results, "result")} in ${count(files, "file")}` : "Nothing found";
  const old = age(oldest);
  const parts = [found, old && `snapshot ${old === "just now" ? "of just now" : `${old} old`}`, `${Math.round(slowest)} ms`];
  return parts.filter(Boolean).join(" · ");
}
