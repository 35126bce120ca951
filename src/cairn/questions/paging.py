"""The next page of an answer, from the very snapshot of the first."""

import base64
import binascii
import hashlib
import json
import struct
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.ulid import packed, unpacked
from cairn.base.values import dataclass

_HEAD = struct.Struct(">4s16sHB")
"""Of a token: the question, the snapshot, how many results were shown, and how many marks follow."""
_MARK = 3
_CHECK = 2
MARKS = 4
"""How many of the last results a token knows."""


@dataclass(frozen=True, slots=True)
class Page:
    """Where an answer goes on: after how many results, and of which snapshot."""

    offset: int = 0
    snapshot_id: str | None = None
    last: tuple[str, ...] = ()
    """Marks of the last results that were shown: files that go away meanwhile must not shift what follows."""
    behind: str = ""
    """Of lines: the last one that was shown, as path:line."""

    @property
    def last_line(self) -> tuple[str, int] | None:
        """The path and the number of the last line that was shown, where lines are."""
        path, _, line = self.behind.rpartition(":")
        return (path, int(line) if line.isdecimal() else 0) if path else None

    def start(self, paths: Sequence[str]) -> int:
        """Where the page begins among the files that are there now: places are known by several of the last ones."""
        marks = list(map(mark_of, paths))
        there = [marks.index(mark) for mark in self.last if mark in marks]
        # Where all of them are gone, it begins anew: better a result twice than one never.
        return max(there, default=-1) + 1

    def token(self, question: str) -> str:
        """A short text that names the page of this question and of no other."""
        assert self.snapshot_id is not None
        head = _HEAD.pack(bytes.fromhex(question), packed(self.snapshot_id), self.offset, len(self.last))
        rest = b"".join(map(bytes.fromhex, self.last)) + self.behind.encode("utf-8", "surrogatepass")
        return base64.urlsafe_b64encode(head + rest + _check_of(head + rest)).decode().rstrip("=")


def page_behind(paths: Sequence[str], end: int, snapshot_id: str) -> Page:
    """The page behind so many places of a list, one a file."""
    return Page(end, snapshot_id, tuple(map(mark_of, paths[max(end - MARKS, 0) : end])))


def page_behind_line(path: str, line: int, end: int, snapshot_id: str) -> Page:
    """The page behind a line, which is so many-th of all."""
    return Page(end, snapshot_id, behind=f"{path}:{line}")


def _check_of(data: bytes) -> bytes:
    """A token that was cut or miswritten names no page: without this it could begin anew, and nobody would know."""
    # A CRC of what ends with its own CRC stands for every text with zeros behind it.
    return hashlib.sha256(data).digest()[:_CHECK]


def mark_of(path: str) -> str:
    """A short name of a result: there is one a file."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[: 2 * _MARK]


def question_of(*parts: Any) -> str:
    """The same for the same question only."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:8]


def page_of(token: str | None, question: str, most: int) -> Page:
    """The page that a token names; UsageError for one of another question, or that nobody gave out."""
    if token is None:
        return Page()
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), b"-_", validate=True)
        data, check = data[:-_CHECK], data[-_CHECK:]
        asked, snapshot, offset, count = _HEAD.unpack_from(data)
        rest = data[_HEAD.size :]
        marks = [rest[at * _MARK : (at + 1) * _MARK].hex() for at in range(count)]
        behind = rest[count * _MARK :].decode("utf-8", "surrogatepass")
    except (ValueError, binascii.Error, struct.error):
        raise _unknown() from None
    if check != _check_of(data):
        raise _unknown()
    if asked.hex() != question:
        raise UsageError(
            "The continuation belongs to another question.", hint="Give the same arguments as with the first page."
        )
    if not 0 < offset <= most or count > MARKS:
        raise _unknown()
    return Page(offset, unpacked(snapshot), tuple(marks), behind)


def _unknown() -> UsageError:
    return UsageError(
        "The continuation is not one of an answer.",
        hint="Ask again without it: the answer is from the newest snapshot then.",
    )
