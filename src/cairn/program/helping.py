"""`cairn help`: the help of a command by another way, and the man page."""

import argparse
import contextlib
from typing import Any


def add_to(commands: Any) -> None:
    """Add the command `help`."""
    parser = commands.add_parser(
        "help",
        help="the help of a command; --man prints the man page",
        description="Show the help of Cairn or of one command, or print the man page of all of them.",
        epilog="Example: cairn help search",
        allow_abbrev=False,
    )
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="the command that is asked about")
    parser.add_argument("--man", action="store_true", help="print the man page, for man -l or a folder of man pages")
    parser.set_defaults(run=show)


def show(options: argparse.Namespace) -> int:
    """Print help; the exit code."""
    from cairn.base.errors import ExitCode
    from cairn.surfaces.cli.manual import manual
    from cairn.surfaces.cli.text import say

    parser = options.everything()
    if options.man:
        say(manual(parser).rstrip("\n"))
        return ExitCode.OK
    # A parser that is asked for help prints it and leaves; of a command that there isn't it tells the nearest.
    with contextlib.suppress(SystemExit):
        parser.parse_args([*options.words, "--help"])
    return ExitCode.OK
