/** The shapes of the server's answers, as checks: each names the first thing that is otherwise than agreed. */

type Shape = (value: unknown, at: string) => void;

function fail(at: string, wanted: string, value: unknown): never {
  throw new Error(`${at} should be ${wanted} and is ${JSON.stringify(value)}`);
}

const is = (wanted: string, test: (value: unknown) => boolean): Shape => (value, at) => {
  if (!test(value)) fail(at, wanted, value);
};

export const text = is("a text", (value) => typeof value === "string");
export const flag = is("true or false", (value) => typeof value === "boolean");
export const number = is("a number", (value) => typeof value === "number" && Number.isFinite(value));
export const whole = is("a whole number from 0", (value) => Number.isInteger(value) && (value as number) >= 0);
export const oneOf = (...values: string[]): Shape => is(`one of ${values.join(", ")}`, (value) => values.includes(value as string));
export const orNull = (shape: Shape): Shape => (value, at) => {
  if (value !== null) shape(value, at);
};
export const list = (shape: Shape): Shape => (value, at) => {
  if (!Array.isArray(value)) fail(at, "a list", value);
  value.forEach((each, number) => shape(each, `${at}[${number}]`));
};
export const record = (fields: Record<string, Shape>): Shape => (value, at) => {
  if (typeof value !== "object" || value === null) fail(at, "an object", value);
  for (const [name, shape] of Object.entries(fields)) shape((value as Record<string, unknown>)[name], `${at}.${name}`);
};

const position = record({ line: whole, character: whole });
const range = record({ start: position, end: position });
const location = record({ uri: text, range });
const item = record({ name: text, kind: whole, uri: text, range, selectionRange: range });

export const SEARCHED = record({
  results: list(
    record({ location, path: text, name: orNull(text), kind: orNull(text), language: orNull(text), text, score: number, changed: flag }),
  ),
  notes: list(text),
  snapshot: text,
  age: orNull(number),
  elapsed_ms: number,
});
export const REACHED = record({
  subject: text,
  items: list(
    record({
      location, path: text, name: text, kind: orNull(text), distance: whole, certainty: oneOf("proven", "likely", "possible"), isTest: flag,
    }),
  ),
  notes: list(text),
  snapshot: text,
});
export const STOOD = record({
  root: text, name: text, state: text, snapshot: orNull(text), age: orNull(number), files: orNull(whole), indexed: flag, daemon: flag,
  page: orNull(text), notes: list(text),
});
export const MAPPED = record({ text, notes: list(text), snapshot: text });
export const PREPARED = list(item);
export const CALLED = list(record({ from: item, fromRanges: list(range) }));
