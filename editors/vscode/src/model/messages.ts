/** What the search view and the extension tell each other. The view is a web page: what it sends is checked. */

import type { Group } from "./results";

/** How a result is opened: shown while the keys stay in the view, gone to, or gone to beside the editor. */
export type How = "preview" | "go" | "beside";

export type FromView =
  | { type: "query"; query: string }
  | { type: "open"; id: number; key: number; how: How };

export type ToView =
  | { type: "answer"; id: number; query: string; groups: Group[]; notes: string[]; summary: string }
  | { type: "failed"; message: string }
  | { type: "changed" };

export const LONGEST_QUERY = 2_000;

export function fromView(message: unknown): FromView | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, query, id, key, how } = message as Record<string, unknown>;
  if (type === "query" && typeof query === "string") return { type, query: query.slice(0, LONGEST_QUERY) };
  if (type === "open" && isNumber(id) && isNumber(key) && (how === "preview" || how === "go" || how === "beside")) {
    return { type, id, key, how };
  }
  return undefined;
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
