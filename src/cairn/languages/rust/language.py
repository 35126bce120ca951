"""Rust: all that is known of it."""

from cairn.languages.record import Language
from cairn.languages.rust.grammar import GRAMMAR

LANGUAGE = Language("rust", GRAMMAR)
