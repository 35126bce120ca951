"""OCaml: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/store.ml"
SAMPLE = """(* Keeps values by key. *)
open Printf
include Base.Types
module Map = Stdlib.Map.Make (String)

(** A key. *)
type key = string

type 'a entry = { name : key; mutable value : 'a }

type shape =
  | Circle of float
  | Square

exception Missing of string

(** Finds a value. *)
let find store key =
  let local = Hashtbl.find_opt store key in
  match local with
  | None -> raise (Missing key)
  | Some v -> normalise v

let limit = 100
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let ( >>= ) x f = List.concat_map f x

let _private x = x |> String.trim

module type STORE = sig
  type t
  val create : int -> t
end

module Make (K : Map.OrderedType) : STORE = struct
  type t = K.t list
  let create n = printf "%d" n; []
end

class counter start = object (self)
  val mutable count = start
  method increment by = count <- count + by
end

external now : unit -> float = "unix_time"
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "module Map 4-4 +",
        "type key 7-7 +",
        "type entry 9-9 +",
        "field entry.name 9-9 +",
        "field entry.value 9-9 +",
        "type shape 11-13 +",
        "constant shape.Circle 12-12 +",
        "constant shape.Square 13-13 +",
        "constant Missing 15-15 +",
        "function find 18-22 +",
        "constant limit 24-24 +",
        "function even 25-25 +",
        "function odd 26-26 +",
        "function >>= 28-28 +",
        "function _private 30-30",
        "interface STORE 32-35 +",
        "type STORE.t 33-33 +",
        "method STORE.create 34-34 +",
        "module Make 37-40 +",
        "type Make.t 38-38 +",
        "function Make.create 39-39 +",
        "class counter 42-45 +",
        "field counter.count 43-43 +",
        "method counter.increment 44-44 +",
        "function now 47-47 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["find"] == "find store key"
    assert found["entry"] == "'a entry"
    assert found["STORE.create"] == "val create : int -> t"
    assert found["Make"] == "Make (K : Map.OrderedType) : STORE"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"key": "A key.", "find": "Finds a value."}
    assert read(PATH, SAMPLE).top_comment == "Keeps values by key."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("Printf", 2), ("Base.Types", 3)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("find_opt", 19, "find"),
        ("raise", 21, "find"),
        ("normalise", 22, "find"),
        ("odd", 25, "even"),
        ("even", 26, "odd"),
        ("concat_map", 28, ">>="),
        ("trim", 30, "_private"),
        ("printf", 39, "Make.create"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 300) == [(1, 15), (17, 28), (30, 40), (42, 47)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
