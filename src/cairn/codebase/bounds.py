"""What a question about code may ask for, and the notes on what a limit cut off its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.notes import Lift, Note
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from cairn.codebase.answers import Now
    from cairn.codebase.bodies import Uses
    from cairn.graph.calls import CallGraph, Limits
    from cairn.graph.outline import Outline
    from cairn.graph.repomap import RepoMap
    from cairn.graph.resolve import Resolver
    from cairn.graph.symbols import Definition

_NAMED = 5


def cut_places(
    total: int, limit: int | None, noun: str, partial: bool = False
) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """What a limit cuts, and how to get it; a partial total is of those that were counted."""
    if limit is None or total <= limit:
        return (), ()
    fields = {"limit": limit, "total": total, "noun": noun, "partial": partial}
    return ("places",), (Note("places_cut", fields, Lift("limit")),)


def local_to(item: Definition) -> Note:
    """That a name means nothing outside of its function."""
    symbol = item.symbol
    return Note("local", {"name": symbol.name, "kind": symbol.kind, "within": symbol.container})


def none_using(found: Uses, ways: Callable[[], Mapping[str, int]]) -> tuple[Note, ...]:
    """That nothing is known to use a definition is a claim: how many places of its name are open, and other ways."""
    if not found.definitions:
        return ()
    return (Note("no_uses", {"open": found.unresolved, **ways()}),)


def none_calling(graph: CallGraph, ways: Callable[[], Mapping[str, int]]) -> tuple[Note, ...]:
    """That nothing is known to call a definition is a claim: how many calls of its name are open, and other ways."""
    if not graph.roots or graph.direction == "callees" or graph.is_called or graph.limits_hit:
        return ()
    return (Note("no_callers", {"open": graph.open_callers, **ways()}),)


def cut_graph(graph: CallGraph, bounds: Limits) -> Iterator[Note]:
    """What limits cut of a call graph and of the notes beside it."""
    if graph.notes.truncated:
        fields = {"limit": bounds.notes, "shown": len(graph.notes.items), "total": graph.notes.total}
        yield Note("notes_truncated", fields, Lift("notes"))
    if "nodes" in graph.limits_hit:
        yield Note("nodes_cut", {"limit": bounds.nodes}, Lift("nodes"))
    if "fan_out" in graph.limits_hit:
        yield Note("fan_out_cut", {"limit": bounds.fan_out}, Lift("fan_out"))


def cut_outline(fitted: Outline, budget_tokens: int) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """What a budget left out of the definitions of a file."""
    if not fitted.left_out:
        return (), ()
    full = fitted.full_tokens
    fields = {"limit": budget_tokens, "definitions": len(fitted.left_out), "full_tokens": full}
    return ("budget",), (Note("definitions_left_out", fields, Lift("budget_tokens", full)),)


def cut_map(found: RepoMap) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """That a budget left something out of the map."""
    if not (found.files_left_out or found.definitions_left_out or found.head_left_out):
        return (), ()
    full = found.full_tokens
    fields = {"limit": found.budget_tokens, "full_tokens": full}
    return ("budget",), (Note("map_cut", fields, Lift("budget_tokens", full)),)


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
            raise NotIndexedError(f"{key} is gone since the snapshot.", hint=Advice(NextStep("index"), "."))
        return
    if here:
        raise NotIndexedError(
            f"{key} is not in the snapshot: it is newer, or left out.",
            hint=Advice(NextStep("index"), ", or ", NextStep("preview"), " to see why it is left out."),
        )
    if any(path.startswith(f"{key}/") for path in resolver.world.languages):
        raise UsageError(f"{key} is a folder.", hint="Name a file in it.")
    raise no_such_file(key, resolver.world.languages)


def no_such_file(key: str, paths: Iterable[str], commit: str = "") -> NotIndexedError:
    """The error for a path that there isn't, in the tree or a commit, with the one that was probably meant."""
    from cairn.graph.likeness import paths_like  # only for what is wrong

    near = paths_like(paths, key)
    hint = f"Did you mean {' or '.join(near)}?" if near else "Name a file from the root on, like src/a.py."
    return NotIndexedError(f"There is no file {key}{commit and f' in commit {commit[:12]}'}.", hint=hint)


def require_line(path: str, line: int, data: bytes) -> None:
    """UsageError where a file has no such line."""
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if line < 1:
        raise UsageError(f"There is no line {line}: lines are counted from 1.", hint="Name a line from 1 on.")
    if line > lines:
        raise UsageError(
            f"{path} has {plural(lines, 'line')}: there is no line {line}.", hint=f"Name a line from 1 to {lines}."
        )


def paths_of(items: Iterable[Definition]) -> frozenset[str]:
    """The files that some definitions are in."""
    return frozenset(item.path for item in items)
