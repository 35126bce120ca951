"""Go: all that is known of it."""

from cairn.languages.go.grammar import GRAMMAR
from cairn.languages.go.imports import bindings
from cairn.languages.go.modules import Go
from cairn.languages.go.scoping import SCOPING
from cairn.languages.record import Language

LANGUAGE = Language(
    name="go",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Go,
)
