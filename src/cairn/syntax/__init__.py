"""Languages: what a file is written in."""

from cairn.languages.files import language_of

__all__ = ["language_of"]
