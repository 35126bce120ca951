"""C++, and headers that are C++."""

from cairn.languages.cpp.language import LANGUAGE

__all__ = ["LANGUAGE"]
