"""Arguments that many commands share."""

import argparse
import os
from collections.abc import Callable, Sequence

from cairn.surfaces.cli.presented import NO_PAGER

SHARED_STORE = "CAIRN_SHARED_STORE"


FOLDER = "a folder; its git top-level is used"


def add_path(parser: argparse.ArgumentParser, text: str = FOLDER) -> None:
    """The root that a command is about, and where its store lies."""
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help=text)
    add_store(parser)


def words_and_paths(words: Sequence[str], is_there: Callable[[str], bool]) -> tuple[list[str], list[str]]:
    """The words of a query, and the paths behind them.

    The first is a word in any case. Of the others the last ones are paths: as many as name what is there or hold a
    slash. Whoever means a word by the name of a file puts the query into quotes.
    """
    end = len(words)
    while end > 1 and ("/" in words[end - 1] or is_there(words[end - 1])):
        end -= 1
    return list(words[:end]), list(words[end:])


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add `--shared-store`."""
    parser.add_argument(
        "--shared-store",
        metavar="FOLDER",
        default=os.environ.get(SHARED_STORE) or None,
        help=f"a store that several users of this machine share (or {SHARED_STORE})",
    )


def add_offline(parser: argparse.ArgumentParser) -> None:
    """Add `--offline` and `--no-pager`: who reads, and who shows it."""
    parser.add_argument("--offline", action="store_true", help="read directly even if a daemon runs")
    parser.add_argument(NO_PAGER, action="store_true", help="print the whole answer, never through a pager")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")
