"""The facts in an index's documents, file by file: places that are clearly right, and those to be judged later."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import accumulate

from cairn.base.values import dataclass, field
from cairn.semantic.edges import RENAMED, ImportAlias, Row, Suspect, binding_of
from cairn.semantic.scip.columns import Encoding, TextMap, encoding_of
from cairn.semantic.scip.decode import Document
from cairn.semantic.scip.wire import ScipError
from cairn.semantic.symboltable import SymbolTable

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


_ROLES = 0x7F
_WIDTH = 6
_AROUND = "() \t\r\n"
_QUOTES = "\"'`"


@dataclass(slots=True)
class DocumentFacts:
    """The facts of one file, until all documents are read."""

    path: str
    rows: "array[int]" = field(default_factory=lambda: array("I"))
    """Six numbers an occurrence, packed, because all of a large index is held here."""
    suspects: list[Suspect] = field(default_factory=list)
    relations: list[tuple[int, int, str]] = field(default_factory=list)
    relative: bool = False
    """Whether it imports from its own package or one above by dots alone."""
    vague: set[tuple[str, str]] = field(default_factory=set)
    """Doubtful names of modules, as the tool has them and as they are written."""
    again: list[Row] = field(default_factory=list)
    """Further definitions of symbols that were defined before."""
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.rows) // _WIDTH

    def row(self, at: int) -> Row:
        """One occurrence by its index."""
        line, column, end_line, end_column, number, roles = self.rows[at * _WIDTH : (at + 1) * _WIDTH]
        return line, column, end_line, end_column, number, roles

    def each(self) -> Iterator[Row]:
        """All occurrences in order."""
        return zip(*[iter(self.rows)] * _WIDTH, strict=True)

    def numbers(self) -> "array[int]":
        """The symbol of each occurrence."""
        return self.rows[4::_WIDTH]

    def roles(self) -> "array[int]":
        """The roles of each occurrence."""
        return self.rows[5::_WIDTH]

    def add(self, row: Row) -> None:
        """Append an occurrence."""
        self.rows.extend(row)


class DocumentReader:
    """Reads documents and compares each place with the file's text."""

    def __init__(self, tool: str, table: SymbolTable) -> None:
        self._tool = tool
        self._table = table
        self.bindings: list[ImportAlias] = []

    def take(self, file: DocumentFacts, document: Document, data: bytes) -> None:
        """Add what a document says to its file; a tool may write several of one."""
        places = FileRanges(data, encoding_of(document.encoding, self._tool), self._tool)
        self._table.open(file.path)
        self._occurrences(file, document, places)
        for information in document.symbols:
            file.relations += self._table.describe(information)

    def _occurrences(self, file: DocumentFacts, document: Document, places: FileRanges) -> None:
        number_of, names, table = self._table.numbers.get, self._table.names, self._table
        data, starts, plain = places.data, places.starts, places.plain
        last = len(starts) - 1
        found: list[int] = []
        for line, column, end_line, end_column, symbol, roles, _ in document.occurrences:
            number = number_of(symbol)
            if number is None:
                if not symbol:
                    continue
                number = table.number(symbol)
            # Nearly every place: the name stands there, on a line whose columns are bytes already.
            if line == end_line and line < last and (plain or places.counts_bytes(line)):
                start = starts[line]
                end = start + end_column
                written = data[start + column : end]
                if end < starts[line + 1] and (
                    written == names[number] or (names[number] is None and table.adopt(number, written))
                ):
                    found += (line + 1, column, line + 1, end_column, number, roles & _ROLES)
                    continue
            place = places.range(line, column, end_line, end_column)
            if place is None:
                file.dropped += 1
            else:
                self._look(file, places, place, number, roles & _ROLES)
        file.rows.extend(found)

    def _look(self, file: DocumentFacts, places: FileRanges, place: Range, number: int, roles: int) -> None:
        """Handle a place whose text is not just the name."""
        written = places.written(place)
        renamed = RENAMED.fullmatch(written)
        inner = renamed[1] if renamed is not None else written
        if written.startswith("(") and written.endswith(")"):
            inner = written.strip(_AROUND)
        if inner.strip(_QUOTES) == self._table.named[number].name:
            inner = inner.strip(_QUOTES)
        if inner and inner != written:
            # scip-python has `name as alias` and `(name)` in one range, scip-typescript `"name"`.
            at = written.index(inner)
            place = places.part(place, len(written[:at].encode()), len(inner.encode()))
            written = inner
        if renamed is not None:
            self.bindings.append(ImportAlias(number, renamed[2], renamed[1]))
        row = (*place, number, roles)
        if self._table.accepts(number, written, roles):
            file.add(row)
        elif self._table.is_local(number):
            file.relative = file.relative or not written.strip(".")
            file.dropped += 1
        else:
            suspect = Suspect(row, written, places.before(place))
            file.suspects.append(suspect)
            bound = binding_of(suspect)
            if bound is not None:
                self.bindings.append(bound)


def defined_in(document: Document) -> Collection[str]:
    """The symbols that a document defines and that others can name."""
    return {each.symbol for each in document.occurrences if each.defines and each.symbol and not each.local}
