"""TypeScript."""

from cairn.languages.typescript.language import LANGUAGE

__all__ = ["LANGUAGE"]
