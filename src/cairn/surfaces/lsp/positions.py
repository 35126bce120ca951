"""Places in a text as an editor counts them and as Cairn does, turned into each other.

An editor counts lines from 0, which end at `\\n`, `\\r\\n` or `\\r`, and in a line the code units of the encoding that
was negotiated. Cairn counts lines from 1, which end at `\\n` alone, and columns from 1 in bytes of UTF-8 (a search for
lines: in characters). Both are turned into an offset in the file's bytes and back, so that neither has to know the
other. What lies past the end of a line or of the text, or within a character, is drawn to the nearest place before.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ENDS = re.compile(rb"\r\n|\n|\r")
_CALL = re.compile(rb"([\w\x80-\xff]+)\(")
_ESCAPED, _WHOLE = "surrogateescape", "surrogatepass"


class PositionEncoding(StrEnum):
    """What an editor counts within a line; the names are the protocol's."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Position(NamedTuple):
    """A place as an editor counts it: both from 0."""

    line: int
    character: int


class BytePlace(NamedTuple):
    """A place as Cairn counts it: both from 1, the column in bytes."""

    line: int
    column: int


class Positions:
    """One file's text, whose places are asked for in either way."""

    def __init__(
        self, data: bytes, encoding: PositionEncoding = PositionEncoding.UTF16, *, counts_mark: bool = False
    ) -> None:
        """`data` is the whole file. Its byte order mark is none of an editor's text, unless it `counts_mark`."""
        self.data = data
        self.encoding = encoding
        self._first = 0 if counts_mark or not data.startswith(BYTE_ORDER_MARK) else len(BYTE_ORDER_MARK)
        self._is_plain = encoding is PositionEncoding.UTF8 or data.isascii()

    def place(self, line: int, character: int) -> BytePlace:
        """What an editor points at, as Cairn names it."""
        offset = self.offset(line, character)
        number = bisect_right(self._rows, offset) - 1
        return BytePlace(number + 1, offset - self._rows[number] + 1)

    def position(self, line: int, column: int = 1) -> Position:
        """A place of Cairn's, whose column is in bytes, as an editor names it."""
        start, end = self._row(line)
        return self.position_at(min(start + max(column - 1, 0), end))

    def name(self, line: int, name: str, column: int | None = None) -> tuple[Position, Position] | None:
        """Where a name begins and ends in one of Cairn's lines, at a column in bytes or as the first whole word there.

        None where it does not stand there: a text that changed since is not to be pointed into.
        """
        start, end = self._row(line)
        word = name.encode("utf-8", _ESCAPED)
        if not word or not 1 <= line <= len(self._rows):
            return None
        at = start + column - 1 if column is not None else next(self._whole(word, start, end), -1)
        if at < start or self.data[at : at + len(word)] != word:
            return None
        return self.position_at(at), self.position_at(at + len(word))

    def calls(self, line: int, names: Sequence[str]) -> list[tuple[Position, Position]]:
        """Where one of Cairn's lines calls something that has one of these names: the first that stands there counts.

        What is called by another name (`cls(...)`) is the only call of the line, else something in all of it.
        """
        start, end = self._row(line)
        for name in names:
            word = name.encode("utf-8", _ESCAPED)
            spans = [(at, at + len(word)) for at in self._whole(word, start, end)] if word else []
            called = [span for span in spans if self.data[span[1] : end].lstrip().startswith(b"(")]
            if spans:
                return [self._span(*span) for span in called or spans[:1]]
        others = [found.span(1) for found in _CALL.finditer(self.data, start, end)]
        row = self.data[start:end]
        whole = start + len(row) - len(row.lstrip()), start + len(row.rstrip())
        return [self._span(*(others[0] if len(others) == 1 else whole))] if row.strip() else []

    def _whole(self, word: bytes, start: int, end: int) -> Iterator[int]:
        """Where a name stands by itself: a side of it that is no letter may touch anything."""
        row, name = self.data[start:end].decode("utf-8", _ESCAPED), word.decode("utf-8", _ESCAPED)
        at = row.find(name)
        while at >= 0:
            behind = at + len(name)
            if not _joined(row[at - 1 : at], name[0]) and not _joined(name[-1], row[behind : behind + 1]):
                yield start + len(row[:at].encode("utf-8", _ESCAPED))
                at = row.find(name, behind)
            else:
                at = row.find(name, at + 1)

    def _span(self, start: int, end: int) -> tuple[Position, Position]:
        return self.position_at(start), self.position_at(end)

    def lines(self, first: int, last: int) -> tuple[Position, Position]:
        """Where some of Cairn's lines begin and end, without the last one's end of line."""
        return self.position(first), self.position(max(first, last), len(self.data) + 1)

    def offset(self, line: int, character: int) -> int:
        """How many bytes of the file stand before what an editor points at."""
        starts, ends = self._lines
        if line < 0:
            return self._first
        if line >= len(starts):
            return ends[-1]
        start, end = starts[line], ends[line]
        wanted = max(character, 0)
        if self._is_plain:
            at = min(start + wanted, end)
            while at > start and at < end and self.data[at] & 0xC0 == 0x80:
                at -= 1
            return at
        text = self.data[start:end].decode("utf-8", _ESCAPED)
        return start + len(_before(text, wanted, self.encoding).encode("utf-8", _ESCAPED))

    def position_at(self, offset: int) -> Position:
        """How an editor names the place before which some bytes stand."""
        starts, ends = self._lines
        at = max(offset, self._first)
        line = bisect_right(starts, at) - 1
        before = self.data[starts[line] : min(at, ends[line])]
        if self.data.isascii():
            return Position(line, len(before))
        # A character that is cut in two is none that stands before.
        whole = len(before)
        if at < ends[line]:
            while whole and self.data[starts[line] + whole] & 0xC0 == 0x80:
                whole -= 1
        if self.encoding is PositionEncoding.UTF8:
            return Position(line, whole)
        return Position(line, units(before[:whole].decode("utf-8", _ESCAPED), self.encoding))

    def _row(self, line: int) -> tuple[int, int]:
        """Where one of Cairn's lines begins and ends; the last one or the first for a number that there is none of."""
        number = min(max(line, 1), len(self._rows))
        end = self._rows[number] - 1 if number < len(self._rows) else len(self.data)
        return self._rows[number - 1], end

    @cached_property
    def _rows(self) -> list[int]:
        """Where Cairn's lines begin."""
        return [0, *(found.end() for found in re.finditer(rb"\n", self.data))]

    @cached_property
    def _lines(self) -> tuple[list[int], list[int]]:
        """Where an editor's lines begin, and where each ends but for what ends it."""
        found = [each.span() for each in _ENDS.finditer(self.data)]
        return [self._first, *(end for _, end in found)], [*(start for start, _ in found), len(self.data)]


