"""The lines of a chunk that a result means: the definition that it names, or else those that say most of the query."""

from collections.abc import Sequence

from cairn.base.values import dataclass
from cairn.search.excerpt import excerpt_lines
from cairn.search.place import head_line
from cairn.store import ChunkRow, SymbolRow


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """Whole lines of a file, and what kind of thing they are."""

    start_line: int
    end_line: int
    kind: str
    text: str
    """Begins with the first of the lines; where they go on beyond the chunk, it ends with that."""
    line: int = 0
    """Where the name stands, below what decorates it; else the first of the lines."""


def spot_of(row: ChunkRow, name: str, symbols: Sequence[SymbolRow], terms: frozenset[str]) -> ShownPlace:
    """The place that is meant by a chunk: the whole definition, though the chunk may hold but the first part of it."""
    symbol = definition_in(row, name, symbols)
    kind = row.kind if symbol is None else symbol.kind
    lines = row.text.split("\n")
    if symbol is not None and row.start_line <= symbol.name_line <= row.end_line:
        start, end, line = max(symbol.start_line, row.start_line), symbol.end_line, symbol.name_line
    else:
        shown = excerpt_lines(row.text, terms, name)
        head = head_line(lines, name)
        start = line = row.start_line + (shown[0][0] if head is None else head)
        end = max(start, row.start_line + shown[-1][0])
    text = "\n".join(lines[start - row.start_line : min(end, row.end_line) - row.start_line + 1])
    return ShownPlace(start, end, kind, text, line)


def definition_in(row: ChunkRow, name: str, symbols: Sequence[SymbolRow]) -> SymbolRow | None:
    """The definition of a name that overlaps a chunk: one that begins there, else the smallest around it."""
    if not name:
        return None
    found = [
        symbol
        for symbol in symbols
        if symbol.qualified_name == name and symbol.start_line <= row.end_line and row.start_line <= symbol.end_line
    ]
    begins = [symbol for symbol in found if row.start_line <= symbol.name_line <= row.end_line]
    return min(
        begins or found, key=lambda symbol: (symbol.end_line - symbol.start_line, symbol.start_line), default=None
    )
