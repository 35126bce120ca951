"""Swift: all that is known of it."""

from cairn.languages.imports import everything
from cairn.languages.record import Language
from cairn.languages.swift.grammar import GRAMMAR
from cairn.languages.swift.modules import Swift
from cairn.languages.swift.scoping import SCOPING

LANGUAGE = Language(
    name="swift",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Swift,
)
