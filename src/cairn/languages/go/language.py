"""Go: all that is known of it."""

from cairn.languages.go.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("go", GRAMMAR)
