"""Rust: all that is known of it."""

from cairn.languages.record import Language
from cairn.languages.rust.grammar import GRAMMAR
from cairn.languages.rust.imports import bindings
from cairn.languages.rust.modules import Rust
from cairn.languages.rust.scoping import SCOPING

LANGUAGE = Language(
    name="rust",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Rust,
)
