"""Parse the command line, run one command, and turn every error into one sentence and an exit code."""

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from cairn import __version__
from cairn.errors import BusyError, CairnError, CancelledError, OutputError, StorageError, UsageError
from cairn.surfaces.cli import agents, code, daemon, index, maintenance, mcp, reads, search, semantic
from cairn.surfaces.cli.console import ElsewhereError
from cairn.surfaces.cli.text import json_text, printable, say
from cairn.workspace import cairn_home, display

_FEW_COLLECTIONS = 100_000
"""New objects between two looks for garbage; 700 in an ordinary program."""
_GROUPS = (
    ("find", (index, search)),
    ("ask about code (what is indexed already)", (code,)),
    ("read (what the conversation doesn't have yet)", (reads,)),
    ("understand code with its own tools", (semantic,)),
    ("look after the index", (maintenance,)),
    ("serve, and keep up to date by itself", (daemon,)),
    ("serve coding agents", (mcp, agents)),
)


class _Parser(argparse.ArgumentParser):
    intermixed = False
    """Options may stand between the positional arguments."""
    _inside = False
    groups: Sequence[tuple[str, Sequence[argparse.Action]]] = ()
    """Commands under titles, in place of one long list."""

    def format_help(self) -> str:
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
        command = next((word for word in sys.argv[1:2] if word.isalpha()), "")
        prog = f"{self.prog} {command}" if self.prog == "cairn" and "unrecognized" in message else self.prog
        raise UsageError(f"{display(message)}.", hint=f"Run `{prog.strip()} --help` to see what is understood.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    # One question is too little work for several threads: starting and spinning they cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command makes many objects that stay and drops few in circles: looking for those often finds none.
    gc.set_threshold(_FEW_COLLECTIONS)
    return answered(list(sys.argv[1:] if argv is None else argv), command_parser())


def answered(arguments: list[str], parser: argparse.ArgumentParser) -> int:
    """Run a command in the surroundings of this thread; every error is told there."""
    as_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    options = argparse.Namespace()
    try:
        options = parser.parse_args(arguments)
        code: int = options.run(options)
        return code
    except ElsewhereError:
        raise
    except CairnError as error:
        return report(error, as_json)
    except KeyboardInterrupt:
        return report(CancelledError("The command was interrupted."), as_json)
    except FileNotFoundError as error:
        if _in_a_store(str(error.filename or ""), options):
            gone = BusyError("The store was removed or replaced by another process meanwhile.")
            return report(gone, as_json)
        return report(StorageError(f"{error.filename} is not there."), as_json)
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        return report(StorageError(f"The system refused: {error.strerror}{place}."), as_json)
    except Exception as error:
        if os.environ.get("CAIRN_DEBUG"):
            raise
        defect = CairnError(
            f"Unexpected {type(error).__name__}: {error}.",
            hint="This is a defect: run the command again with CAIRN_DEBUG=1 and report what it prints.",
        )
        return report(defect, as_json)


def _in_a_store(path: str, options: argparse.Namespace) -> bool:
    shared = getattr(options, "shared_store", None)
    places = (cairn_home(), *((os.path.abspath(shared),) if shared else ()))
    return any(path == place or path.startswith(place + os.sep) for place in places)


def command_parser() -> _Parser:
    parser = _Parser(
        prog="cairn",
        description="A code index for people and agents who work in the same tree at once.",
        epilog="Example: cairn index --dry-run . Each command has a --help of its own.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cairn {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    groups = []
    for title, modules in _GROUPS:
        known = len(commands._choices_actions)
        for module in modules:
            module.add_to(commands)
        groups.append((title, commands._choices_actions[known:]))
    parser.groups = groups
    return parser


def report(error: CairnError, as_json: bool) -> int:
    """Say what went wrong; the exit code stands even when nobody listens."""
    with contextlib.suppress(OutputError):
        if as_json:
            say(json_text(error.envelope()))
        else:
            hint = f"\n  {printable(error.hint)}" if error.hint else ""
            say(f"cairn: {printable(error.message)}{hint}", error=True)
    return int(error.exit_code)
