"""`cairn config`: the settings in force and where each comes from, and changes to the files that hold them."""

import argparse
from collections.abc import Callable
from typing import Any

from cairn.base import lazy
from cairn.surfaces.cli.arguments import add_json

_RUNNING = "cairn.surfaces.cli.settings"


def add_to(commands: Any) -> None:
    """Add the command `config`."""
    parser = commands.add_parser(
        "config",
        help="the settings in force and where each comes from; get, set, unset, edit",
        description="Show every setting with the value in force and where it comes from: a default, your own file, the "
        "codebase's .cairn.toml, or the environment. An option of a command goes before all of them.",
        epilog="Example: cairn config --json",
        allow_abbrev=False,
    )
    _add_common(parser, run="show")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", parser_class=type(parser))
    _add(actions, "get", "one setting and what it is for, or a section", "cairn config get query.limit", _key)
    _add(
        actions,
        "set",
        "give a setting a value; nothing is written that Cairn would not take",
        "cairn config set query.limit 20 --project",
        _add_values,
    )
    _add(
        actions,
        "unset",
        "take a setting out of a file, so that the next source counts",
        "cairn config unset query.limit --project",
        _add_place,
    )
    _add(
        actions,
        "edit",
        "open a file in your editor; what comes back is checked before it is kept",
        "cairn config edit --project",
        _add_project,
    )


def _add(actions: Any, name: str, text: str, example: str, fill: Callable[[argparse.ArgumentParser], None]) -> None:
    parser = actions.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=f"Example: {example}",
        allow_abbrev=False,
    )
    parser.intermixed = True
    fill(parser)
    _add_common(parser, run=name)


def _add_common(parser: argparse.ArgumentParser, *, run: str) -> None:
    parser.add_argument(
        "--root", metavar="PATH", default=None, help="the codebase (default: the one around the working folder)"
    )
    add_json(parser)
    parser.set_defaults(run=lazy.function(_RUNNING, run))


def _key(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="the name of a setting, like query.limit")


def _add_values(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="its name, like query.limit; or KEY=VALUE, and more of them")
    parser.add_argument("values", nargs="*", metavar="VALUE", help="its value; of a list, every one")
    _add_project(parser)


def _add_place(parser: argparse.ArgumentParser) -> None:
    _key(parser)
    _add_project(parser)


def _add_project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--project", action="store_true", help="the codebase's .cairn.toml, which all who work on it share"
    )
