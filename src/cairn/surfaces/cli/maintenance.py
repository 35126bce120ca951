"""The commands that change a store: repair, compact, gc, upgrade-store, clear."""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

from cairn.surfaces.cli.arguments import FOLDER, add_json, add_path


def add_to(commands: Any) -> None:
    """Add the commands that look after a store."""
    _add(commands, "repair", "rebuild what is damaged", run="run_repair")
    _add(commands, "compact", "merge segments if that is due", force="merge all segments now")
    collect = _add(commands, "gc", "remove what no snapshot needs", force="ignore the age of snapshots")
    collect.add_argument(
        "--stores",
        action="store_true",
        help="remove whole stores that were unused for 30 days, or whose format is a former one and that were replaced",
    )
    collect.add_argument("--gone", action="store_true", help="remove the stores of roots that are gone")
    _add(
        commands, "upgrade-store", "bring the store to the current formats, indexing anew where it must", run="upgrade"
    )
    clear = _add(
        commands,
        "clear",
        "remove the index of this root; of one that is gone, by its path or store id",
        path=f"{FOLDER}; or the path of a root that is gone, or a store's id, as `cairn stores` lists them",
    )
    clear.add_argument("--yes", action="store_true", help="remove an index of another engine that answers, too")


def _add(
    commands: Any, name: str, text: str, *, run: str = "", force: str = "", path: str = FOLDER
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=f"Example: cairn {name} ~/src/project",
        allow_abbrev=False,
    )
    add_path(parser, path)
    if force:
        parser.add_argument("--force", action="store_true", help=force)
    add_json(parser)
    parser.set_defaults(run=from_upkeep(run or name))
    return parser


def from_upkeep(name: str) -> Callable[[argparse.Namespace], int]:
    """A command that is imported when it runs: the store's libraries take their time to load."""

    def run(options: argparse.Namespace) -> int:
        code: int = getattr(import_module("cairn.surfaces.cli.upkeep"), name)(options)
        return code

    return run
