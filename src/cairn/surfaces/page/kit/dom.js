// Elements by construction: a string becomes a text node and nothing else, so code can't become markup.

/** @typedef {Record<string, any>} Attributes `on` holds listeners by their events */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element with attributes, listeners (`on`) and children; what is null or false is left out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {...any} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * The same for a drawing.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {...any} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Put children in the place of what an element holds.
 * @template {Element | DocumentFragment} T
 * @param {T} element @param {...any} children
 * @returns {T}
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/**
 * @template {HTMLElement | SVGElement} T
 * @param {T} element @param {Attributes} attributes @param {any[]} children
 * @returns {T}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, heard] of Object.entries(/** @type {Record<string, any>} */ (value)))
        element.addEventListener(event, heard);
    } else if (name === "part") {
      // The policy of the page forbids style attributes; this is how much of a bar is filled.
      element.style.setProperty("--part", String(value));
    } else {
      element.setAttribute(allowed(name, String(value)), value === true ? "" : String(value));
    }
  }
  element.append(...nodes(children));
  return element;
}

/** @param {string} name @param {string} value */
function allowed(name, value) {
  const unsafe = name.startsWith("on") || name === "style" || name === "srcdoc";
  if (unsafe || (/^(href|src)$/.test(name) && !/^(#|\/page\/|\/v1\/raw\?)/.test(value))) {
    throw new Error(`The attribute ${name} is not set from here.`);
  }
  return name;
}

/** @param {any[]} children @returns {(Node | string)[]} */
function nodes(children) {
  return children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false);
}
