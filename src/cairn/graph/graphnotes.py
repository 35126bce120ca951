"""What is to be known about the files and symbols of a graph, beside its nodes and calls."""

import hashlib
from collections.abc import Collection, Iterable

from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class GraphNote:
    """Something to know about a file or a symbol of a graph."""

    file: str
    type: str
    symbol_id: str | None = None
    start_line: int | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes that concern a graph, as many as were asked for."""

    items: tuple[GraphNote, ...] = ()
    total: int = 0

    @property
    def truncated(self) -> bool:
        """Whether there are more notes than are told."""
        return len(self.items) < self.total


def relevant_notes(
    notes: Iterable[GraphNote], files: Collection[str], symbol_ids: Collection[str], limit: int
) -> Notes:
    """Notes on returned files and, where they name a symbol, on returned symbols."""
    kept = {note for note in notes if note.file in files and (note.symbol_id is None or note.symbol_id in symbol_ids)}
    # Notes that differ only in having no detail or an empty one are alike to the five keys.
    ordered = sorted(kept, key=lambda note: (*_order(note), note.detail is None))
    return Notes(tuple(ordered[: max(limit, 0)]), len(ordered))


def _order(note: GraphNote) -> tuple[str, str, bool, str, bool, int, str]:
    """File, type, symbol, line and the hash of the detail; what is missing comes last."""
    return (
        note.file,
        note.type,
        note.symbol_id is None,
        note.symbol_id or "",
        note.start_line is None,
        note.start_line or 0,
        hashlib.sha256((note.detail or "").encode("utf-8", "surrogatepass")).hexdigest(),
    )
