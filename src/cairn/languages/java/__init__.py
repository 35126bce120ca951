"""Java."""

from cairn.languages.java.language import LANGUAGE

__all__ = ["LANGUAGE"]
