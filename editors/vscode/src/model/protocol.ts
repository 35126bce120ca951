/** What the server is asked and answers beside the protocol's own requests (docs/editors.md). */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Place {
  uri: string;
  range: Range;
}

export interface SearchResult {
  location: Place;
  path: string;
  name: string | null;
  kind: string | null;
  language: string | null;
  text: string;
  score: number;
  changed: boolean;
}

export interface SearchAnswer {
  results: SearchResult[];
  notes: string[];
  snapshot: string;
  age: number | null;
  elapsed_ms: number;
}

export type Certainty = "proven" | "likely" | "possible";

export interface ImpactItem {
  location: Place;
  path: string;
  name: string;
  kind: string | null;
  distance: number;
  certainty: Certainty;
  isTest: boolean;
}

export interface ImpactAnswer {
  subject: string;
  items: ImpactItem[];
  notes: string[];
  snapshot: string;
}

export interface StatusAnswer {
  root: string;
  name: string;
  state: string;
  snapshot: string | null;
  age: number | null;
  files: number | null;
  indexed: boolean;
  daemon: boolean;
  page: string | null;
  notes: string[];
}

export interface CallItem {
  name: string;
  kind: number;
  detail?: string;
  uri: string;
  range: Range;
  selectionRange: Range;
  data?: unknown;
}

export interface IncomingCall {
  from: CallItem;
  fromRanges: Range[];
}

export const SEARCH = "cairn/search";
export const IMPACT = "cairn/impact";
export const STATUS = "cairn/status";
export const CHANGED = "cairn/changed";
export const PREPARE_CALLS = "textDocument/prepareCallHierarchy";
export const INCOMING_CALLS = "callHierarchy/incomingCalls";

/** The server's own commands. The client registers them by these names, so none of ours may be called like one. */
export const INDEX_COMMAND = "cairn.index";
export const PAGE_COMMAND = "cairn.openPage";
