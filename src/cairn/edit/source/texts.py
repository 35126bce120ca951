"""Places in a file's bytes: their text and surroundings, and the file with these places rewritten."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from cairn.base.errors import ContentChangedError
from cairn.edit.source.values import ANCHOR, AS_EXPORTED, AS_KEY, AS_VALUE, Spot

_SHOWN = 200


class FileText:
    """One file's bytes by line and column."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._starts = _starts(data)

    def offset(self, line: int, column: int) -> int:
        """The offset of a place; -1 if the text doesn't have it."""
        if not 1 <= line <= len(self._starts):
            return -1
        at = self._starts[line - 1] + column
        end = self._starts[line] if line < len(self._starts) else len(self.data)
        return at if at <= end else -1

    def place(self, at: int) -> tuple[int, int]:
        """The line, from 1, and the column of an offset."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1]

    def holds(self, line: int, column: int, word: str) -> bool:
        """Whether a word is written at a place."""
        at = self.offset(line, column)
        written = word.encode()
        return at >= 0 and self.data[at : at + len(written)] == written

    def shown(self, line: int) -> str:
        """A line for messages, cut if it is long."""
        start = self.offset(line, 0)
        if start < 0:
            return ""
        end = self.data.find(b"\n", start)
        return self.data[start : end if end >= 0 else None].decode("utf-8", "replace").strip()[:_SHOWN]

    def spot(
        self,
        path: str,
        line: int,
        column: int,
        word: str,
        provenance: str,
        form: str = "",
        new: str | None = None,
    ) -> Spot:
        """The place of a word, or of any text, with the characters around it."""
        at = self.offset(line, column)
        end = at + len(word.encode())
        before = self.data[max(0, at - 4 * ANCHOR) : at].decode("utf-8", "replace")[-ANCHOR:]
        after = self.data[end : end + 4 * ANCHOR].decode("utf-8", "replace")[:ANCHOR]
        return Spot(path, line, column, word, before, after, provenance, form, new)


@lru_cache(maxsize=64)
def _starts(data: bytes) -> tuple[int, ...]:
    """Where the lines of a text begin. Cached, because the same few texts are used again and again."""
    return (0, *(match.end() for match in re.finditer(b"\n", data)))


def written(spot: Spot, new_name: str) -> str:
    """The text of a place after the edit."""
    if spot.new is not None:
        return spot.new
    forms = {AS_VALUE: f"{spot.text}: {new_name}", AS_KEY: f"{new_name}: {spot.text}"}
    forms[AS_EXPORTED] = f"{new_name} as {spot.text}"
    return forms.get(spot.form, new_name)


def rewritten(data: bytes, spots: Iterable[Spot], new_name: str) -> bytes:
    """The file with the new text at some places; ContentChangedError if their text or surroundings changed."""
    text = FileText(data)
    ordered: Sequence[Spot] = sorted(spots, key=lambda spot: (spot.line, spot.column))
    parts: list[bytes] = []
    done = 0
    for spot in ordered:
        if not text.holds(spot.line, spot.column, spot.text):
            raise ContentChangedError(f"{spot.path}:{spot.line} no longer holds {spot.text} where it was planned.")
        if text.spot(spot.path, spot.line, spot.column, spot.text, spot.provenance, spot.form, spot.new) != spot:
            raise ContentChangedError(f"{spot.path}:{spot.line} has another neighbourhood than it was planned with.")
        at = text.offset(spot.line, spot.column)
        if at < done:
            raise ContentChangedError(f"{spot.path}:{spot.line} was planned twice.")
        parts += (data[done:at], written(spot, new_name).encode())
        done = at + len(spot.text.encode())
    return b"".join((*parts, data[done:]))


def diff_of(old: bytes | None, new: bytes | None, path: str, new_path: str = "") -> Iterator[str]:
    """The lines of a unified diff of one file; None where it is made or removed."""
    import difflib  # Imported here, because it is rarely needed.

    one, other = ((data or b"").decode("utf-8", "replace").splitlines() for data in (old, new))
    names = ("/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{new_path or path}")
    yield from difflib.unified_diff(one, other, *names, lineterm="", n=1)
