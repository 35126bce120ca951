/** The page of the search view. All text from code goes through textContent; nothing is ever read as markup. */

import { move } from "../model/keys";
import type { FromView, How, ToView } from "../model/messages";
import type { Group, Item } from "../model/results";

interface Kept {
  query: string;
}

declare function acquireVsCodeApi(): { postMessage(message: FromView): void; getState(): Kept | undefined; setState(state: Kept): void };

const editor = acquireVsCodeApi();
const query = element<HTMLInputElement>("query");
const summary = element("summary");
const notes = element("notes");
const results = element("results");

const PREVIEW_PAUSE = 150;
let id = 0;
let active = -1;
let options: HTMLElement[] = [];
let previewing: ReturnType<typeof setTimeout> | undefined;

function element<Kind extends HTMLElement = HTMLElement>(name: string): Kind {
  return document.getElementById(name) as Kind;
}

function make(tag: string, kind: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.className = kind;
  made.textContent = text;
  return made;
}

function ask(): void {
  editor.setState({ query: query.value });
  editor.postMessage({ type: "query", query: query.value });
  document.body.classList.toggle("busy", query.value.trim() !== "");
  if (!query.value.trim()) show(id, [], [], "");
}

function show(answer: number, groups: readonly Group[], told: readonly string[], found: string): void {
  clearTimeout(previewing);
  id = answer;
  summary.textContent = found;
  notes.replaceChildren(...told.map((note) => make("div", "note", note)));
  options = [];
  results.replaceChildren(...groups.map(groupOf));
  query.setAttribute("aria-expanded", String(options.length > 0));
  choose(-1);
}

function groupOf(group: Group, number: number): HTMLElement {
  const made = make("div", "group");
  made.setAttribute("role", "group");
  const heading = make("div", "path");
  heading.id = `group-${number}`;
  heading.title = group.path;
  const slash = group.path.lastIndexOf("/") + 1;
  heading.append(make("span", "file", group.path.slice(slash)), make("span", "folder", [group.folder, group.path.slice(0, slash)].filter(Boolean).join(" · ")));
  made.setAttribute("aria-labelledby", heading.id);
  made.append(heading, ...group.items.map(optionOf));
  return made;
}

function optionOf(item: Item): HTMLElement {
  const made = make("div", "option");
  made.id = `option-${item.key}`;
  made.setAttribute("role", "option");
  const head = make("div", "head");
  head.append(make("span", "line", String(item.line)), make("span", "name", item.name), make("span", "kind", item.kind));
  if (item.changed) head.append(make("span", "changed", "changed since"));
  const text = make("div", "text");
  let at = 0;
  for (const [start, end] of item.marks) {
    text.append(item.text.slice(at, start), make("mark", "", item.text.slice(start, end)));
    at = end;
  }
  text.append(item.text.slice(at));
  made.append(head, text);
  made.addEventListener("click", (event) => {
    choose(item.key);
    open(event.ctrlKey || event.metaKey ? "beside" : "go");
  });
  options[item.key] = made;
  return made;
}

function choose(key: number): void {
  options[active]?.setAttribute("aria-selected", "false");
  active = key;
  const chosen = options[key];
  if (!chosen) return query.removeAttribute("aria-activedescendant");
  chosen.setAttribute("aria-selected", "true");
  query.setAttribute("aria-activedescendant", chosen.id);
  chosen.scrollIntoView({ block: "nearest" });
}

function open(how: How): void {
  clearTimeout(previewing);
  if (active >= 0) editor.postMessage({ type: "open", id, key: active, how });
}

query.addEventListener("input", ask);
query.addEventListener("keydown", (event) => {
  const next = move(active, options.length, event.key);
  if (next !== undefined) {
    choose(next);
    clearTimeout(previewing);
    previewing = setTimeout(() => open("preview"), PREVIEW_PAUSE);
  } else if (event.key === "Enter") {
    if (active < 0 && options.length) choose(0);
    open(event.ctrlKey || event.metaKey ? "beside" : "go");
  } else if (event.key === "Escape" && query.value) {
    query.value = "";
    ask();
  } else return;
  event.preventDefault();
});

window.addEventListener("focus", () => query.focus());
window.addEventListener("message", ({ data }: MessageEvent<ToView>) => {
  if (data.type === "answer" && data.query === query.value) {
    const before = active;
    const again = data.query === results.dataset["query"];
    results.dataset["query"] = data.query;
    show(data.id, data.groups, data.notes, data.summary);
    // The same question answered anew, since the index moved: the keys stay where they were.
    if (again) choose(Math.min(before, options.length - 1));
  } else if (data.type === "failed") {
    notes.replaceChildren(make("div", "note failed", data.message));
  } else if (data.type === "changed" && query.value.trim()) ask();
  if (data.type !== "changed") document.body.classList.remove("busy");
});

query.value = editor.getState()?.query ?? "";
query.focus();
if (query.value) ask();
