"""Scala 2 and 3."""

from cairn.languages.scala.language import LANGUAGE

__all__ = ["LANGUAGE"]
