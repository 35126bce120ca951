// The daemon's answers: JSON with the token in a header, errors as values, events as a stream.

const TOKEN = "cairn-token";
const CLIENT = `page-${crypto.randomUUID().slice(0, 8)}`;

/** What went wrong, in one sentence and with what mends it. */
export class Trouble extends Error {
  constructor({ code = "internal", message, hint = "", retry_after_ms: after = null }) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.after = after;
  }
}

/** Take the token out of the address, so that it is neither bookmarked nor shown. */
export function takeToken() {
  const found = /[#&]token=([^&]+)/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(TOKEN, decodeURIComponent(found[1]));
  history.replaceState(null, "", `${location.pathname}${location.search}#/search`);
}

export function hasToken() {
  return Boolean(sessionStorage.getItem(TOKEN));
}

/** The document at a path; Trouble where there is none. */
export async function ask(path, values = {}, signal = undefined) {
  return answered(path, values, signal, "GET");
}

/** The same for what may write. */
export async function act(path, values = {}, signal = undefined) {
  return answered(path, values, signal, "POST");
}

function queryOf(values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "" || value === false) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  return query;
}

async function answered(path, values, signal, method) {
  const found = await reached(`${path}?${queryOf(values)}`, signal, method);
  let document;
  try {
    document = await found.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble({ message: "The daemon's answer was cut short.", hint: "Ask again." });
  }
  if (document.error) throw new Trouble(document.error);
  return document;
}

/** Hear of every event until the signal; `state` is told whether the line is up. */
export async function listen(heard, state, signal) {
  for (let pause = 500; !signal.aborted; pause = Math.min(pause * 2, 15_000)) {
    try {
      const found = await reached("/v1/events", signal);
      if (!found.ok) throw new Trouble((await found.json()).error);
      state(true);
      pause = 500;
      for await (const [name, document] of events(found.body)) heard(name, document);
    } catch (error) {
      if (signal.aborted) return;
      if (error.code === "refused") return state(false, error);
    }
    state(false);
    await new Promise((done) => setTimeout(done, pause));
  }
}

async function reached(address, signal, method = "GET") {
  const headers = { "X-Cairn-Token": sessionStorage.getItem(TOKEN) ?? "", "Cairn-Client": CLIENT };
  try {
    return await fetch(address, { method, headers, signal, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble({
      code: "unreachable",
      message: "The daemon can't be reached.",
      hint: "Start it with cairn serve --http 127.0.0.1:0, and open the address that it prints.",
    });
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const name = /^event: (.*)$/m.exec(part);
      const data = /^data: (.*)$/m.exec(part);
      if (name && data) yield [name[1], JSON.parse(data[1])];
    }
  }
}

/** The frames of a stream, [kind, value] each, until it ends; leaving the loop or the signal ends the work for it. */
export async function* frames(path, values = {}, signal = undefined) {
  const found = await reached(`${path}?${queryOf(values)}`, signal);
  if (!found.ok) throw new Trouble((await found.json()).error);
  const reader = found.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done)
        throw new Trouble({ code: "unreachable", message: "The daemon's answer was cut short.", hint: "Ask again." });
      const lines = (rest + value).split("\n");
      rest = lines.pop();
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
