"""JavaScript: all that is known of it."""

from cairn.languages.javascript.grammar import GRAMMAR
from cairn.languages.javascript.imports import bindings
from cairn.languages.javascript.modules import JavaScript
from cairn.languages.javascript.scoping import SCOPING
from cairn.languages.record import Language

LANGUAGE = Language(
    name="javascript",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=JavaScript,
)
