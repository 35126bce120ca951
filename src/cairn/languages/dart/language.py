"""Dart: a function's signature and body stand side by side: all that is known of it."""

from cairn.languages.dart.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("dart", GRAMMAR)
