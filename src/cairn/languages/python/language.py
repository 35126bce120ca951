"""Python: all that is known of it."""

from cairn.languages.python.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("python", GRAMMAR)
