"""Dart: a function's signature and body stand side by side."""

from cairn.languages.dart.language import LANGUAGE

__all__ = ["LANGUAGE"]
