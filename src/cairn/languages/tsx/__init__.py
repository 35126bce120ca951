"""TypeScript with JSX."""

from cairn.languages.tsx.language import LANGUAGE

__all__ = ["LANGUAGE"]
