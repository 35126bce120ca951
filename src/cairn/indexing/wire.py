"""Prepared files on their way from a worker to its parent: plain tuples, which `marshal` moves fastest.

Both ends are one program, the worker a fork of the parent, so the format has no versions.
"""

import marshal
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from cairn.base.errors import IncompatibleError
from cairn.base.notes import Note, note_from
from cairn.indexing.prepare import Prepared
from cairn.store import ChunkRow, EdgeRow, Facts, FileRow, OccurrenceRow, SymbolRow, Terms


def _values_of(kind: Any) -> Callable[[Any], Any]:
    return attrgetter(*kind.__match_args__)


def _rebuilt(kind: Any, part: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    # What a named tuple's own `_make` does, without a step of Python for each.
    return tuple(map(partial(tuple.__new__, kind), part))


_row = _values_of(ChunkRow)
_PARTS = Prepared.__match_args__
# A part that isn't named here is plain already.
_FLATTEN: Mapping[str, Callable[[Any], Any]] = {
    "file": tuple,
    "rows": lambda rows: [*map(_row, rows)],
    "terms": lambda terms: [*map(tuple, terms)],
    "facts": lambda facts: tuple([*map(tuple, part)] for part in (facts.symbols, facts.occurrences, facts.edges)),
}
_BUILD: Mapping[str, Callable[[Any], Any]] = {
    "file": lambda values: FileRow(*values),
    "rows": lambda rows: tuple(ChunkRow(*values) for values in rows),
    "terms": partial(_rebuilt, Terms),
    "facts": lambda parts: Facts(*map(_rebuilt, (SymbolRow, OccurrenceRow, EdgeRow), parts)),
}


def answer(files: Sequence[Prepared], notes: Sequence[Note] = ()) -> bytes:
    """The message that brings prepared files back."""
    return marshal.dumps((None, [_flat(file) for file in files], [note.document() for note in notes]))


def refusal(error: IncompatibleError) -> bytes:
    """The message that says why files can't be prepared here."""
    return marshal.dumps(((error.message, str(error.hint)), [], ()))


def accept(message: bytes | memoryview) -> tuple[list[Prepared], list[Note]]:
    """What a worker answered and what it has to say, or the error that it met."""
    refused, files, notes = marshal.loads(message)  # noqa: S302 - a fork of this very process wrote it
    if refused is not None:
        raise IncompatibleError(refused[0], hint=refused[1])
    return [_built(values) for values in files], [*map(note_from, notes)]


def _flat(file: Prepared) -> tuple[Any, ...]:
    return tuple(_FLATTEN[name](value) if name in _FLATTEN else value for name, value in _parts(file))


def _parts(file: Prepared) -> list[tuple[str, Any]]:
    return [(name, getattr(file, name)) for name in _PARTS]


def _built(values: Sequence[Any]) -> Prepared:
    return Prepared(
        *(_BUILD[name](value) if name in _BUILD else value for name, value in zip(_PARTS, values, strict=True))
    )
