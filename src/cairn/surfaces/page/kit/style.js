// The styles of a view come with the view: index.html names all of them in their order, and what is shown is fetched.

/** @type {Map<string, Promise<void>>} */
const asked = new Map();

/** Have these styles, before what they are for is drawn. @param {string[]} names */
export async function styled(names) {
  await Promise.all(names.map((name) => asked.get(name) ?? fetched(name)));
}

/** @param {string} name */
function fetched(name) {
  const link = /** @type {HTMLLinkElement} */ (document.querySelector(`link[href="/page/css/${name}.css"]`));
  const there = new Promise((/** @type {(value: void) => void} */ done) => {
    link.addEventListener("load", () => done(), { once: true });
    // A view without its colours is still the view, and asks for them anew when it is shown again.
    link.addEventListener("error", () => (asked.delete(name), done()), { once: true });
  });
  asked.set(name, there);
  link.disabled = false;
  return there;
}
