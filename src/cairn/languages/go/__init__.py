"""Go."""

from cairn.languages.go.language import LANGUAGE

__all__ = ["LANGUAGE"]
