// Where one is: the address after # says everything, so that every view can be kept and shared.

/** @typedef {ReturnType<typeof parsed>} Place */

/** `#/view/rest:line-end?values` in parts; without an end, it is that of the one line. @param {string} hash */
export function parsed(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s, 2);
  const [view, ...parts] = path.split("/");
  const values = new URLSearchParams(query);
  const raw = parts.join("/");
  const place = /^(.*?):(\d+)(?:-(\d+))?$/s.exec(raw);
  const rest = decoded(place ? place[1] : raw);
  const line = place ? Number(place[2]) : null;
  return { view: view || "search", rest, line, end: place?.[3] ? Number(place[3]) : line, values };
}

/**
 * The address of a view; a path keeps its slashes and nothing else that could mean something.
 * @param {string} view @param {string} [rest] @param {Record<string, unknown>} [values]
 * @param {number | null} [line] @param {number | null} [end] the last line of a range
 */
export function link(view, rest = "", values = {}, line = null, end = null) {
  const path = rest ? `/${rest.split("/").map(encoded).join("/")}` : "";
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) query.set(name, String(value));
  }
  const after = query.toString();
  return `#/${view}${path}${line ? `:${line}${end && end !== line ? `-${end}` : ""}` : ""}${after ? `?${after}` : ""}`;
}

/** @param {string | null} root @param {string} path @param {number | null} [line] @param {number | null} [end] */
export function fileLink(root, path, line = null, end = null) {
  return link("file", path, { in: root }, line, end);
}

/** @param {string} part */
function encoded(part) {
  return encodeURIComponent(part);
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
