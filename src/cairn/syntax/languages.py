"""Which language a file is written in."""

from cairn.languages.files import language_named, language_of

__all__ = ["language_named", "language_of"]
