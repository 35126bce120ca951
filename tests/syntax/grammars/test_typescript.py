"""TypeScript: what is found in a sample."""

import pytest

from cairn.syntax.mending import mended
from cairn.syntax.parse import tree_of
from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/leases.ts"
SAMPLE = """// Leases, typed.
import { Clock } from "./clock";
import type { Options } from "./options";
import fs = require("fs");
export { LeaseError } from "./errors";

export type LeaseId = string & { readonly brand: unique symbol };

type Entry<T> = {
  value: T;
  expires(at: number): boolean;
};

/** Who may write. */
export interface LeaseStore<T extends Entry<unknown>> extends Iterable<T> {
  readonly size: number;
  type?: string;
  get(id: LeaseId): T | undefined;
}

export enum State {
  Held,
  Stale = "stale",
}

export const enum Mode { Shared = 1 }

export namespace limits {
  export const MAX_LEASES = 1000;
  function hidden(): void {}
}

declare module "legacy" {
  export function open(path: string): number;
}

declare const BUILD: string;

export function parse(text: string): LeaseId;
export function parse(text: Buffer): LeaseId;
export function parse(text: unknown): LeaseId {
  return validate<LeaseId>(String(text));
}

/**
 * Renews leases in the background.
 */
@Injectable({ scope: "root" })
export abstract class Renewer<T> implements Disposable {
  private static instances = 0;
  protected readonly clock!: Clock;
  #timer?: NodeJS.Timeout;

  constructor(private readonly store: LeaseStore<Entry<T>>, public options: Options = {}) {
    Renewer.instances += 1;
  }

  abstract renew(id: LeaseId): Promise<void>;

  @Traced()
  async sweep(): Promise<number> {
    const stale = [...this.store].filter((entry) => entry.expires(this.clock.now()));
    for (const entry of stale) {
      await this.drop(entry);
    }
    return stale.length;
  }

  handle = async (event: Event): Promise<void> => {
    await this.sweep();
  };

  private drop(entry: Entry<T>): void {
    fs.unlinkSync(path.join(this.options.root!, hash(entry)));
  }

  get [Symbol.toStringTag](): string {
    return "Renewer";
  }
}

export const retry = async <R>(work: () => Promise<R>, times = 3): Promise<R> => {
  try {
    return await work();
  } catch (error) {
    return retry(work, times - 1);
  }
};

export const defaults = { ttl: 30, mode: Mode.Shared } as const;
const cache = new Map<LeaseId, Entry<unknown>>();
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "type LeaseId 7-7 +",
        "field LeaseId.brand 7-7 +",
        "type Entry 9-12",
        "field Entry.value 10-10",
        "method Entry.expires 11-11",
        "interface LeaseStore 15-19 +",
        "field LeaseStore.size 16-16 +",
        "field LeaseStore.type 17-17 +",
        "method LeaseStore.get 18-18 +",
        "enum State 21-24 +",
        "constant State.Held 22-22 +",
        "constant State.Stale 23-23 +",
        "enum Mode 26-26 +",
        "constant Mode.Shared 26-26 +",
        "module limits 28-31 +",
        "constant limits.MAX_LEASES 29-29 +",
        "function limits.hidden 30-30",
        "module legacy 33-35 +",
        "function legacy.open 34-34 +",
        "constant BUILD 37-37 +",
        "function parse 39-39 +",
        "function parse 40-40 +",
        "function parse 41-43 +",
        "class Renewer 48-80 +",
        "field Renewer.instances 50-50",
        "field Renewer.clock 51-51 +",
        "field Renewer.#timer 52-52",
        "constructor Renewer.constructor 54-56 +",
        "field Renewer.store 54-54",
        "field Renewer.options 54-54 +",
        "method Renewer.renew 58-58 +",
        "method Renewer.sweep 61-67 +",
        "method Renewer.handle 69-71 +",
        "method Renewer.drop 73-75",
        "function retry 82-88 +",
        "constant defaults 90-90 +",
        "constant cache 91-91",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["LeaseId"] == "type LeaseId = string & { readonly brand: unique symbol };"
    assert found["LeaseStore"] == "interface LeaseStore<T extends Entry<unknown>> extends Iterable<T>"
    assert found["LeaseStore.get"] == "get(id: LeaseId): T | undefined"
    assert found["Renewer"] == "abstract class Renewer<T> implements Disposable"
    assert (
        found["Renewer.constructor"]
        == "constructor(private readonly store: LeaseStore<Entry<T>>, public options: Options = {})"
    )
    assert found["Renewer.sweep"] == "async sweep(): Promise<number>"
    assert found["retry"] == "const retry = async <R>(work: () => Promise<R>, times = 3): Promise<R> =>"
    assert found["Mode.Shared"] == "Shared = 1"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"LeaseStore": "Who may write.", "Renewer": "Renews leases in the background."}
    assert read(PATH, SAMPLE).top_comment == "Leases, typed."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("./clock", 2), ("./options", 3), ("fs", 4), ("./errors", 5)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("validate", 42, "parse"),
        ("String", 42, "parse"),
        ("Injectable", 48, "Renewer"),
        ("Traced", 60, "Renewer"),
        ("filter", 62, "Renewer.sweep"),
        ("expires", 62, "Renewer.sweep"),
        ("now", 62, "Renewer.sweep"),
        ("drop", 64, "Renewer.sweep"),
        ("sweep", 70, "Renewer.handle"),
        ("unlinkSync", 74, "Renewer.drop"),
        ("join", 74, "Renewer.drop"),
        ("hash", 74, "Renewer.drop"),
        ("work", 84, "retry"),
        ("retry", 86, "retry"),
        ("Map", 91, "cache"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 12), (14, 31), (33, 43), (45, 58), (60, 71), (73, 80), (82, 91)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))


NAMELESS = """interface Get {
  (name: string): string
  <T>(name: T): T
  // with a default
  <
    T extends object,
    U = T,
  >(
    name: T,
  ): U
  all(): string[]
}
export type * from "./all"
const last = a
  < b
"""


def test_signatures_without_a_name_need_no_semicolon_before_them() -> None:
    parsed = read(PATH, NAMELESS)
    assert outline(parsed) == ["interface Get 1-12", "method Get.all 11-11", "constant last 14-15"]
    assert imports(parsed) == [("./all", 13)]
    tree = tree_of(PATH, "typescript", NAMELESS.encode())
    assert not tree.root_node.has_error


def test_what_no_mend_helps_is_read_as_it_stands() -> None:
    assert mended("typescript", b"const called = a\n  <T>(1)\n") is None
    assert mended("typescript", b"interface A { a: 1 ( }\n") is None
    assert mended("python", b"def f(:\n") is None
