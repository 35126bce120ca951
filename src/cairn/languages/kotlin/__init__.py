"""Kotlin."""

from cairn.languages.kotlin.language import LANGUAGE

__all__ = ["LANGUAGE"]
