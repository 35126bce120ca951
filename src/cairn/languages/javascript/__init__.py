"""JavaScript."""

from cairn.languages.javascript.language import LANGUAGE

__all__ = ["LANGUAGE"]
