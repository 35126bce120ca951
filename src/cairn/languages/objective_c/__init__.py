"""Objective-C; a method is known by the first part of its selector."""

from cairn.languages.objective_c.language import LANGUAGE

__all__ = ["LANGUAGE"]
