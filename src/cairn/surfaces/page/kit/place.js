// Where one is: the address after # says everything, so that every view can be kept and shared.

/** `#/view/rest?values` as { view, rest, line, values }. */
export function parsed(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s, 2);
  const [view, ...parts] = path.split("/");
  const values = new URLSearchParams(query);
  const raw = parts.join("/");
  const place = /^(.*):(\d+)$/s.exec(raw);
  const rest = decoded(place ? place[1] : raw);
  return { view: view || "search", rest, line: place ? Number(place[2]) : null, values };
}

/** The address of a view; a path keeps its slashes and nothing else that could mean something. */
export function link(view, rest = "", values = {}, line = null) {
  const path = rest ? `/${rest.split("/").map(encoded).join("/")}` : "";
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) query.set(name, String(value));
  }
  const after = query.toString();
  return `#/${view}${path}${line ? `:${line}` : ""}${after ? `?${after}` : ""}`;
}

export function fileLink(root, path, line = null) {
  return link("file", path, { in: root }, line);
}

function encoded(part) {
  return encodeURIComponent(part);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
