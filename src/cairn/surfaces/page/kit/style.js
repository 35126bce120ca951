// What is fetched when it is first wanted: a module, and the styles that come with it, which index.html names in
// their order.

import { unreachable } from "./api.js";

/** @type {Map<string, Promise<void>>} */
const asked = new Map();
/** What was had, by what loads it: to import it again takes as long as a frame. @type {WeakMap<object, unknown>} */
const had = new WeakMap();

/**
 * A module with its styles; Trouble where it can't be had now. It is tried anew whenever it is wanted again.
 * @template T @param {() => Promise<T>} load @param {string[]} [styles] @returns {Promise<T>}
 */
export async function loaded(load, styles = []) {
  const styling = styled(styles);
  let found = /** @type {T | undefined} */ (had.get(load));
  try {
    found ??= await load();
  } catch {
    throw unreachable();
  }
  had.set(load, found);
  await styling;
  return found;
}

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
    const failed = () => {
      asked.delete(name);
      link.disabled = true;
      done();
    };
    link.addEventListener("error", failed, { once: true });
  });
  asked.set(name, there);
  link.disabled = false;
  return there;
}
