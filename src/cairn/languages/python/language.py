"""Python: all that is known of it."""

from cairn.languages.python.grammar import GRAMMAR
from cairn.languages.python.imports import bindings
from cairn.languages.python.modules import Python
from cairn.languages.python.scoping import SCOPING
from cairn.languages.record import Language

LANGUAGE = Language(
    name="python",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Python,
)
