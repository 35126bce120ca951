"""`cairn export`, `import`, `push`, `pull` and `remote`: one index for a team."""

import argparse
from typing import Any

from cairn.base import lazy
from cairn.surfaces.cli.arguments import add_json, add_path

_RUNNING = "cairn.surfaces.cli.teamwork"


def add_to(commands: Any) -> None:
    """Add the commands by which an index travels."""
    export = _add(commands, "export", "write the index to one file, for others to import", "export index.cairn")
    _add_file(export, "the file to write")
    export.add_argument(
        "--uncommitted", action="store_true", help="take along what git doesn't have; for yourself, not for a team"
    )
    imported = _add(
        commands, "import", "build the index on one that was exported; only what differs is read", "import index.cairn"
    )
    _add_file(imported, "a file that `cairn export` wrote")


def _add(commands: Any, name: str, text: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=f"Example: cairn {example}",
        allow_abbrev=False,
    )
    parser.set_defaults(run=lazy.function(_RUNNING, f"run_{name}"))
    return parser


def _add_file(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("file", metavar="FILE", help=text)
    add_path(parser)
    add_json(parser)
