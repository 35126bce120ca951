"""Rust: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.heads import NAME_FIRST, HeadRules
from cairn.languages.record import Language
from cairn.languages.rust.grammar import GRAMMAR
from cairn.languages.rust.imports import bindings, stem
from cairn.languages.rust.modules import Rust
from cairn.languages.rust.scoping import SCOPING

LANGUAGE = Language(
    name="rust",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Rust,
    customs=Customs(
        selves=frozenset({"Self", "self"}),
        parents=frozenset(),
        scattered=True,
        overloads=True,
        paths_to_names=True,
        namespaces=True,
        uncalled_fields=True,
        joint="::",
        stem=stem,
        macros_apart=True,
    ),
    heads=HeadRules(order=NAME_FIRST, transparent="Box|Rc|Arc"),
)
