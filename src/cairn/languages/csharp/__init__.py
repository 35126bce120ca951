"""C#."""

from cairn.languages.csharp.language import LANGUAGE

__all__ = ["LANGUAGE"]
