"""`cairn completion`: scripts for shells, made from the declarations of all commands."""

import argparse
from typing import Any

from cairn.surfaces.cli.shells import SHELLS


def add_to(commands: Any) -> None:
    """Add the command `completion`."""
    parser = commands.add_parser(
        "completion",
        help="the script by which bash, zsh or fish completes commands, names and files",
        description="Print the script by which a shell completes commands, options, and names and files of the index.",
        epilog="Example: cairn completion bash",
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"one of {', '.join(SHELLS)}")
    parser.set_defaults(run=completion)


def completion(options: argparse.Namespace) -> int:
    """Print the script of a shell; the exit code."""
    from cairn.base.errors import ExitCode
    from cairn.config.declared import SETTINGS
    from cairn.surfaces.cli.shells import offered_commands, script
    from cairn.surfaces.cli.text import say

    commands = offered_commands(options.everything())
    say(script(options.shell, commands, list(SETTINGS)).rstrip("\n"))
    return ExitCode.OK
