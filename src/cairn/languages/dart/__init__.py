"""Dart."""

from cairn.languages.dart.language import LANGUAGE

__all__ = ["LANGUAGE"]
