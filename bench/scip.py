"""An index in the SCIP format, read as far as definitions and uses need: a little of protobuf's wire format.

Field numbers are those of scip.proto: Index.documents 2; Document.relative_path 1, occurrences 2;
Occurrence.range 1 (packed), symbol 2, symbol_roles 3.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_DEFINITION = 1
_LOCAL = "local "
_NAME = re.compile(r"(?:`((?:[^`]|``)+)`|([\w+\-$]+))(?:#|\.|\((?:\+?\w*)\)\.)$")
"""The last descriptor of a symbol that is a type, a term or a method; parameters and namespaces end otherwise."""


class FormatError(ValueError):
    """The bytes are no index."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    line: int
    """From 0, as are columns."""
    column: int
    end_line: int
    end_column: int
    symbol: str
    defines: bool

    @property
    def local(self) -> bool:
        return self.symbol.startswith(_LOCAL)


@dataclass(frozen=True, slots=True)
class Document:
    path: str
    occurrences: tuple[Occurrence, ...]


def documents(data: bytes) -> Iterator[Document]:
    for number, value in _fields(data):
        if number == 2 and isinstance(value, bytes):
            yield _document(value)


def plain_name(symbol: str) -> str:
    """The name of a type, term or method; empty for everything else."""
    found = _NAME.search(symbol)
    return (found[1] or found[2]).replace("``", "`") if found and not symbol.startswith(_LOCAL) else ""


def _document(data: bytes) -> Document:
    path, occurrences = "", []
    for number, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            path = value.decode()
        elif number == 2 and isinstance(value, bytes):
            occurrences.append(_occurrence(value))
    return Document(path, tuple(occurrences))


def _occurrence(data: bytes) -> Occurrence:
    place: list[int] = []
    symbol, roles = "", 0
    for number, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            place += _packed(value)
        elif number == 1 and isinstance(value, int):
            place.append(value)
        elif number == 2 and isinstance(value, bytes):
            symbol = value.decode()
        elif number == 3 and isinstance(value, int):
            roles = value
    if len(place) == 3:
        line, start, end = place
        place = [line, start, line, end]
    if len(place) != 4:
        raise FormatError(f"a range has {len(place)} numbers")
    return Occurrence(place[0], place[1], place[2], place[3], symbol, bool(roles & _DEFINITION))


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == _BYTES:
            size, at = _varint(data, at)
        elif wire in (_FIXED32, _FIXED64):
            size = 4 if wire == _FIXED32 else 8
        else:
            raise FormatError(f"there is no wire type {wire}")
        if at + size > len(data):
            raise FormatError("it ends within a field")
        yield number, data[at : at + size]
        at += size


def _packed(data: bytes) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise FormatError("a number does not end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
