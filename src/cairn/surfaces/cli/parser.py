"""The parser of the command line: commands under titles, and errors as one sentence."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol

from cairn import __version__
from cairn.base import lazy
from cairn.base.errors import UsageError
from cairn.base.text import nearest
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.terminal import columns
from cairn.surfaces.cli.text import say
from cairn.workspace.pathkey import display

_WIDTH = 80
OFTEN_MEANT = {
    "rg": "grep",
    "lines": "grep",
    "find": "search",
    "query": "search",
    "ask": "search",
    "def": "symbol",
    "definition": "symbol",
    "goto": "symbol",
    "references": "refs",
    "usages": "refs",
    "uses": "refs",
    "calls": "callees",
    "cat": "read",
    "show": "read",
    "tree": "map",
    "overview": "map",
    "sync": "index",
    "update": "index",
    "init": "index",
    "reindex": "index --reindex",
    "start": "serve --detach",
    "daemon": "serve --detach",
    "undo": "rename --undo",
    "revert": "rename --undo",
    "move --undo": "rename --undo",
    "change-signature --undo": "rename --undo",
    "info": "status",
    "settings": "config",
    "remove": "clear",
}
"""What other tools call a command: none of these is spelt like ours."""


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
    attached: Sequence[str] = ()
    """Options whose value may begin with a hyphen."""
    numbered = ""
    """The option that a bare number stands for, as `-5`."""
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
        if self._inside:
            return super().parse_known_args(args, namespace)
        self._inside = True
        args = self._with_values(args) if self.attached else args
        try:
            # What follows '--' is positional in any case, which the intermixed way doesn't know.
            if self.intermixed and "--" not in (args or ()):
                known, more = self.parse_known_intermixed_args(args, namespace)
            else:
                known, more = super().parse_known_args(args, namespace)
        finally:
            self._inside = False
        if more:
            # Told here, where it is known which options the command has.
            self._refuse(more)
        return known, more

    def _with_values(self, args: Sequence[str]) -> list[str]:
        """Arguments in which a value that may begin with a hyphen stands in one with its option."""
        found: list[str] = []
        words = iter(args)
        for word in words:
            if word in self.attached:
                word += next(words, "")
            elif self.numbered and word.startswith("-") and word[1:].isdecimal():
                word = self.numbered + word[1:]
            found.append(word)
            if word == "--":
                break
        return [*found, *words]

    def _refuse(self, words: Sequence[str]) -> NoReturn:
        flag = next((word for word in words if word.startswith("-") and word != "--"), None)
        if flag is None:
            self.error(f"unrecognized arguments: {' '.join(words)}")
        flag = flag.partition("=")[0]
        known = (
            option for action in self._actions if action.help != argparse.SUPPRESS for option in action.option_strings
        )
        command, _, own = self.prog.partition(" ")
        elsewhere = OFTEN_MEANT.get(f"{own} {flag}", "")
        meant = self._meant(elsewhere or nearest(flag, known), f"{command} " if elsewhere else "", "which there are")
        raise UsageError(self._lacks(f"option {display(flag)}"), hint=meant)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices or not isinstance(action, argparse._SubParsersAction):
            super()._check_value(action, value)
            return
        near = OFTEN_MEANT.get(value) or nearest(value, action.choices)
        what = f"command {display(repr(value))}"
        raise UsageError(self._lacks(what), hint=self._meant(near, f"{self.prog} ", "which there are"))

    def _lacks(self, what: str) -> str:
        # The message is printed behind "cairn:".
        _, _, command = self.prog.partition(" ")
        return f"{command} has no {what}." if command else f"There is no {what}."

    def _meant(self, near: str, before: str, what: str) -> str:
        perhaps = f"Did you mean `{before}{near}`? " if near else ""
        return f"{perhaps}Run `{self.prog} --help` to see {what}."

    def _print_message(self, message: str, file: object = None) -> None:
        say(message.rstrip("\n"), error=file is sys.stderr)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError in place of leaving the process."""
        raise UsageError(f"{display(message)}.", hint=self._meant("", "", "what is understood"))


def parser_of(groups: Groups) -> Parser:
    """A parser of the commands of some modules; of none where no command is named."""
    parser = Parser(
        prog="cairn",
        description="A code index for people and agents who work in the same tree at once.",
        epilog="Example: cairn index --dry-run. Each command has a --help of its own.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cairn {__version__}")
    # Without a command it is told where one stands.
    parser.set_defaults(run=lazy.function("cairn.surfaces.cli.standing", "run"), json=False)
    if not groups:
        add_json(parser)
        return parser
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser, prog=parser.prog)
    titles = []
    for title, modules in groups:
        known = len(commands._choices_actions)
        for module in modules:
            module.add_to(commands)
        titles.append((title, commands._choices_actions[known:]))
    parser.groups = titles
    return parser
