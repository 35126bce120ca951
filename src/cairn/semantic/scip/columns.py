"""Converts a tool's columns to characters, given the text that it read."""

import re
from bisect import bisect_right
from enum import IntEnum

from cairn.semantic.scip.wire import ScipError

_LINE_END = re.compile("\r\n|\n|\r")
_LINE_END_OF_TYPESCRIPT = re.compile("\r\n|\n|\r|\u2028|\u2029")


class Encoding(IntEnum):
    """What a column counts: PositionEncoding of scip.proto."""

    UNSPECIFIED = 0
    UTF8 = 1
    UTF16 = 2
    UTF32 = 3


# Most tools don't say. Those that run on node, the JVM or .NET count as their strings do.
_COUNTED_BY = {
    "scip-python": Encoding.UTF16,
    "scip-typescript": Encoding.UTF16,
    "scip-java": Encoding.UTF16,
    "scip-dotnet": Encoding.UTF16,
    "scip-go": Encoding.UTF8,
    "scip-clang": Encoding.UTF8,
    "rust-analyzer": Encoding.UTF8,
}


def encoding_of(said: Encoding, tool: str) -> Encoding:
    """What the columns of a document count; UNSPECIFIED only where neither it nor the tool's name tells."""
    return said if said is not Encoding.UNSPECIFIED else _COUNTED_BY.get(tool, Encoding.UNSPECIFIED)


class TextMap:
    """One file's text: places as a tool counts them become (line, character) in lines that end with a newline."""

    def __init__(self, text: str, encoding: Encoding, tool: str = "") -> None:
        self._text = text
        self._encoding = encoding
        ends = _LINE_END_OF_TYPESCRIPT if tool == "scip-typescript" else _LINE_END
        self._starts = [0, *(match.end() for match in ends.finditer(text))]
        # A lone carriage return ends a line for tools, and none for us.
        self._ours = self._starts
        if "\r" in text or "\u2028" in text or "\u2029" in text:
            self._ours = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, line: int, column: int) -> tuple[int, int]:
        """The line and character of a place, both from 0; ScipError if the text doesn't have it."""
        offset = self.offset(line, column)
        if self._ours is self._starts:
            return line, offset - self._starts[line]
        ours = bisect_right(self._ours, offset) - 1
        return ours, offset - self._ours[ours]

    def offset(self, line: int, column: int) -> int:
        """Characters from the start of the text."""
        if line >= len(self._starts):
            raise ScipError(f"line {line + 1} isn't in the text that was read")
        start = self._starts[line]
        stop = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        written = self._text[start:stop]
        if not written.isascii():
            column = _characters(written, column, self._encoding)
        if column > len(written):
            raise ScipError(f"line {line + 1} has no column {column + 1}")
        return start + column


def _characters(line: str, column: int, encoding: Encoding) -> int:
    if encoding is Encoding.UTF32:
        return column
    if encoding is Encoding.UNSPECIFIED:
        raise ScipError("nobody says what the columns of a line with other than ASCII characters count")
    width = _utf8_width if encoding is Encoding.UTF8 else _utf16_width
    units = 0
    for at, character in enumerate(line):
        if units >= column:
            if units > column:
                break
            return at
        units += width(character)
    if units == column:
        return len(line)
    raise ScipError("a column lies within a character or behind its line")


def _utf8_width(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _utf16_width(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1
