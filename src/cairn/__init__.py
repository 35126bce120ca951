"""Cairn: a code index that never lies."""

__version__ = "0.1.0"
