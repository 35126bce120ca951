"""Ruby: all that is known of it."""

from cairn.languages.imports import everything
from cairn.languages.record import Language
from cairn.languages.ruby.grammar import GRAMMAR
from cairn.languages.ruby.modules import Ruby
from cairn.languages.ruby.scoping import SCOPING

LANGUAGE = Language(
    name="ruby",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Ruby,
)
