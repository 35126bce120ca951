"""`cairn mcp`: the MCP server over standard input and output."""

import argparse
import os
from typing import Any

from cairn.base.errors import ExitCode, UsageError
from cairn.surfaces.cli.arguments import add_offline

_MAX_FRESH_S = 3_600.0


def add_to(commands: Any) -> None:
    """Add the command `mcp`."""
    parser = commands.add_parser(
        "mcp",
        help="serve coding agents over MCP (standard input and output)",
        description="Serve the index to a coding agent over the Model Context Protocol, on standard input and output.",
        epilog="Example: cairn mcp --root ~/src/project. `cairn install` writes this into an agent's settings.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--root",
        dest="roots",
        action="append",
        default=[],
        metavar="PATH",
        help="a folder that clients may see (repeatable); otherwise their own roots, or the folder of the start",
    )
    parser.add_argument(
        "--fresh-for",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="don't look at the tree again if the last look is no older (default 0: look before every answer)",
    )
    parser.add_argument(
        "--structured",
        action="store_true",
        help="answer in structured content too, for programs: a model would pay for it twice",
    )
    parser.add_argument(
        "--sessions",
        action="store_true",
        help="also list what belongs to cached reads, for hosts that tell what becomes of a conversation",
    )
    add_offline(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve a coding agent until it hangs up; the exit code."""
    if not 0.0 <= options.fresh_for <= _MAX_FRESH_S:
        raise UsageError(f"--fresh-for {options.fresh_for} is not allowed; give 0 to {_MAX_FRESH_S:.0f} seconds.")
    for root in options.roots:
        if not os.path.isdir(root):
            raise UsageError(f"--root {root} is no folder.", hint="Name folders that are there.")
    try:
        from cairn.surfaces.mcp.server import serve_stdio
    except ModuleNotFoundError as error:
        raise UsageError(
            f"The MCP server needs a package that is not installed: {error.name}.",
            hint="Run `pip install cairn-index` again.",
        ) from error

    serve_stdio(
        [os.path.abspath(root) for root in options.roots],
        fresh_for_s=options.fresh_for,
        offline=options.offline,
        structured=options.structured,
        sessions=options.sessions,
    )
    return ExitCode.OK
