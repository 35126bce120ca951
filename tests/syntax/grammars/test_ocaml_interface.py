"""OCaml interfaces: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import chunk_lines, imports, outline, read, read_broken, signatures

PATH = "src/store.mli"
SAMPLE = """(** Keeps values by key. *)

open Base

type key = string
(** What values are found by. *)

type t

val find : t -> key -> string option
(** [find t k] is the value of [k]. *)

exception Missing of string

module Make (K : Map.OrderedType) : sig
  val create : int -> t
end

external now : unit -> float = "unix_time"
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "type key 5-5 +",
        "type t 8-8 +",
        "function find 10-10 +",
        "constant Missing 13-13 +",
        "module Make 15-17 +",
        "function Make.create 16-16 +",
        "function now 19-19 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["find"] == "val find : t -> key -> string option"
    assert found["Make.create"] == "val create : int -> t"


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("Base", 3)]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 200) == [(1, 11), (13, 19)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
