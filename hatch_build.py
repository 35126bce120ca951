"""What the wheel holds besides the package: the man page, which `make man` writes from the commands as they are."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManPage(BuildHookInterface):  # type: ignore[type-arg]
    """Put the page where `man` looks; without it the wheel is whole all the same."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built."""
        page = Path(self.root, "build", "man", "cairn.1")
        if version == "standard" and page.exists():
            build_data["shared_data"][str(page)] = "share/man/man1/cairn.1"
