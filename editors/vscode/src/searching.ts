/** A search through all folders of the workspace. */

import { SEARCH, type SearchAnswer } from "./model/protocol";
import { type Answered, type Shown, show } from "./model/results";
import { sentence } from "./model/wording";
import { folders } from "./places";
import type { Server } from "./server";

export const PAUSE = 120;
export const PREVIEW_PAUSE = 150;
const LIMIT = 40;

/** One folder that fails doesn't take the others' results away; where all fail, the first reason is thrown. */
export async function search(server: Server, query: string, signal: AbortSignal): Promise<Shown> {
  const roots = folders();
  const asked = roots.map(async (root): Promise<Answered> => {
    const answer = await server.answer<SearchAnswer>(SEARCH, { query, root: root.uri.toString(), limit: LIMIT }, signal);
    return { folder: roots.length > 1 ? root.name : "", answer };
  });
  const settled = await Promise.allSettled(asked);
  const answers = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failures = settled.flatMap((one) => (one.status === "rejected" ? [sentence(one.reason)] : []));
  if (!answers.length) throw new Error(failures[0] ?? "No folder is open.");
  return show(query, answers, failures);
}
