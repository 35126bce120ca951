"""From a place to the definition around it: its text from the snapshot's rows, and its signature."""

from collections.abc import Sequence

from cairn.base import lazy
from cairn.search.budget import Piece, Unit
from cairn.search.definitions import BODIES, TYPES
from cairn.search.mergedviews import MergedViews
from cairn.search.place import with_comments
from cairn.search.places import SearchHit
from cairn.search.spot import definition_in
from cairn.store import ChunkRow, SnapshotView, SymbolRow

_CUT_OUT = TYPES | {"type"}
"""Definitions that are cut out of a chunk that holds more; a constant says little without what is around it."""
_HEAD_CHARS = 200
_SENTENCE = lazy.expression(r".+?[.!?。](?=\s|$)")


def unit_of(view: SnapshotView | MergedViews, item: SearchHit, root: str = "") -> Unit:
    """All forms in which a search hit can be shown."""
    row = item.row
    chunk = Piece("chunk", row.text, row.start_line, row.end_line)
    own = view.facts.symbols_qualified(item.place, item.symbol) if item.symbol else ()
    symbol = definition_in(row, item.symbol, own)
    if symbol is None or row.kind != "text":
        return Unit(row.path_key, item.symbol, chunk, _head(row), root=root)
    signature = _signature(symbol)
    inside = row.start_line <= symbol.start_line and symbol.end_line <= row.end_line
    # What has a body is shown whole even if only a part matched; members of a type are shown alone.
    if symbol.kind not in BODIES and not (inside and symbol.kind in _CUT_OUT):
        return Unit(row.path_key, item.symbol, chunk, signature, root=root)
    whole = _definition(symbol, [row] if inside else view.rows.at(item.place))
    is_part = whole.start_line < row.start_line or row.end_line < whole.end_line
    return Unit(row.path_key, item.symbol, whole, signature, chunk if is_part else None, root)


def joined(rows: Sequence[ChunkRow]) -> tuple[int, list[str]]:
    """The first line's number, and the lines of neighbouring text rows; blank lines between rows come back empty."""
    text, end = "", rows[0].start_line - 1
    for row in rows:
        # A line that is longer than a chunk goes on in the next row.
        text += "\n" * (row.start_line - end - 1) + row.text
        end = row.end_line
    return rows[0].start_line, text.split("\n")


def _definition(symbol: SymbolRow, rows: Sequence[ChunkRow]) -> Piece:
    """A definition with the comments right above it."""
    text_rows = [row for row in rows if row.kind == "text"]
    holding = [row for row in text_rows if row.start_line <= symbol.end_line and symbol.start_line <= row.end_line]
    first, lines = joined(holding)
    start = with_comments(lines, max(symbol.start_line - first, 0))
    end = min(symbol.end_line - first + 1, len(lines))
    return Piece("definition", "\n".join(lines[start:end]) + "\n", first + start, first + end - 1)


def _signature(symbol: SymbolRow) -> Piece:
    """The signature, and the first sentence of the documentation."""
    doc = " ".join(symbol.doc.split())
    sentence = _SENTENCE.match(doc)
    about = [f"    {_short(sentence[0] if sentence else doc)}"] if doc else []
    lines = [_short(" ".join((symbol.signature or symbol.name).split())), *about]
    return Piece("signature", "\n".join(lines) + "\n", symbol.start_line, symbol.end_line)


def _head(row: ChunkRow) -> Piece:
    """The first line with content, for a place without a definition."""
    head = next((line for line in row.text.split("\n") if line.strip()), "")
    return Piece("signature", _short(head) + "\n", row.start_line, row.end_line)


def _short(text: str) -> str:
    return text if len(text) <= _HEAD_CHARS else text[: _HEAD_CHARS - 1] + "…"
