"""JavaScript: all that is known of it."""

from cairn.languages.javascript.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("javascript", GRAMMAR)
