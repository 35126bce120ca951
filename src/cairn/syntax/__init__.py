"""Languages: what a file is written in."""

from cairn.syntax.languages import language_of

__all__ = ["language_of"]
