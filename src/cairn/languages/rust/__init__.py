"""Rust."""

from cairn.languages.rust.language import LANGUAGE

__all__ = ["LANGUAGE"]
