"""Python."""

from cairn.languages.python.language import LANGUAGE

__all__ = ["LANGUAGE"]
