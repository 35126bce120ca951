"""C."""

from cairn.languages.c.language import LANGUAGE

__all__ = ["LANGUAGE"]
