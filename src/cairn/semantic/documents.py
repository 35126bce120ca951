"""The facts in an index's documents, file by file: places that are clearly right, and those to be judged later."""

from array import array
from collections.abc import Collection, Iterator

from cairn.base.values import dataclass, field
from cairn.semantic.edges import RENAMED, ImportAlias, Row, Suspect, binding_of
from cairn.semantic.ranges import FileRanges, Range
from cairn.semantic.scip import Document, encoding_of
from cairn.semantic.symboltable import SymbolTable

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
