"""`cairn engine`: where a codebase's indexes lie, moving the index to another vector engine, dropping former ones."""

import argparse
from typing import Any

from cairn.config.project import ENGINES
from cairn.surfaces.cli.arguments import add_json, add_path
from cairn.surfaces.cli.maintenance import from_upkeep


def add_to(commands: Any) -> None:
    """Add the command `engine`."""
    parser = commands.add_parser(
        "engine",
        help="list, move and drop a codebase's indexes by their vector engine",
        description="Look after where vectors live.",
        epilog="Example: cairn engine list ~/src/project",
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=type(parser))
    _add(actions, "list", "show the indexes of the codebase, and which of them answers")
    migrate = _add(
        actions,
        "migrate",
        "copy the index into the engine that the settings name",
        more=" now. Nothing is embedded again, and the former store stays until `cairn engine drop` removes it",
        example="migrate --to lancedb",
    )
    migrate.add_argument("--to", required=True, choices=ENGINES, help="the engine, as it is named in the settings")
    drop = _add(
        actions,
        "drop",
        "remove former indexes of the codebase at once",
        more=", and their vectors wherever they lie; never the one that answers",
        example="drop lancedb",
        last=False,
    )
    drop.add_argument("store", metavar="ENGINE|ID", help="an engine, or the id of a store, as `list` tells")
    add_path(drop)


def _add(
    actions: Any, name: str, text: str, *, more: str = "", example: str = "", last: bool = True
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}{more}.",
        epilog=f"Example: cairn engine {example or name} ~/src/project",
        allow_abbrev=False,
    )
    if last:
        add_path(parser)
    add_json(parser)
    parser.set_defaults(run=from_upkeep(f"engine_{name}"))
    return parser
