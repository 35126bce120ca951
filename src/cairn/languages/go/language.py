"""Go: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.go.grammar import GRAMMAR
from cairn.languages.go.imports import bindings
from cairn.languages.go.modules import Go
from cairn.languages.go.scoping import SCOPING
from cairn.languages.heads import NAME_FIRST, Heads
from cairn.languages.naming import Naming
from cairn.languages.record import Language

LANGUAGE = Language(
    name="go",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Go,
    customs=Customs(selves=frozenset(), parents=frozenset(), sees_package=True, scattered=True, overloads=True),
    heads=Heads(order=NAME_FIRST, square=True),
    naming=Naming(
        reserved=frozenset({"_", "init", "main", "iota"}), proves_locals=True, corners=("body_of_a_function", "keyed")
    ),
)
