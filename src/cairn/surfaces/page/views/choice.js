// Of a planned edit: its places by what is known of them, and the checked ones as parameters of a request.

/** @typedef {{path: string, line: number, column: number, text: string, new_text: string, before: string,
 *   after: string, key: string, whole: string}} Place `whole`: its line, where that is known */
/** @typedef {{name: string, places: Place[]}} Group */

export const LADDER = ["proven", "likely", "code", "all"];
/** The choices, in words. @type {Record<string, string>} */
export const GROUPS = {
  proven: "Proven",
  likely: "Likely",
  code: "Open, in code",
  all: "Open, in texts",
  docs: "In comments and documents",
};
const MOST = 100; // places that a request may name

/** The places of each choice that no narrower one has. @param {any} found @returns {Group[]} */
export function grouped(found) {
  const key = (/** @type {any} */ each) => `${each.path}:${each.line}:${each.column}`;
  /** @type {Map<string, any[]>} */
  const offered = new Map(found.candidates.map((/** @type {any} */ each) => [each.choice, each.edits]));
  offered.set("proven", found.decided ? (offered.get("proven") ?? []) : found.edits);
  const lines = linesOf(found);
  const seen = new Set();
  /** @type {Group[]} */
  const groups = [];
  for (const name of [...LADDER, ...[...offered.keys()].filter((each) => !LADDER.includes(each))]) {
    const places = (offered.get(name) ?? []).filter((each) => !seen.has(key(each)));
    for (const each of places) seen.add(key(each));
    const whole = (/** @type {any} */ each) => lines.get(`${each.path}:${each.line}`) ?? "";
    if (places.length)
      groups.push({ name, places: places.map((each) => ({ ...each, key: key(each), whole: whole(each) })) });
  }
  return groups;
}

/** The lines that a plan shows whole, by path and number: those of the diff, and those that are open.
 *  @param {any} found @returns {Map<string, string>} */
function linesOf(found) {
  /** @type {Map<string, string>} */
  const lines = new Map(found.open.map((/** @type {any} */ each) => [`${each.path}:${each.line}`, each.text]));
  let path = "";
  let number = 0;
  for (const line of (found.diff ?? "").split("\n")) {
    const file = /^--- (?:a\/)?(.*)$/.exec(line);
    const hunk = /^@@ -(\d+)/.exec(line);
    if (file) path = file[1];
    else if (hunk) number = Number(hunk[1]);
    else if (line.startsWith("-") || line.startsWith(" ")) {
      if (line.startsWith("-")) lines.set(`${path}:${number}`, line.slice(1));
      number += 1;
    }
  }
  return lines;
}

/** What is checked, as the parameters of a request: the widest choice, and what is left out of it; null if it is none.
 *  @param {Group[]} groups @param {Set<string>} checked */
export function chosen(groups, checked) {
  const some = groups.filter((group) => group.places.some((each) => checked.has(each.key))).map((each) => each.name);
  if (!some.length) return null;
  const widest = LADDER.filter((each) => some.includes(each)).at(-1) ?? "proven";
  const beside = some.filter((each) => !LADDER.includes(each));
  const within = groups
    .filter(
      ({ name }) => beside.includes(name) || (LADDER.includes(name) && LADDER.indexOf(name) <= LADDER.indexOf(widest)),
    )
    .flatMap((each) => each.places);
  const choice = { take: [widest, ...beside].join(",") };
  const [only, but] = [true, false].map((side) => named(within, (each) => checked.has(each.key) === side));
  if (!but.length) return choice;
  if (but.length <= MOST) return { ...choice, except: but };
  return only.length <= MOST ? { ...choice, only } : null;
}

/** Why nothing can be written of what is checked. @param {Set<string>} checked */
export function whyNot(checked) {
  return checked.size ? `More than ${MOST} places to tell apart: check or uncheck whole files.` : "Nothing is checked.";
}

/** The places that are meant, in as few words as tell them from the others: a file, a line, or the place itself.
 *  @param {Place[]} places @param {(place: Place) => boolean} isMeant */
function named(places, isMeant) {
  const line = (/** @type {Place} */ each) => `${each.path}:${each.line}`;
  const mixed = new Set(places.filter((each) => !isMeant(each)).flatMap((each) => [each.path, line(each), each.key]));
  const names = places
    .filter(isMeant)
    .map((each) => [each.path, line(each), each.key].find((name) => !mixed.has(name)));
  return [...new Set(names)];
}
