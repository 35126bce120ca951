"""C: all that is known of it."""

from cairn.languages.c.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("c", GRAMMAR)
