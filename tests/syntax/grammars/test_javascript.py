"""JavaScript: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/leases.js"
SAMPLE = """/** Leases that renew themselves. */
import { EventEmitter } from "node:events";
import clock from "./clock.js";
export * from "./errors.js";

const fs = require("fs");
const DEFAULT_TTL = 30_000;
let started = false;
var legacy;

/**
 * Takes a lease and keeps it.
 * @param {string} name
 */
export async function acquire(name, { ttl = DEFAULT_TTL } = {}) {
  const lease = new Lease(name, ttl);
  await lease.renew();
  return lease;
}

export class Lease extends EventEmitter {
  static count = 0;
  #token = null;

  constructor(name, ttl) {
    super();
    this.name = name;
    this.deadline = clock.now() + ttl;
  }

  // Milliseconds until someone else may take it.
  get remaining() {
    return this.deadline - clock.now();
  }

  async renew() {
    this.#token = await this.#ask(this.name);
    this.emit("renewed");
  }

  onLost = () => {
    this.emit("lost");
  };

  async #ask(name) {
    const reply = await fetch(`/leases/${name}`);
    return reply.json();
  }
}

const isStale = (lease) => lease.remaining <= 0;

const store = {
  limit: 10,
  put(lease) {
    this.items.push(lease);
  },
  drop: function (lease) {
    remove(this.items, lease);
  },
};

function LegacyLease(name) {
  this.name = name;
  this.free = function () {
    release(name);
  };
}

LegacyLease.prototype.touch = function touch() {
  return utimes(this.name);
};

exports.VERSION = "2";
exports.sweep = function (leases) {
  return leases.filter(isStale).forEach((lease) => store.drop(lease));
};
module.exports.lazy = () => import("./lazy.js");

export const LeaseList = ({ leases }) => (
  <ul>
    {leases.map((lease) => (
      <LeaseRow key={lease.name} onDrop={() => store.drop(lease)} />
    ))}
  </ul>
);

export default { acquire, version: () => "2" };
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "constant DEFAULT_TTL 7-7",
        "variable started 8-8",
        "variable legacy 9-9",
        "function acquire 15-19 +",
        "class Lease 21-49 +",
        "field Lease.count 22-22 +",
        "field Lease.#token 23-23",
        "constructor Lease.constructor 25-29 +",
        "property Lease.remaining 32-34 +",
        "method Lease.renew 36-39 +",
        "method Lease.onLost 41-43 +",
        "method Lease.#ask 45-48",
        "function isStale 51-51",
        "constant store 53-61",
        "method store.put 55-57",
        "method store.drop 58-60",
        "function LegacyLease 63-68",
        "method LegacyLease.free 65-67",
        "method LegacyLease.touch 70-72",
        "constant VERSION 74-74 +",
        "function sweep 75-77 +",
        "function lazy 78-78 +",
        "function LeaseList 80-86 +",
        "constant default 88-88 +",
        "method default.version 88-88 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["acquire"] == "async function acquire(name, { ttl = DEFAULT_TTL } = {})"
    assert found["Lease"] == "class Lease extends EventEmitter"
    assert found["Lease.remaining"] == "get remaining()"
    assert found["LegacyLease.touch"] == "LegacyLease.prototype.touch = function touch()"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "acquire": "Takes a lease and keeps it. @param {string} name",
        "Lease.remaining": "Milliseconds until someone else may take it.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases that renew themselves."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [
        ("node:events", 2),
        ("./clock.js", 3),
        ("./errors.js", 4),
        ("fs", 6),
        ("./lazy.js", 78),
    ]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("require", 6, ""),
        ("Lease", 16, "acquire"),
        ("renew", 17, "acquire"),
        ("now", 28, "Lease.constructor"),
        ("now", 33, "Lease.remaining"),
        ("#ask", 37, "Lease.renew"),
        ("emit", 38, "Lease.renew"),
        ("emit", 42, "Lease.onLost"),
        ("fetch", 46, "Lease.#ask"),
        ("json", 47, "Lease.#ask"),
        ("push", 56, "store.put"),
        ("remove", 59, "store.drop"),
        ("release", 66, "LegacyLease.free"),
        ("utimes", 71, "LegacyLease.touch"),
        ("filter", 76, "sweep"),
        ("forEach", 76, "sweep"),
        ("drop", 76, "sweep"),
        ("map", 82, "LeaseList"),
        ("LeaseRow", 83, "LeaseList"),
        ("drop", 83, "LeaseList"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 300) == [
        (1, 9),
        (11, 19),
        (21, 29),
        (31, 43),
        (45, 51),
        (53, 61),
        (63, 74),
        (75, 78),
        (80, 88),
    ]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
