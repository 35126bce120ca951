/** Where the program `cairn` may lie. What an untrusted folder holds or says is never run. */

import * as path from "node:path";

export interface Surroundings {
  /** The setting `cairn.command`; VS Code itself leaves out what an untrusted folder sets it to. */
  setting: string;
  trusted: boolean;
  /** The PATH of the environment. */
  searchPath: string;
  home: string;
  folders: readonly string[];
  /** The interpreter that the Python extension was told to use, if any. */
  interpreter: string | undefined;
  windows: boolean;
}

export const INSTALL = "pip install cairn-index";

/** The files to try, best first. */
export function candidates(around: Surroundings): string[] {
  const paths = around.windows ? path.win32 : path.posix;
  const setting = around.setting.trim() || "cairn";
  const name = expandHome(setting, around.home, paths);
  if (paths.isAbsolute(name)) return [name];
  // A path such as ./tools/cairn is meant from the folder, so it runs what the folder holds.
  if (name.includes("/") || (around.windows && name.includes("\\"))) {
    return around.trusted ? around.folders.map((folder) => paths.join(folder, name)) : [];
  }
  const files = around.windows && !paths.extname(name) ? [`${name}.exe`, `${name}.cmd`] : [name];
  const places = [...onPath(around, paths), ...(around.trusted ? environments(around, paths) : [])];
  return places.flatMap((place) => files.map((file) => paths.join(place, file)));
}

export async function find(
  around: Surroundings,
  runs: (file: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const file of candidates(around)) if (await runs(file)) return file;
  return undefined;
}

function expandHome(name: string, home: string, paths: path.PlatformPath): string {
  return name.startsWith("~/") ? paths.join(home, name.slice(2)) : name;
}

/** A relative entry of PATH means the folder one works in: the program would then come from there. */
function onPath(around: Surroundings, paths: path.PlatformPath): string[] {
  return around.searchPath.split(paths.delimiter).filter((entry) => paths.isAbsolute(entry));
}

function environments(around: Surroundings, paths: path.PlatformPath): string[] {
  const programs = around.windows ? "Scripts" : "bin";
  const beside = around.interpreter && paths.isAbsolute(around.interpreter) ? [paths.dirname(around.interpreter)] : [];
  const own = around.folders.flatMap((folder) => [".venv", "venv"].map((name) => paths.join(folder, name, programs)));
  return [...beside, ...own];
}
