// What a view is given: where it is, how to ask, how to speak, and how to hear what changed.

/**
 * A place of the code to tell about: a position in a file (column in bytes, from 1), or a name.
 * @typedef {{path?: string, line?: number, column?: number, name?: string}} About
 */

/**
 * A file's state on disk: `present` is false once it vanished; `version` changes with its content.
 * @typedef {{root: string, path: string, present: boolean, version: string | null}} FileState
 */

/**
 * What a view is given. Everything that it registers ends when the view is left.
 * @typedef {object} Here
 * @property {string | null} root the one codebase that is asked, if it is one
 * @property {AbortSignal} signal aborted when the view is left
 * @property {() => Record<string, unknown>} codebases the parameters that name the codebases to ask
 * @property {() => any[]} known all codebases, as /v1/codebases gives them
 * @property {(text: string) => void} said tell it to those who listen rather than look
 * @property {() => void} again show the view anew
 * @property {(given: Record<string, (event?: Event) => unknown>) => void} acts what keys do in the main pane
 * @property {(watcher: () => void) => void} watch hear whenever anything of the codebases changes
 * @property {() => boolean} isUp whether the daemon is heard
 * @property {(values: Record<string, unknown>) => void} filter give the search other values
 * @property {(place: About) => void} about show the right pane for a name
 * @property {(symbols: any[], addressOf: (line: number) => string) => void} outline fill the outline
 * @property {(line: number) => void} outlineAt mark where one is in the outline
 * @property {(heard: (codebase: any) => void) => void} onSnapshot
 *   hear when the codebase has another snapshot, or is heard again after the connection was lost
 * @property {(path: string, heard: (state: FileState) => void, version?: string | null) => void} onFile
 *   hear when a file's content changed or it vanished; `version` is that of the text that is shown (/v1/file tells it)
 */

export {};
