// The daemon's answers: JSON, with the session's cookie that no script sees; errors as values, events as a stream.

const CLIENT = `page-${crypto.getRandomValues(new Uint32Array(1))[0].toString(16)}`;
const START = "Start it with cairn serve --http 127.0.0.1:0, and open the address that it prints.";
const FORGOTTEN = "cairn-token";

/** @typedef {{code?: string, message: string, hint?: string, retry_after_ms?: number | null}} Said */
/** @typedef {Record<string, unknown>} Values what goes into a query; what is null, empty or false is left out */

/** What went wrong, in one sentence and with what mends it. */
export class Trouble extends Error {
  /** @param {Said} said */
  constructor({ code = "internal", message, hint = "", retry_after_ms: after = null }) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.after = after;
  }
}

/** Whom to tell that the daemon could not be reached. @type {Set<() => void>} */
export const unreached = new Set();

/** The error for whatever could not be had from the daemon. */
export function unreachable() {
  for (const each of unreached) each();
  return new Trouble({ code: "unreachable", message: "The daemon can't be reached.", hint: START });
}

/**
 * Exchange a token in the address for the cookie, and take it out of the address, so that it is neither bookmarked
 * nor shown; then, or without one, the address is where one wanted to go.
 */
export async function takeToken() {
  const found = /(^#|[&?])token=([^&]+)&?/.exec(location.hash);
  // Where an older version of the page kept it.
  sessionStorage.removeItem(FORGOTTEN);
  if (!found) return;
  const rest = location.hash.replace(found[0], found[1] === "#" ? "#" : found[1]).replace(/[&?]$/, "");
  history.replaceState(null, "", `${location.pathname}${/^#?$/.test(rest) ? wanted() : rest}`);
  await session(decoded(found[2]));
}

/** Ask for the cookie: with the token for the first time, later with the cookie itself, for a longer time. */
export async function session(token = "") {
  const answer = await reached("/v1/session", undefined, "POST", token ? { "X-Cairn-Token": token } : {});
  if (answer.ok) return;
  const document = await answer.json();
  throw new Trouble({ ...document.error, code: answer.status === 401 ? "no_access" : document.error.code });
}

const WANTED = "cairn-wanted";

/** Remember where one wanted to go, for when there is access. */
export function want() {
  if (location.hash) sessionStorage.setItem(WANTED, location.hash);
}

function wanted() {
  const found = sessionStorage.getItem(WANTED);
  sessionStorage.removeItem(WANTED);
  return found ?? "#/search";
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The document at a path; Trouble where there is none.
 * @param {string} path @param {Values} [values] @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(path, values = {}, signal = undefined) {
  return answered(path, values, signal, "GET");
}

/**
 * The same for what may write.
 * @param {string} path @param {Values} [values] @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function act(path, values = {}, signal = undefined) {
  return answered(path, values, signal, "POST");
}

/** A path with its values. @param {string} path @param {Values} values */
export function address(path, values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "" || value === false) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  return `${path}?${query}`;
}

/**
 * The answer itself, for what is no document: lines that come one by one, or the bytes of a file.
 * @param {string} path @param {Values} [values] @param {AbortSignal} [signal]
 */
export async function answer(path, values = {}, signal = undefined) {
  const found = await reached(address(path, values), signal);
  if (!found.ok) throw troubleOf(found, await documentOf(found));
  return found;
}

/** @param {string} path @param {Values} values @param {AbortSignal | undefined} signal @param {string} method */
async function answered(path, values, signal, method) {
  const found = await reached(address(path, values), signal, method);
  const document = await documentOf(found);
  if (document.error) throw troubleOf(found, document);
  return document;
}

/** @param {Response} found @param {any} document */
function troubleOf(found, document) {
  return new Trouble(found.status === 401 ? { ...document.error, code: "no_access" } : document.error);
}

/** @param {Response} found @returns {Promise<any>} */
async function documentOf(found) {
  try {
    return await found.json();
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw new Trouble({ message: "The daemon's answer was cut short.", hint: "Ask again." });
  }
}

/**
 * @param {string} path @param {AbortSignal} [signal] @param {string} [method]
 * @param {Record<string, string>} [more] headers
 */
async function reached(path, signal, method = "GET", more = {}) {
  const headers = { "Cairn-Client": CLIENT, ...more };
  try {
    return await fetch(path, {
      method,
      headers,
      signal: signal ?? null,
      cache: "no-store",
      credentials: "same-origin",
    });
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw unreachable();
  }
}

/**
 * The frames of a stream, [kind, value] each, until it ends; leaving the loop or the signal ends the work for it.
 * @param {string} path @param {Values} [values] @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<[string, any]>}
 */
export async function* frames(path, values = {}, signal = undefined) {
  const found = await reached(address(path, values), signal);
  if (!found.ok) throw new Trouble((await found.json()).error);
  const decoder = /** @type {ReadableWritablePair<string, any>} */ (new TextDecoderStream());
  const reader = /** @type {ReadableStream<Uint8Array>} */ (found.body).pipeThrough(decoder).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done)
        throw new Trouble({ code: "unreachable", message: "The daemon's answer was cut short.", hint: "Ask again." });
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const frame = JSON.parse(line);
        yield frame[0] === "error" ? ["error", new Trouble(frame[1])] : frame;
        if (frame[0] !== "uses") return;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
