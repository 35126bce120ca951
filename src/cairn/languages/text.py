"""Plain text."""

from cairn.languages.record import PROSE, Language

LANGUAGE = Language(name="text", content=PROSE)
