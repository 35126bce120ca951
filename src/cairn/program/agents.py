"""The commands for coding agents: install, uninstall, doctor."""

import argparse
from collections.abc import Callable
from typing import Any

from cairn.surfaces.cli.arguments import add_json


def add_to(commands: Any) -> None:
    """Add the commands that wire coding agents up."""
    install = _add(commands, "install", "wire coding agents up with the MCP server", "cairn install --dry-run")
    _add_choice(install, "those that are found here")
    install.add_argument("--no-instructions", action="store_true", help="write the server's entry only")
    install.add_argument("--no-hooks", action="store_true", help="write no hooks and no sub-agent")
    uninstall = _add(commands, "uninstall", "undo what install did", "cairn uninstall cursor")
    _add_choice(uninstall, "all")
    doctor = _add(commands, "doctor", "check the machine, the agents and the MCP server", "cairn doctor --json")
    doctor.add_argument(
        "path", nargs="?", default=".", metavar="PATH", help="a project whose agents and indexers are checked too"
    )
    add_json(doctor)


def _add_choice(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "clients", nargs="*", metavar="CLIENT", help=f"claude-code, codex, cursor, ...; default: {default}"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--project", metavar="PATH", help="the settings of one project")
    where.add_argument("--user", action="store_true", help="your own settings, for all projects (the default)")
    parser.add_argument("--dry-run", action="store_true", help="only show the diff")
    parser.add_argument("--yes", action="store_true", help="write without asking")
    add_json(parser)


def _add(commands: Any, name: str, text: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=f"Example: {example}",
        allow_abbrev=False,
    )
    parser.set_defaults(run=_imported_when_run(name))
    return parser


def _imported_when_run(name: str) -> Callable[[argparse.Namespace], int]:
    """A command that is imported when it runs."""

    def run(options: argparse.Namespace) -> int:
        from cairn.program import wiring

        code: int = getattr(wiring, name)(options)
        return code

    return run
