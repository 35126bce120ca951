"""What git says of files that differ between two states of a tree."""

import os
from enum import StrEnum

from cairn.base.values import dataclass

_STATUSES = {"A": "added", "D": "deleted", "R": "renamed", "C": "added"}
_REGULAR = ("100644", "100755")
_MODES = {_REGULAR: "executable", _REGULAR[::-1]: "not executable"}


class Basis(StrEnum):
    """How the commits between two heads were compared."""

    SAME_HEAD = "same_head"
    DIFF = "diff"
    MERGE_BASE = "merge_base"
    FULL_SCAN = "full_scan"
    FILESYSTEM = "filesystem"


@dataclass(frozen=True, slots=True)
class CommittedDelta:
    """Raw paths that commits changed; FULL_SCAN means that only hashing every file can tell."""

    basis: Basis
    paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Delta:
    """A file that differs between two states of a tree; the paths are raw."""

    path: str
    former: str
    """Its path before; the same, unless it was renamed."""
    status: str
    """added, deleted, renamed or changed"""
    added: int | None = None
    """Lines; None where git takes the file for binary."""
    removed: int | None = None
    plain: bool = True
    """Whether it is, and was, a file with a content of its own: no link, no submodule."""
    mode: str = ""
    """`executable` or `not executable` where a change made it that."""


def deltas_in(output: bytes) -> list[Delta]:
    """The files of an output of `git diff --raw --numstat -z`, by their paths."""
    fields = iter(os.fsdecode(output).split("\0"))
    found: dict[str, tuple[str, str, bool, str]] = {}
    counts: dict[str, tuple[int | None, int | None]] = {}
    for field in fields:
        if field.startswith(":"):
            mode, new_mode, _, _, status = field[1:].split(" ")
            former = next(fields)
            path = next(fields) if status[0] in "RC" else former
            plain = {mode, new_mode} <= {*_REGULAR, "000000"}
            became = _MODES.get((mode, new_mode), "")
            found[path] = (former if status[0] == "R" else path, _STATUSES.get(status[0], "changed"), plain, became)
        elif field:
            added, removed, path = field.split("\t", 2)
            if not path:  # of a renamed file both paths follow
                next(fields)
                path = next(fields)
            counts[path] = (_number(added), _number(removed))
    return [Delta(path, *said[:2], *counts.get(path, (None, None)), *said[2:]) for path, said in sorted(found.items())]


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
