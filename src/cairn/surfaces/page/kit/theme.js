// Light or dark: as the system has it, until somebody says otherwise.

const KEPT = "cairn-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export function startTheme() {
  document.getElementById("theme")?.addEventListener("click", switchTheme);
  dark.addEventListener("change", apply);
  apply();
}

export function switchTheme() {
  localStorage.setItem(KEPT, isDark() ? "light" : "dark");
  apply();
}

function isDark() {
  const kept = localStorage.getItem(KEPT);
  return kept ? kept === "dark" : dark.matches;
}

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  const button = /** @type {HTMLElement} */ (document.getElementById("theme"));
  button.textContent = isDark() ? "☀" : "☾";
  button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
}
