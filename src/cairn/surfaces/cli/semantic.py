"""The commands of the semantic layer."""

from typing import Any

from cairn.surfaces.cli import contexts, jobs, refresh


def add_to(commands: Any) -> None:
    contexts.add_to(commands)
    refresh.add_to(commands)
    jobs.add_to(commands)
