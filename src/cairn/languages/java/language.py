"""Java: all that is known of it."""

from cairn.languages.java.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("java", GRAMMAR)
