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
    push = _add(commands, "push", "put the index of the commit to a remote; only what is missing travels", "push")
    _add_remote(push)
    push.add_argument("--again", action="store_true", help="send every part, also those that are there")
    push.add_argument(
        "--askable", action="store_true", help="so that machines without an index ask it there: `cairn search --remote`"
    )
    pull = _add(commands, "pull", "build the index on that of the nearest commit that a remote has", "pull")
    _add_remote(pull)
    _add_remotes(commands)


def _add_remotes(commands: Any) -> None:
    remote = commands.add_parser(
        "remote",
        help="where a team's indexes are: add, list, remove, gc",
        description="The remotes in your own settings. The first of them is asked before a fresh clone is indexed.",
        epilog="Example: cairn remote add team /mnt/team/cairn",
        allow_abbrev=False,
    )
    actions = remote.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=type(remote))
    for name, text, example in (
        ("add", "name a folder, an http(s) address or an object store", "remote add team s3://bucket/cairn"),
        ("list", "the remotes, in the order in which they count", "remote list"),
        ("remove", "forget a remote; what it holds stays", "remote remove team"),
        ("gc", "remove old snapshots of a remote, and parts that none needs", "remote gc --keep 20"),
    ):
        action = _add(actions, name, text, example, run=f"remote_{name}")
        if name == "gc":
            _add_name(action)
            action.add_argument(
                "--keep", type=int, default=20, metavar="N", help="how many snapshots of each kind of index stay (20)"
            )
        elif name != "list":
            action.add_argument("name", metavar="NAME", help="what it is called")
        if name == "add":
            action.add_argument("address", metavar="ADDRESS", help="a folder, http(s)://, s3://, gs:// or az://")
        add_json(action)


def _add(commands: Any, name: str, text: str, example: str, run: str = "") -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=f"Example: cairn {example}",
        allow_abbrev=False,
    )
    parser.set_defaults(run=lazy.function(_RUNNING, f"run_{run or name}"))
    return parser


def _add_remote(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    _add_name(parser)
    add_json(parser)


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--remote", metavar="NAME", default="", help="which of your remotes (the first)")


def _add_file(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("file", metavar="FILE", help=text)
    add_path(parser)
    add_json(parser)
