// Opening a place in the user's own editor: an address of the user's choice, kept in this browser and nowhere else.

const KEY = "cairn-editor";
const OFFERED = [
  ["VS Code", "vscode://file/{path}:{line}"],
  ["VSCodium", "vscodium://file/{path}:{line}"],
  ["Cursor", "cursor://file/{path}:{line}"],
  ["Zed", "zed://file/{path}:{line}"],
  ["JetBrains", "idea://open?file={path}&line={line}"],
  ["Sublime Text", "subl://open?url=file://{path}&line={line}"],
  ["TextMate", "txmt://open?url=file://{path}&line={line}"],
];
/** Only what opens an editor: nothing that a browser itself would run or load. */
const SCHEMES = new Set([
  "vscode",
  "vscode-insiders",
  "vscodium",
  "cursor",
  "windsurf",
  "zed",
  "idea",
  "pycharm",
  "webstorm",
  "goland",
  "clion",
  "rubymine",
  "phpstorm",
  "rustrover",
  "jetbrains",
  "subl",
  "txmt",
  "emacs",
  "nvim",
  "mvim",
  "editor",
]);

export function offeredEditors() {
  return OFFERED;
}

/** The address template that the user chose; empty where none was. */
export function chosenEditor() {
  try {
    const found = localStorage.getItem(KEY) ?? "";
    return isHarmless(found) ? found : "";
  } catch {
    return "";
  }
}

/** Keep a template; whether it is one that may be kept. @param {string} template */
export function chooseEditor(template) {
  if (!isHarmless(template)) return false;
  try {
    localStorage.setItem(KEY, template);
  } catch {
    return false;
  }
  return true;
}

/** @param {string} template */
export function isHarmless(template) {
  const scheme = /^([a-z][a-z0-9+-]*):\/\//.exec(template);
  return Boolean(scheme) && SCHEMES.has(/** @type {RegExpExecArray} */ (scheme)[1]) && template.includes("{path}");
}

/** Go to a place. @param {string} template @param {string} path @param {number} line */
export function openEditor(template, path, line) {
  if (isHarmless(template)) location.assign(editorAddress(template, path, line));
}

/** @param {string} template @param {string} path @param {number} line */
export function editorAddress(template, path, line) {
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  const from =
    template.startsWith("vscode") || /^(cursor|windsurf|zed|vscodium)/.test(template)
      ? escaped.replace(/^\//, "")
      : escaped;
  return template.replaceAll("{path}", from).replaceAll("{line}", String(line));
}
