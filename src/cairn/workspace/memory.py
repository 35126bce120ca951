"""What a scanner learnt, kept for the next process: folders and files with their stamps.

It saves listing and reading, but never the check: every stamp is compared as if the scanner had stayed open.
Whoever can write this file can hide a change, so it belongs where only the user can write.

A line with the format and a checksum, then JSON: the place that it is about, the rules that folders were
listed under, and the folders. A folder is [path, stamp, number of its rules, names of folders, names of
links, skips, files]; a file is [name], with its stamp and its outcome where these are to be trusted.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any

from cairn.base.values import dataclass
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.entries import FileEntry
from cairn.workspace.pathkey import display, nfc
from cairn.workspace.reads import Stamp

Outcome = tuple[Stamp | None, FileEntry | Skip]
FORMAT = "cairn-scan-3"
"""To be raised also when names or contents are judged differently."""


@dataclass(frozen=True, slots=True)
class KnownFolder:
    """A folder with its stamp and its ignore rules; without a stamp only its files are known."""

    raw: str
    stamp: Stamp | None
    outer: str
    folders: tuple[str, ...]
    links: tuple[str, ...]
    skips: dict[str, Skip]
    files: dict[str, Outcome | None]


def place_of(fd: int, own_home: str) -> str:
    """The identity of the folder that is open: another one of the same name must not share its memory."""
    own = os.fstat(fd)
    return f"{FORMAT} {own.st_dev} {own.st_ino} {own_home}"


class Memory:
    """The folders that were kept; each is decoded when it is asked for."""

    def __init__(self, rules: list[str] | None = None, rows: list[list[Any]] | None = None) -> None:
        self._rules = rules or []
        self._rows = {row[0]: row for row in rows or ()}

    def take(self, raw: str) -> KnownFolder | None:
        """Remove and return what is known of a folder."""
        row = self._rows.pop(raw, None)
        if row is None:
            return None
        _, stamp, rules, folders, links, skips, files = row
        start = f"{raw}/" if raw else ""
        return KnownFolder(
            raw,
            tuple(stamp) if stamp else None,
            self._rules[rules],
            tuple([start + name for name in folders]) if folders else (),
            tuple([start + name for name in links]) if links else (),
            {start + name: Skip(display(start + name) + end, SkipReason(why), more) for name, end, why, more in skips},
            {start + file[0]: _outcome(start + file[0], file) for file in files},
        )


def _outcome(raw: str, row: list[Any]) -> Outcome | None:
    if len(row) == 1:
        return None
    stamp: Stamp = (row[1], row[2], row[3], row[4])
    if len(row) == 7:
        return stamp, Skip(display(raw), SkipReason(row[5]), row[6])
    return stamp, FileEntry(nfc(raw), raw, stamp, row[5], row[6], row[7])


def encode(folders: Iterable[KnownFolder], place: str) -> bytes:
    """Encode folders, with those outcomes of files that can be trusted, behind a checksum."""
    rules: dict[str, int] = {}
    rows = [
        [
            folder.raw,
            folder.stamp,
            rules.setdefault(folder.outer, len(rules)),
            [_name(raw) for raw in folder.folders],
            [_name(raw) for raw in folder.links],
            [
                [_name(raw), "/" if skip.path.endswith("/") else "", skip.reason.value, skip.detail]
                for raw, skip in folder.skips.items()
            ],
            [_file_row(raw, outcome) for raw, outcome in folder.files.items()],
        ]
        for folder in folders
    ]
    body = json.dumps([place, list(rules), rows], separators=(",", ":")).encode()
    return f"{FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body


def _file_row(raw: str, outcome: Outcome | None) -> list[Any]:
    stamp, found = outcome or (None, None)
    if stamp is None or found is None:
        return [_name(raw)]
    if isinstance(found, Skip):
        return [_name(raw), *stamp, found.reason.value, found.detail]
    return [_name(raw), *stamp, found.file_hash, found.head_sum, found.language]


def _name(raw: str) -> str:
    return raw.rpartition("/")[2]


def decode(data: bytes, place: str) -> Memory:
    """Decode the memory of a place; empty if it is damaged, in another format or about another place."""
    head, _, body = data.partition(b"\n")
    if head != f"{FORMAT} {hashlib.sha256(body).hexdigest()}".encode():
        return Memory()
    try:
        about, rules, rows = json.loads(body)
        return Memory(rules, rows) if about == place else Memory()
    except (ValueError, TypeError, IndexError, RecursionError):
        return Memory()
