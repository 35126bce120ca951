"""Which grammar each language is parsed with."""

from cairn.languages.pins import GRAMMAR_PINS

__all__ = ["GRAMMAR_PINS"]
