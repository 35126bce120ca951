// What there is to know of an answer, but for what the tab says by itself.

import { warnings } from "../kit/answer.js";

/**
 * @param {any} document
 * @param {(code: string) => boolean} wanted
 */
export function notesOf(document, wanted) {
  /** @type {any[]} */
  const notices = document.notices ?? [];
  const kept = notices.map((_, at) => at).filter((at) => wanted(notices[at].code));
  return warnings({ notices: kept.map((at) => notices[at]), warnings: kept.map((at) => document.warnings[at]) });
}
