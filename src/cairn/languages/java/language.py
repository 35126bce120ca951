"""Java: all that is known of it."""

from cairn.languages.imports import last_part
from cairn.languages.java.grammar import GRAMMAR
from cairn.languages.java.scoping import SCOPING
from cairn.languages.modules.jvm import Jvm
from cairn.languages.record import Language

LANGUAGE = Language(
    name="java",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=last_part,
    modules=Jvm,
)