def _joined(before: str, behind: str) -> bool:
    """Whether two characters, where there are both, are within one name."""
    return bool(before and behind) and _is_letter(before) and _is_letter(behind)


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_" or "\udc80" <= character <= "\udcff"


def units(text: str, encoding: PositionEncoding) -> int:
    """How many code units a text takes."""
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return len(text)
    if encoding is PositionEncoding.UTF8:
        return len(text.encode("utf-8", _WHOLE))
    return len(text.encode("utf-16-le", _WHOLE)) // 2


def _before(text: str, wanted: int, encoding: PositionEncoding) -> str:
    """The beginning of a line that takes so many code units at most; a character is in it whole or not at all."""
    if encoding is PositionEncoding.UTF32:
        return text[:wanted]
    if encoding is PositionEncoding.UTF8:
        return text.encode("utf-8", _WHOLE)[:wanted].decode("utf-8", "ignore")
    wide = text.encode("utf-16-le", _WHOLE)
    cut = 2 * wanted
    if 0 < cut < len(wide) and wide[cut + 1] & 0xFC == 0xDC and wide[cut - 1] & 0xFC == 0xD8:
        cut -= 2
    return wide[:cut].decode("utf-16-le", _WHOLE)


def index_of(line: str, character: int, encoding: PositionEncoding) -> int:
    """Where in a line, as Python counts it, an editor's character stands."""
    wanted = max(character, 0)
    return min(wanted, len(line)) if line.isascii() else len(_before(line, wanted, encoding))
