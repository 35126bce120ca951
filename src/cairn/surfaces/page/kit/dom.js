// Elements by construction: a string becomes a text node and nothing else, so code can't become markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes, listeners (`on`) and children; what is null or false is left out. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Put children in the place of what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, heard] of Object.entries(value)) element.addEventListener(event, heard);
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

function allowed(name, value) {
  const unsafe = name.startsWith("on") || name === "style" || name === "srcdoc";
  if (unsafe || (/^(href|src)$/.test(name) && !/^(#|\/page\/|\/v1\/raw\?)/.test(value))) {
    throw new Error(`The attribute ${name} is not set from here.`);
  }
  return name;
}

function nodes(children) {
  return children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false);
}
