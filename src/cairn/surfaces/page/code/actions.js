// What can be done with a file: copy its path or a link, see it raw, open it in an editor, switch the margin.

import { el, fill } from "../kit/dom.js";
import { visible } from "../kit/text.js";
import { chooseEditor, chosenEditor, isHarmless, offeredEditors, openEditor } from "./editor.js";
import { Menu } from "./menu.js";

/**
 * @param {{path: string, root: string, line: () => number, address: () => string, said: (text: string) => void,
 *   blame: () => void, imports: string}} file
 */
export function actions(file) {
  const blame = el(
    "button",
    {
      class: "act",
      type: "button",
      "aria-pressed": "false",
      "aria-keyshortcuts": "b",
      title: "Last changes (b)",
      on: { click: file.blame },
    },
    "Blame",
  );
  const whole = `${file.root.replace(/\/$/, "")}/${file.path}`;
  const editor = new Menu("Editor", {
    label: "Open in editor",
    class: "act",
    entries: () => {
      const chosen = chosenEditor();
      const own = offeredEditors().map(([text, template]) => ({
        text,
        current: template === chosen,
        act: () => {
          chooseEditor(template);
          openEditor(template, whole, file.line());
        },
      }));
      const other = { text: "Another address…", current: false, act: () => askForEditor(whole, file) };
      const again =
        chosen && !own.some((each) => each.current)
          ? [{ text: visible(chosen), current: true, act: () => openEditor(chosen, whole, file.line()) }]
          : [];
      return [...again, ...own, other];
    },
  });
  const raw = `/v1/raw?${new URLSearchParams({ root: file.root, file: file.path })}`;
  const element = el(
    "p",
    { class: "ways-on" },
    button("Copy path", () => copy(file.path, "The path is copied.", file.said)),
    button("Copy link", () => copy(`${location.origin}/${file.address()}`, "The link is copied.", file.said), "y"),
    el("a", { class: "act", href: raw, target: "_blank", rel: "noopener" }, "Raw"),
    editor.element,
    blame,
    el("a", { class: "act", href: file.imports }, "Imports"),
  );
  return { element, blame };
}

/** @param {string} text @param {() => void} act @param {string} key */
function button(text, act, key = "") {
  const keys = key ? { "aria-keyshortcuts": key, title: `${text} (${key})` } : {};
  return el("button", { class: "act", type: "button", ...keys, on: { click: act } }, text);
}

/** @param {string} text @param {string} done @param {(text: string) => void} said */
export async function copy(text, done, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where the page is not on this machine's own address, a browser has no clipboard for it.
    const field = el("textarea", { class: "unseen" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  said(done);
}

/** @param {string} path @param {{line: () => number}} file */
function askForEditor(path, file) {
  const field = el("input", { type: "text", id: "editor-address", placeholder: "vscode://file/{path}:{line}" });
  field.value = chosenEditor();
  const wrong = el("p", { class: "hint", role: "alert" });
  const dialog = el("dialog", { class: "ask-editor", "aria-labelledby": "editor-title" });
  const keep = () => {
    if (!isHarmless(field.value)) {
      return void fill(wrong, "It needs {path}, and the address of an editor before it, such as vscode://.");
    }
    chooseEditor(field.value);
    dialog.close();
    openEditor(field.value, path, file.line());
  };
  fill(
    dialog,
    el("h2", { id: "editor-title" }, "Open in editor"),
    el("label", { for: "editor-address" }, "The address that opens it; {path} and {line} stand for the place."),
    field,
    wrong,
    el(
      "p",
      { class: "buttons" },
      el("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel"),
      el("button", { type: "button", class: "main", on: { click: keep } }, "Open"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
