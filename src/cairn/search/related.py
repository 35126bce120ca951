"""Places like a given one: its own words and vector are the question."""

from collections import Counter

from cairn.base.errors import UsageError
from cairn.engines import Vectors
from cairn.kernel.tokens import tokens
from cairn.search import signals
from cairn.search.query import KINDS_ASKED_FOR, Filters, Query
from cairn.store import ChunkRow, SnapshotView

_TERMS = 16
_SYMBOL_SHARE = 3


def question_of(view: SnapshotView, path_key: str, line: int, filters: Filters) -> tuple[Query, Vectors]:
    """The place as a query, and the vector of the chunk around it; UsageError when the snapshot has nothing there.

    The place is the innermost definition around the line, as far as its chunk holds it.
    """
    row, vector = _row_at(view, path_key, line)
    text, name = _innermost(view, row, line)
    counts = Counter(tokens(text))
    for term in tokens(name or row.symbols):
        counts[term] += _SYMBOL_SHARE
    known = [term for term in counts if len(term) > 1]
    held = view.words.counted(known)
    worth = {
        term: counts[term] * signals.inverse_frequency(count, held.rows)
        for term, count in zip(known, held.body, strict=True)
    }
    terms = tuple(sorted(worth, key=lambda term: (-worth[term], term))[:_TERMS])
    query = Query(
        text=text,
        terms=terms,
        words=(),
        names=(),
        owners=(),
        is_symbol=False,
        # Tests and examples of the place count as much as similar code.
        asks_for=KINDS_ASKED_FOR,
        filters=filters,
    )
    return query, vector


def _innermost(view: SnapshotView, row: ChunkRow, line: int) -> tuple[str, str]:
    around = [item for item in view.facts.of(row.path_key).symbols if item.start_line <= line <= item.end_line]
    if not around:
        return row.text, ""
    symbol = min(around, key=lambda item: (item.end_line - item.start_line, -item.start_line))
    lines = row.text.split("\n")
    part = lines[max(symbol.start_line - row.start_line, 0) : symbol.end_line - row.start_line + 1]
    return ("\n".join(part), symbol.name) if len(part) > 1 else (row.text, symbol.name)


def _row_at(view: SnapshotView, path_key: str, line: int) -> tuple[ChunkRow, Vectors]:
    rows, vectors = view.rows.of(path_key), view.vectors.of(path_key)
    inside = [row for row in rows if row.kind != "anchor" and row.start_line <= line <= row.end_line]
    if not inside or vectors is None:
        raise UsageError(
            f"{path_key}:{line} holds nothing to go by.", hint="Name a line of an indexed file, like src/a.py:12."
        )
    # The innermost definition is the most exact.
    row = min(inside, key=lambda row: (row.end_line - row.start_line, row.ordinal))
    return row, vectors[row.ordinal]
