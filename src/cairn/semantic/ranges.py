"""Converts a tool's ranges to lines from 1 and columns in bytes, and gives their text."""

import re
from bisect import bisect_right
from itertools import accumulate

from cairn.semantic.scip import Encoding, ScipError, TextMap

_BOM = b"\xef\xbb\xbf"
_OTHER_LINE_ENDS = re.compile(rb"\r(?!\n)|\xe2\x80[\xa8\xa9]")
Range = tuple[int, int, int, int]


class FileRanges:
    """The ranges of one file. A byte that is not UTF-8 counts as one character, as it does for tools."""

    def __init__(self, data: bytes, encoding: Encoding, tool: str) -> None:
        self.data = data
        self.starts = [*accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0)]
        """Where each line starts, and the position behind the last."""
        self._encoding = encoding
        self._tool = tool
        self._bom = len(_BOM) if tool == "scip-typescript" and data.startswith(_BOM) else 0
        self._same_lines = _OTHER_LINE_ENDS.search(data) is None
        self.plain = self._same_lines and data.isascii()
        """Whether all columns are bytes already."""
        self._map: TextMap | None = None

    def counts_bytes(self, line: int) -> bool:
        """Whether the columns of a line, which must be there, are bytes already."""
        if self.plain:
            return True
        return self._same_lines and self.data[self.starts[line] : self.starts[line + 1]].isascii()

    def range(self, line: int, column: int, end_line: int, end_column: int) -> Range | None:
        """A tool's range as lines from 1 and columns in bytes; None if the text has no such place."""
        try:
            return (*self._place(line, column), *self._place(end_line, end_column))
        except ScipError:
            return None

    def written(self, place: Range) -> str:
        """The text of a range."""
        line, column, end_line, end_column = place
        start, end = self.starts[line - 1] + column, self.starts[end_line - 1] + end_column
        return self.data[start:end].decode("utf-8", "replace")

    def part(self, place: Range, at: int, size: int) -> Range:
        """A part of a range, by bytes from its start."""
        start = self.starts[place[0] - 1] + place[1] + at
        line, end_line = bisect_right(self.starts, start), bisect_right(self.starts, start + size)
        return line, start - self.starts[line - 1], end_line, start + size - self.starts[end_line - 1]

    def before(self, place: Range) -> str:
        """The text before a place on its line."""
        start = self.starts[place[0] - 1]
        return self.data[start : start + place[1]].decode("utf-8", "replace").removeprefix("\ufeff")

    def _place(self, line: int, column: int) -> tuple[int, int]:
        if line + 1 < len(self.starts) and self.counts_bytes(line):
            if column >= self.starts[line + 1] - self.starts[line]:
                raise ScipError(f"line {line + 1} has no column {column + 1}")
            return line + 1, column
        return self._by_text(line, column)

    def _by_text(self, line: int, column: int) -> tuple[int, int]:
        if self._map is None:
            text = self.data[self._bom :].decode("utf-8", "surrogateescape")
            self._map = TextMap(text, self._encoding, self._tool)
        line, character = self._map.place(line, column)
        start = self.starts[line] + (self._bom if line == 0 else 0)
        written = self.data[start : self.starts[line + 1]].decode("utf-8", "surrogateescape")
        column = len(written[:character].encode("utf-8", "surrogateescape"))
        return line + 1, start - self.starts[line] + column
