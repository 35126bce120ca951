"""Swift."""

from cairn.languages.swift.language import LANGUAGE

__all__ = ["LANGUAGE"]
