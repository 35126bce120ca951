"""A file as a segment holds it: its text and blocks of what is known of it, made where it was parsed.

A `PackedFile` is only ever made of rows that conform, and moves as it is: from the process that parsed the file into
a segment, and from segment to segment.
"""

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from operator import attrgetter

from cairn.base.columns import Columns, compressed, join_columns, join_places, split_columns, transposed, unpack_columns
from cairn.base.errors import InvalidRowError
from cairn.base.values import dataclass
from cairn.store._trees import NO_TREE, PackedTree
from cairn.store.nameblocks import NamePlaces
from cairn.store.rows import (
    NO_FACTS,
    ChunkRow,
    EdgeRow,
    Facts,
    FileRow,
    FlowRow,
    NamePlace,
    OccurrenceRow,
    RowHead,
    SymbolRow,
    chunk_hash_of,
    chunk_id_of,
    row_faults,
    row_id_of,
)

NamedRows = tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[int]]
"""Names, kinds, containers, and the lines of the names."""
TEXT = "text"
_LEVEL = 3
_CHUNK = attrgetter(*"kind path_key_ci chunker_version symbols start_line end_line byte_start byte_end".split())
_SAID, _FLOWING = (4, 4), (3, 3)
_SHAPES = {"chunks": (5, 4), "symbols": (7, 4), "uses": (5, 1), "flows": (2, 4)}
"""How many columns of text and of numbers each block has."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file with its rows and facts, ready for a segment."""

    file: FileRow
    text: bytes
    chunks: bytes
    symbols: bytes = b""
    uses: bytes = b""
    edges: tuple[EdgeRow, ...] = ()
    defined: tuple[str, ...] = ()
    """Casefolded names of what it defines, each once."""
    occurrences: bytes = b""
    """Every place of every name, as joined columns: name and receiver; line, column, what, bound, within, function."""
    tree: PackedTree = NO_TREE
    flows: bytes = b""
    """How values flow in it, as a block: target and value; line, column, end_line, within."""


def pack(
    file: FileRow,
    data: bytes,
    rows: Sequence[ChunkRow],
    facts: Facts = NO_FACTS,
    occurrences: bytes = b"",
    tree: PackedTree = NO_TREE,
    flows: bytes = b"",
) -> PackedFile:
    """A file with its whole text, its rows in order, its facts, its occurrences as syntax.blocks has them, its tree and
    its flows as syntax.flows has them; InvalidRowError where they don't fit together."""
    _require_conformance(file, data, rows)
    chunks = transposed([_CHUNK(row) for row in rows], 8)
    own = ["" if row.kind == TEXT else row.text for row in rows]
    layers, names, qualified, kinds, signatures, starts, ends, lines, containers, exported, docs = transposed(
        facts.symbols, 11
    )
    uses = transposed(facts.occurrences, 6)
    return pack_joined(
        file,
        data,
        join_columns([*chunks[:4], own], chunks[4:]),
        join_columns([layers, names, qualified, kinds, signatures, containers, docs], [starts, ends, lines, exported]),
        join_columns([uses[1], uses[5], uses[0], uses[2], uses[4]], [uses[3]]),
        edges=facts.edges,
        defined=names,
        occurrences=_placed(occurrences, facts.symbols),
        tree=tree,
        flows=_placed_flows(flows, qualified),
    )


def pack_joined(
    file: FileRow,
    data: bytes,
    chunks: bytes,
    symbols: bytes = b"",
    uses: bytes = b"",
    *,
    edges: tuple[EdgeRow, ...] = (),
    defined: Iterable[str] = (),
    occurrences: bytes = b"",
    tree: PackedTree = NO_TREE,
    flows: bytes = b"",
) -> PackedFile:
    """A file whose columns, of rows that conform, are joined already; names may come again."""
    return PackedFile(
        file,
        zlib.compress(data, _LEVEL),
        compressed(chunks),
        compressed(symbols),
        compressed(uses),
        edges,
        folded_names(defined),
        occurrences,
        tree,
        compressed(flows),
    )


