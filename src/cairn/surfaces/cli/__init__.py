"""The `cairn` command."""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Everything is imported in here, so that an early Ctrl-C is answered too."""
    try:
        from cairn.surfaces.cli.command import main as run

        return run(argv)
    except KeyboardInterrupt:
        sys.stderr.write("cairn: The command was interrupted.\n")
        return 12
