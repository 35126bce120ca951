"""Interfaces of OCaml: files that end in .mli."""

from cairn.languages.ocaml import QUERY, grammar
from cairn.languages.record import Language

LANGUAGE = Language(name="ocaml-interface", grammar=grammar("language_ocaml_interface", QUERY))
