"""What a question about code may ask for, and the notes on what a limit cut off its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.notes import Lift, Note
from cairn.codebase.answers import counted
from cairn.graph.notes import MAX_NOTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cairn.codebase.answers import Now
    from cairn.graph.calls import CallGraph, Limits
    from cairn.graph.resolve import Resolver
    from cairn.graph.symbols import Definition

MAX_PLACES = 2_000
_NAMED = 5


def cut_places(total: int, limit: int, noun: str, partial: bool = False) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """What a limit cuts, and how to get it; a partial total is of those that were counted."""
    if total <= limit:
        return (), ()
    lift = Lift("limit", MAX_PLACES) if limit < MAX_PLACES else None
    return ("places",), (Note("places_cut", {"limit": limit, "total": total, "noun": noun, "partial": partial}, lift),)


def cut_graph(graph: CallGraph, bounds: Limits) -> Iterator[Note]:
    """What limits cut of a call graph and of the notes beside it."""
    if graph.notes.truncated:
        shown, lift = len(graph.notes.items), Lift("notes", MAX_NOTES) if bounds.notes < MAX_NOTES else None
        yield Note("notes_truncated", {"limit": bounds.notes, "shown": shown, "total": graph.notes.total}, lift)
    if "nodes" in graph.limits_hit:
        yield Note("nodes_cut", {"limit": bounds.nodes}, Lift("nodes", 2_000) if bounds.nodes < 2_000 else None)
    if "fan_out" in graph.limits_hit:
        yield Note("fan_out_cut", {"limit": bounds.fan_out}, Lift("fan_out", 500) if bounds.fan_out < 500 else None)


def not_in_snapshot(unknown: Sequence[str]) -> tuple[Note, ...]:
    """Changes that no answer from the snapshot can follow."""
    if not unknown:
        return ()
    return (Note("not_in_snapshot", {"files": tuple(unknown[:_NAMED]), "count": len(unknown)}),)


def require_file(resolver: Resolver, now: Now, key: str) -> None:
    """The file is in the snapshot and still there; the error says which of both it isn't."""
    here = now.is_there(key)
    if resolver.world.view.rows.file(key) is not None:
        if not here:
            raise NotIndexedError(f"{key} is gone since the snapshot.", hint="Run `cairn index`.")
        return
    if here:
        raise NotIndexedError(
            f"{key} is not in the snapshot: it is newer, or left out.",
            hint="Run `cairn index`, or `cairn index --dry-run` to see why it is left out.",
        )
    if any(path.startswith(f"{key}/") for path in resolver.world.languages):
        raise UsageError(f"{key} is a folder.", hint="Name a file in it.")
    raise NotIndexedError(f"There is no file {key}.", hint="Name a file from the root on, like src/a.py.")


def require_line(path: str, line: int, data: bytes) -> None:
    """UsageError where a file has no such line."""
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if line < 1:
        raise UsageError(f"There is no line {line}: lines are counted from 1.")
    if line > lines:
        raise UsageError(f"{path} has {counted(lines, 'line')}: there is no line {line}.")


def paths_of(items: Iterable[Definition]) -> frozenset[str]:
    """The files that some definitions are in."""
    return frozenset(item.path for item in items)


def require_limit(limit: int) -> None:
    """UsageError for a limit that no answer may have."""
    if type(limit) is not int or not 1 <= limit <= MAX_PLACES:
        raise UsageError(f"A limit of {limit} is not allowed; give a number from 1 to {MAX_PLACES}.")
