"""C#: all that is known of it."""

from cairn.languages.csharp.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("csharp", GRAMMAR)
