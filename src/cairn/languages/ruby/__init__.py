"""Ruby."""

from cairn.languages.ruby.language import LANGUAGE

__all__ = ["LANGUAGE"]
