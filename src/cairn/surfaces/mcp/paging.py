"""The next page of an answer, from the very snapshot of the first."""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass

_SNAPSHOT = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_HINT = "Ask again without it: the answer is from the newest snapshot then."


@dataclass(frozen=True, slots=True)
class Page:
    """Where an answer goes on: after how many results, and of which snapshot."""

    offset: int = 0
    snapshot_id: str | None = None
    last: tuple[str, ...] = ()
    """Marks of the last results that were shown: files that go away meanwhile must not shift what follows."""

    def start(self, marks: Sequence[str]) -> int:
        """Where the page begins among what is there now."""
        there = [marks.index(mark) for mark in self.last if mark in marks]
        # Where all of them are gone, it begins anew: better a result twice than one never.
        return max(there, default=-1) + 1

    def token(self, question: str) -> str:
        """A text that names the page of this question and of no other."""
        document = json.dumps([self.offset, self.snapshot_id, question, self.last])
        return base64.urlsafe_b64encode(document.encode()).decode().rstrip("=")


def mark_of(path: str) -> str:
    """A short name of a result: there is one a file."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def question_of(*parts: Any) -> str:
    """The same for the same question only."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def page_of(token: str | None, question: str, most: int) -> Page:
    """The page that a token names; UsageError for one of another question, or that nobody gave out."""
    if token is None:
        return Page()
    try:
        offset, snapshot_id, asked, last = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (ValueError, binascii.Error, RecursionError, TypeError):
        raise UsageError("The continuation is not one of an answer.", hint=_HINT) from None
    if type(offset) is not int or not 0 < offset <= most:
        raise UsageError("The continuation is not one of an answer.", hint=_HINT)
    if not isinstance(snapshot_id, str) or not _SNAPSHOT.fullmatch(snapshot_id):
        raise UsageError("The continuation is not one of an answer.", hint=_HINT)
    if not isinstance(last, list) or not all(isinstance(mark, str) for mark in last):
        raise UsageError("The continuation is not one of an answer.", hint=_HINT)
    if asked != question:
        raise UsageError(
            "The continuation belongs to another question.", hint="Give the same arguments as with the first page."
        )
    return Page(offset, snapshot_id, tuple(last))
