"""Swift: all that is known of it."""

from cairn.languages.record import Language
from cairn.languages.swift.grammar import GRAMMAR

LANGUAGE = Language("swift", GRAMMAR)
