"""The parser of the command line: commands under titles, and errors as one sentence."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol

from cairn import __version__
from cairn.base.errors import UsageError
from cairn.surfaces.cli.terminal import columns
from cairn.surfaces.cli.text import say
from cairn.workspace.pathkey import display

_WIDTH = 80


class Commands(Protocol):
    """A module with some commands."""

    def add_to(self, commands: Any) -> None:
        """Add the commands of a module to the parser."""


Groups = Sequence[tuple[str, Sequence[Commands]]]
"""Modules under the titles that the help shows them by."""


def _formatter(prog: str) -> argparse.HelpFormatter:
    """As argparse makes one for every argument: it would load `shutil`, with all compressors, for the width alone."""
    return argparse.HelpFormatter(prog, width=(columns() or _WIDTH) - 2)


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are errors of Cairn, and whose help has groups."""

    intermixed = False
    """Options may stand between the positional arguments."""
    fill: Callable[[], None] | None = None
    """Adds the arguments when they are first needed: a process runs one command of many."""
    _inside = False
    groups: Sequence[tuple[str, Sequence[argparse.Action]]] = ()
    """Commands under titles, in place of one long list."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"formatter_class": _formatter, **named})

    def complete(self) -> None:
        """Have the arguments, if they were put off."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill()

    def format_help(self) -> str:
        """The help, with commands under titles where there are groups."""
        self.complete()
        if not self.groups:
            return super().format_help()
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for title, actions in (*self.groups, ("options", self._optionals._group_actions)):
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, with options between positional arguments where that is allowed."""
        self.complete()
        # What follows '--' is positional in any case, which the intermixed way doesn't know.
        if not self.intermixed or self._inside or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False

    def _print_message(self, message: str, file: object = None) -> None:
        say(message.rstrip("\n"), error=file is sys.stderr)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError in place of leaving the process."""
        command = next((word for word in sys.argv[1:2] if word.isalpha()), "")
        prog = f"{self.prog} {command}" if self.prog == "cairn" and "unrecognized" in message else self.prog
        raise UsageError(f"{display(message)}.", hint=f"Run `{prog.strip()} --help` to see what is understood.")


def parser_of(groups: Groups) -> Parser:
    """A parser of the commands of some modules."""
    parser = Parser(
        prog="cairn",
        description="A code index for people and agents who work in the same tree at once.",
        epilog="Example: cairn index --dry-run . Each command has a --help of its own.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cairn {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=Parser, prog=parser.prog
    )
    titles = []
    for title, modules in groups:
        known = len(commands._choices_actions)
        for module in modules:
            module.add_to(commands)
        titles.append((title, commands._choices_actions[known:]))
    parser.groups = titles
    return parser
