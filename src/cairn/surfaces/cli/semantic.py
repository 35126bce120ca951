"""The commands of the semantic layer."""

from typing import Any

from cairn.surfaces.cli import contexts


def add_to(commands: Any) -> None:
    contexts.add_to(commands)