def _placed(block: bytes, symbols: Sequence[SymbolRow]) -> bytes:
    """Occurrences that name the definitions around them by their places among the file's own, from 1; 0 is the top."""
    columns = split_columns(block, *_SAID)
    if not columns.rows:
        return b""
    places = _numbered(symbol.qualified_name for symbol in symbols)
    known = [_nearest(places, each) for each in columns.strings]
    names, receivers, withins, functions = columns.places
    held = ([*map(known.__getitem__, column)] for column in (withins, functions))
    # Strings are numbered by their first coming, column after column: those of the first two stand at the front.
    strings = columns.strings[: max(max(names), max(receivers)) + 1]
    return join_places(strings, (names, receivers), (*columns.numbers, *held))


def _placed_flows(block: bytes, qualified: Iterable[str]) -> bytes:
    """Flows that name the definitions around them likewise."""
    columns = split_columns(block, *_FLOWING)
    if not columns.rows:
        return b""
    places = _numbered(qualified)
    targets, values, withins = map(columns.text, range(3))
    return join_columns([targets, values], [*columns.numbers, [_nearest(places, each) for each in withins]])


def _numbered(qualified: Iterable[str]) -> dict[str, int]:
    places: dict[str, int] = {"": 0}
    for number, name in enumerate(qualified, 1):
        places.setdefault(name, number)
    return places


def _nearest(places: Mapping[str, int], name: str) -> int:
    while name not in places:
        name = name.rpartition(".")[0]
    return places[name]


def occurrences_in(name: str, symbols: Columns, placed: NamePlaces) -> list[NamePlace]:
    """The places of a name in a file that defines some symbols."""
    # A name has few places in a file that may define much: only what is around them is named.
    strings, qualified = symbols.strings, symbols.places[2]
    withins, functions = (
        [strings[qualified[number - 1]] if number else "" for number in numbers]
        for numbers in (placed.withins, placed.functions)
    )
    return [
        *map(
            NamePlace,
            repeat(name),
            placed.lines,
            placed.columns,
            placed.whats,
            placed.receivers,
            withins,
            functions,
            placed.bounds,
        )
    ]


def flows_in(symbols: Columns, block: bytes) -> list[FlowRow]:
    """The flows of a file that defines some symbols."""
    columns = columns_of("flows", block)
    qualified = ["", *symbols.text(2)]
    lines, starts, ends, withins = columns.numbers
    around = map(qualified.__getitem__, withins)
    return [*map(FlowRow, columns.text(0), lines, starts, columns.text(1), ends, around)]


def folded_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names casefolded, each once."""
    return tuple(dict.fromkeys(map(str.casefold, names)))


def facts_in(packed: PackedFile) -> Facts:
    """What is known of a file beside its chunks."""
    symbols, uses = columns_of("symbols", packed.symbols), columns_of("uses", packed.uses)
    return Facts(tuple(symbols_in(symbols)), tuple(uses_in(uses)), packed.edges)


def text_in(block: bytes) -> bytes:
    """A file's whole text."""
    return zlib.decompress(block)


def columns_of(name: str, block: bytes) -> Columns:
    """A file's columns of `chunks`, `symbols`, `uses` or `flows`."""
    return unpack_columns(block, *_SHAPES[name])


def heads_in(columns: Columns, ordinals: Iterable[int]) -> dict[int, RowHead]:
    """Some rows of a file without their texts; IndexError for one that it hasn't."""
    starts, ends, _, _ = columns.numbers
    strings, kinds, names = columns.strings, columns.places[0], columns.places[3]
    return {at: RowHead(starts[at], ends[at], strings[kinds[at]], strings[names[at]]) for at in ordinals}


def rows_in(file: FileRow, text: bytes, columns: Columns, ordinals: Iterable[int] | None = None) -> list[ChunkRow]:
    """A file's rows, or some of them, from its whole text; IndexError for one that it hasn't."""
    if columns.rows != file.chunks or len(text) != file.size:
        raise ValueError(f"{columns.rows} rows of {len(text)} bytes")
    return [_row(file, text, columns, ordinal) for ordinal in (range(file.chunks) if ordinals is None else ordinals)]


