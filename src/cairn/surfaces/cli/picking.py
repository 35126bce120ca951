"""`cairn pick`: an interactive finder in the terminal."""

import argparse
import sys
from typing import Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.text import json_text, printable
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.opening import EditorTarget, from_here, open_target
from cairn.surfaces.cli.text import say


def add_to(commands: Any) -> None:
    """Add the command `pick`."""
    parser = commands.add_parser(
        "pick",
        help="find as you type, look into files, and open one in your editor",
        description="Find as you type: by meaning, by the text of lines or by names (Ctrl-T), with a look into the "
        "file. Enter opens the place in your editor, Esc leaves. Needs the extra: pip install 'cairn-index[pick]'.",
        epilog="Example: cairn pick parse options",
        allow_abbrev=False,
    )
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to begin with")
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the place and open nothing")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the finder, and open what is chosen; the exit code."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise UsageError("`cairn pick` needs a terminal.", hint="In a pipe, use `cairn search`.")
    try:
        from cairn.surfaces.cli.pickscreen import PickScreen
    except ImportError as error:
        if not (error.name or "").startswith("prompt_toolkit"):
            raise
        raise UsageError(
            "`cairn pick` needs prompt_toolkit, which is not installed.",
            hint="Run `pip install 'cairn-index[pick]'`.",
        ) from error
    from cairn.surfaces.cli.finder import Finder

    place = PickScreen(Finder(), " ".join(options.query)).run()
    if place is None:
        # To leave is no error, and no word is needed for it: the code tells a script.
        return ExitCode.NOTHING
    if options.json:
        say(json_text({"path": place.file, "line": place.line}))
        return ExitCode.OK
    target = EditorTarget(from_here(place.root, place.path), place.line)
    if options.only_print:
        say(f"{printable(target.path)}:{target.line}")
        return ExitCode.OK
    return open_target(target)
