"""The `cairn` command."""

from cairn.surfaces.cli.main import main

__all__ = ["main"]
