"""Ruby: all that is known of it."""

from cairn.languages.record import Language
from cairn.languages.ruby.grammar import GRAMMAR

LANGUAGE = Language("ruby", GRAMMAR)
