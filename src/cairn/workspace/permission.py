"""What may be read through which door; every door asks here, and `secrets` for the bytes that it would give.

- A program of the user (a command, or an agent over standard input and output or over the socket that only the user
  can open) sees the folders that it was given or names itself.
- Whoever comes over TCP sees the codebases that the user put up, which are those that are indexed. What such a client
  names can narrow that, and never widen it.
"""

import os
from collections.abc import Iterable
from enum import StrEnum

from cairn.base.errors import NotIndexedError
from cairn.base.steps import Advice, NextStep

DOOR = "cairn.door"
"""The key of the door in a request's scope."""


class Door(StrEnum):
    """How somebody came in."""

    PROGRAM = "program"
    TCP = "tcp"


def seen_folders(door: Door, put_up: Iterable[str], named: Iterable[str]) -> tuple[str, ...]:
    """The folders that a client may see: those it names, else those put up; over TCP what both hold. All canonical."""
    given, asked = tuple(sorted(set(put_up))), tuple(sorted(set(named)))
    if door is not Door.TCP or not asked:
        return asked or given
    within = {each for each in asked if any(_holds(root, each) for root in given)}
    return tuple(sorted(within | {root for root in given if any(_holds(each, root) for each in asked)}))


def require_put_up(door: Door, put_up: Iterable[str], path: str) -> None:
    """NotIndexedError for a path over TCP that no codebase holds which the user put up."""
    real = os.path.realpath(path) if "\0" not in path else path
    if door is Door.TCP and not any(_holds(root, real) for root in put_up):
        raise NotIndexedError(
            f"{path} belongs to no codebase that is indexed, and over HTTP nothing else is read.",
            hint=Advice(NextStep("index_folder", path), " to put it up."),
        )


def _holds(root: str, path: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
