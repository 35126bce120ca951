"""The messages of scip.proto as values; what no answer needs (diagnostics, texts, external symbols) is passed over.

Field numbers:
  Index              metadata 1, documents 2
  Metadata           tool_info 2 (name 1, version 2), project_root 3
  Document           relative_path 1, occurrences 2, symbols 3, language 4, position_encoding 6
  Occurrence         range 1, symbol 2, symbol_roles 3, enclosing_range 7, single_line_range 8, multi_line_range 9
  SymbolInformation  symbol 1, documentation 3, relationships 4, kind 5, display_name 6, enclosing_symbol 8
  Relationship       symbol 1, is_reference 2, is_implementation 3, is_type_definition 4, is_definition 5
"""

from collections.abc import Iterator
from enum import IntFlag
from typing import NamedTuple, Protocol

from cairn.base.values import dataclass
from cairn.semantic.scip.columns import Encoding
from cairn.semantic.scip.wire import ScipError, fields, message, number, packed, text

LOCAL = "local "
_MAX_NUMBER = (1 << 31) - 1
_Range = tuple[int, int, int, int]


class Role(IntFlag):
    """What a symbol does at a place; none of them is a plain reference."""

    DEFINITION = 1
    IMPORT = 2
    WRITE = 4
    READ = 8
    GENERATED = 16
    TEST = 32
    FORWARD_DEFINITION = 64


_DEFINITION, _IMPORT = int(Role.DEFINITION), int(Role.IMPORT)


class ScipOccurrence(NamedTuple):
    """One place of one symbol. Lines count from 0; columns are code units of the document's encoding."""

    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    roles: int = 0
    enclosing: _Range | None = None
    """The whole definition, or the expression around a use, where the tool says so."""

    @property
    def defines(self) -> bool:
        """Whether the symbol is defined here."""
        return bool(self.roles & _DEFINITION)

    @property
    def imports(self) -> bool:
        """Whether the symbol is imported here."""
        return bool(self.roles & _IMPORT)

    @property
    def local(self) -> bool:
        """Whether the symbol has no meaning outside of its document."""
        return self.symbol.startswith(LOCAL)


class Relationship(NamedTuple):
    """How a symbol is related to another one."""

    symbol: str
    reference: bool = False
    implementation: bool = False
    type_definition: bool = False
    definition: bool = False


class SymbolInformation(NamedTuple):
    """What the tool says about a symbol."""

    symbol: str
    documentation: tuple[str, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    kind: int = 0
    """Of SymbolInformation.Kind; 0 if the tool doesn't say."""
    display_name: str = ""
    enclosing_symbol: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The tool that wrote an index, and the folder it ran in."""

    tool: str = ""
    version: str = ""
    project_root: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The occurrences and symbols of one file."""

    path: str
    """Relative to the folder that the tool ran in, as the tool wrote it."""
    language: str
    encoding: Encoding
    occurrences: tuple[ScipOccurrence, ...]
    symbols: tuple[SymbolInformation, ...]

    @property
    def is_inside(self) -> bool:
        """Whether the path can be beneath the root; tools also report files elsewhere."""
        parts = self.path.split("/")
        return not any(part in ("", ".", "..") or "\0" in part for part in parts)


class Index(Protocol):
    """One file as a stream: metadata first, then documents, each once."""

    @property
    def metadata(self) -> Metadata:
        """The index's metadata."""

    def documents(self) -> Iterator[Document]:
        """The documents, one at a time."""


class Names:
    """The texts of symbols, each decoded once, because an index repeats them often."""

    __slots__ = ("_known",)
    _MOST = 200_000

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}

    def get(self, data: bytes) -> str:
        """The text of some bytes."""
        found = self._known.get(data)
        if found is None:
            if len(self._known) >= self._MOST:
                self._known.clear()
            found = self._known[data] = text(data)
        return found


def metadata(data: bytes) -> Metadata:
    """Decode a Metadata message."""
    tool = version = root = ""
    for field, value in fields(data):
        if field == 2:
            for inner, said in fields(message(value)):
                if inner == 1:
                    tool = text(said)
                elif inner == 2:
                    version = text(said)
        elif field == 3:
            root = text(value)
    return Metadata(tool, version, root)


def document(data: bytes, names: Names) -> Document:
    """Decode a Document message."""
    path = language = ""
    encoding = 0
    occurrences, symbols = [], []
    for field, value in fields(data):
        if field == 2:
            occurrences.append(occurrence(message(value), names))
        elif field == 3:
            symbols.append(symbol_information(message(value), names))
        elif field == 1:
            path = text(value)
        elif field == 4:
            language = text(value)
        elif field == 6:
            encoding = number(value)
    if not path:
        raise ScipError("a document has no path")
    try:
        counted = Encoding(encoding)
    except ValueError as error:
        raise ScipError(f"position encoding {encoding} is unknown") from error
    return Document(path, language, counted, tuple(occurrences), tuple(symbols))


def occurrence(data: bytes, names: Names) -> ScipOccurrence:
    """Decode an Occurrence message."""
    place: list[int] = []
    around: list[int] = []
    symbol, roles = "", 0
    for field, value in fields(data):
        if field == 1:
            # An unpacked list is the same list by protobuf's rules.
            place += packed(value) if isinstance(value, bytes) else [value]
        elif field == 2:
            symbol = names.get(message(value))
        elif field == 3:
            roles = number(value)
        elif field == 7:
            around += packed(value) if isinstance(value, bytes) else [value]
        elif field == 8:
            place = _numbers(message(value), 3)
        elif field == 9:
            place = _numbers(message(value), 4)
    return ScipOccurrence(*_range(place), symbol, roles, _range(around) if around else None)


def symbol_information(data: bytes, names: Names) -> SymbolInformation:
    """Decode a SymbolInformation message."""
    symbol = display_name = enclosing_symbol = ""
    documentation, relationships = [], []
    kind = 0
    for field, value in fields(data):
        if field == 1:
            symbol = names.get(message(value))
        elif field == 3:
            documentation.append(text(value))
        elif field == 4:
            relationships.append(_relationship(message(value), names))
        elif field == 5:
            kind = number(value)
        elif field == 6:
            display_name = text(value)
        elif field == 8:
            enclosing_symbol = names.get(message(value))
    if not symbol:
        raise ScipError("a symbol has no name")
    return SymbolInformation(symbol, tuple(documentation), tuple(relationships), kind, display_name, enclosing_symbol)


def _relationship(data: bytes, names: Names) -> Relationship:
    symbol = ""
    flags = [False] * 4
    for field, value in fields(data):
        if field == 1:
            symbol = names.get(message(value))
        elif 2 <= field <= 5:
            flags[field - 2] = bool(number(value))
    return Relationship(symbol, *flags)


def _numbers(data: bytes, count: int) -> list[int]:
    """The first fields of a message of numbers; one that is left out is 0."""
    found = [0] * count
    for field, value in fields(data):
        if field <= count:
            found[field - 1] = number(value)
    return found


def _range(numbers: list[int]) -> _Range:
    if len(numbers) == 3:
        line, start, end = numbers
        end_line = line
    elif len(numbers) == 4:
        line, start, end_line, end = numbers
    else:
        raise ScipError(f"a range has {len(numbers)} numbers")
    # A negative number is a very large one on the wire.
    if line > _MAX_NUMBER or start > _MAX_NUMBER or end_line > _MAX_NUMBER or end > _MAX_NUMBER:
        raise ScipError("a range has a number that is no place")
    if end_line < line or (end_line == line and end < start):
        raise ScipError("a range ends before it begins")
    return line, start, end_line, end