def symbols_in(columns: Columns) -> list[SymbolRow]:
    """What a file defines, in order."""
    layers, names, qualified, kinds, signatures, containers, docs = map(columns.text, range(7))
    starts, ends, lines, exported = columns.numbers
    seen = map(bool, exported)
    return [*map(SymbolRow, layers, names, qualified, kinds, signatures, starts, ends, lines, containers, seen, docs)]


def named_in(columns: Columns) -> NamedRows:
    """The names, kinds, containers and lines of what a file defines, in order."""
    return columns.text(1), columns.text(3), columns.text(5), columns.numbers[2]


def symbols_where(columns: Columns, wanted: Callable[[str], bool]) -> list[SymbolRow]:
    """What a file defines under some casefolded names, in order."""
    names = columns.places[1]
    fitting = {place for place in set(names) if wanted(columns.strings[place].casefold())}
    return [_symbol(columns, row) for row, place in enumerate(names) if place in fitting] if fitting else []


def symbols_qualified(columns: Columns, name: str) -> list[SymbolRow]:
    """What a file defines under one qualified name, in order."""
    if name not in columns.strings:
        return []
    wanted, places = columns.strings.index(name), columns.places[2]
    found, row = [], -1
    for _ in range(places.count(wanted)):
        row = places.index(wanted, row + 1)
        found.append(_symbol(columns, row))
    return found


def uses_in(columns: Columns) -> list[OccurrenceRow]:
    """What a file uses, in order."""
    names, receivers, layers, roles, withins = map(columns.text, range(5))
    return [*map(OccurrenceRow, layers, names, roles, columns.numbers[0], withins, receivers)]


def called_in(columns: Columns) -> Iterable[tuple[str, str]]:
    """(name, receiver) of what a file uses, in order."""
    return zip(columns.text(0), columns.text(1), strict=True)


def _symbol(columns: Columns, row: int) -> SymbolRow:
    strings = columns.strings
    layer, name, qualified, kind, signature, container, doc = (strings[column[row]] for column in columns.places)
    start, end, line, exported = (column[row] for column in columns.numbers)
    return SymbolRow(layer, name, qualified, kind, signature, start, end, line, container, bool(exported), doc)


def _row(file: FileRow, text: bytes, columns: Columns, ordinal: int) -> ChunkRow:
    strings = columns.strings
    kind, folded, version, symbols, own = (strings[column[ordinal]] for column in columns.places)
    start_line, end_line, byte_start, byte_end = (column[ordinal] for column in columns.numbers)
    said = text[byte_start:byte_end].decode() if kind == TEXT else own
    chunk_hash = chunk_hash_of(said)
    chunk_id = chunk_id_of(chunk_hash, version, kind)
    return ChunkRow(
        row_id_of(file.path_key, chunk_id, ordinal),
        chunk_id,
        file.path_key,
        folded,
        ordinal,
        file.file_hash,
        chunk_hash,
        version,
        kind,
        said,
        start_line,
        end_line,
        byte_start,
        byte_end,
        file.language,
        symbols,
    )


def _require_conformance(file: FileRow, data: bytes, rows: Sequence[ChunkRow]) -> None:
    if file.chunks != len(rows) or [row.ordinal for row in rows] != list(range(len(rows))):
        raise InvalidRowError(f"{file.path_key}: ordinals are not 0 to {len(rows) - 1} in order.")
    if len(data) != file.size:
        raise InvalidRowError(f"{file.path_key}: its text has {len(data)} of its {file.size} bytes.")
    for row in rows:
        found = row_faults(row)
        if (row.path_key, row.file_hash, row.language) != (file.path_key, file.file_hash, file.language):
            found.append("it belongs to another file")
        if row.kind == TEXT and data[row.byte_start : row.byte_end] != row.text.encode():
            found.append("its bytes are not its text")
        if found:
            raise InvalidRowError(f"{file.path_key}, chunk {row.ordinal}: {'; '.join(found)}.")
