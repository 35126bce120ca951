"""How far the semantic facts of files can be trusted now: pure, for a whole batch at once.

    unindexed      no facts of the file in this context
    dirty          its content is not what the facts were made from
    stale          what a dependency shows to others is not what it was then, or a dependency is stale
    pending_check  a dependency may have changed in what it shows: it is dirty, not indexed though the context
                   owns it, has another content than it had then, or waits itself
    clean          none of these

The first that holds is the state. `stale` and `pending_check` are what can be reached against the direction of
dependencies, from files that have a reason of their own and through files whose own facts stand. That is the least
fixpoint of these rules: every file of a cycle gets what any of them gets, wherever one starts, and nobody waits for
itself. A file that is dirty or not indexed passes nothing on but doubt, since its own dependencies may be others now.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

from cairn.base.values import dataclass

CLEAN, DIRTY, STALE, PENDING_CHECK, UNINDEXED = "clean", "dirty", "stale", "pending_check", "unindexed"
CERTAIN, AMBIGUOUS, UNKNOWN = "certain", "ambiguous", "unknown"


@dataclass(frozen=True, slots=True)
class FileState:
    """How fresh the facts of a file are, and how certain its names."""

    freshness: str
    certainty: str


@dataclass(frozen=True, slots=True)
class FileNow:
    """A file as the tree has it."""

    content_hash: str
    interface_hash: str = ""
    """Empty for a file that was not parsed."""

    @property
    def shown(self) -> str:
        """A hash of what other files can see of it; of its whole content if that isn't known."""
        return self.interface_hash or self.content_hash

    @property
    def seen(self) -> str:
        """What is recorded of a dependency: its interface, and its content, from which a tool may infer more."""
        return f"{self.shown} {self.content_hash}"


@dataclass(frozen=True, slots=True)
class FileThen:
    """What was recorded of a file when a context's index was made."""

    content_hash: str
    dependencies: Mapping[str, str]
    """The files of the tree that it depends on, each as it was seen at that time; empty if that is unknown."""
    flags: Collection[str] = ()
    """Its ambiguity flags: see `ambiguity`."""


_UNINDEXED = FileState(UNINDEXED, UNKNOWN)
_DIRTY = FileState(DIRTY, UNKNOWN)


def file_states(
    then: Mapping[str, FileThen],
    now: Mapping[str, FileNow],
    *,
    owns: Callable[[str], bool],
    files: Iterable[str] | None = None,
) -> dict[str, FileState]:
    """The state of each of some files in one context; of every file that is there or was, if none are named.

    `owns` tells whether a file belongs to the context: others are never indexed in it, and nobody waits for them.
    """
    wanted = {*then, *now} if files is None else set(files)
    reached = _reached(wanted, then)
    changed = {path for path, facts in then.items() if path in reached and _content(now, path) != facts.content_hash}
    standing = {path for path in reached if path in then and path not in changed}
    stale: set[str] = set()
    waiting: set[str] = set()
    dependants: dict[str, list[str]] = {}
    for path in standing:
        for target, recorded in then[path].dependencies.items():
            current = now.get(target)
            if target in standing:
                dependants.setdefault(target, []).append(path)
            elif target in then or owns(target):
                waiting.add(path)
            shown, _, content = recorded.partition(" ")
            if current is None or (shown and shown != current.shown):
                stale.add(path)
            elif not shown or (content and content != current.content_hash):
                # The interface is unchanged, but types that a tool inferred from a body may have changed: an interface
                # doesn't show them.
                waiting.add(path)
    stale = _spread(stale, dependants)
    waiting = _spread(waiting, dependants)
    return {path: _state(path, then, changed, stale, waiting) for path in wanted}


def _content(now: Mapping[str, FileNow], path: str) -> str | None:
    found = now.get(path)
    return found.content_hash if found is not None else None


def _reached(wanted: Iterable[str], then: Mapping[str, FileThen]) -> set[str]:
    """Some files and all that they depend on, near and far."""
    seen = set(wanted)
    todo = list(seen)
    while todo:
        facts = then.get(todo.pop())
        if facts is not None:
            fresh = facts.dependencies.keys() - seen
            seen |= fresh
            todo += fresh
    return seen


def _spread(start: set[str], dependants: Mapping[str, list[str]]) -> set[str]:
    """Some files, and all that depend on them, near and far."""
    seen = set(start)
    todo = list(start)
    while todo:
        for dependant in dependants.get(todo.pop(), ()):
            if dependant not in seen:
                seen.add(dependant)
                todo.append(dependant)
    return seen


def _state(path: str, then: Mapping[str, FileThen], changed: set[str], stale: set[str], waiting: set[str]) -> FileState:
    if path not in then:
        return _UNINDEXED
    if path in changed:
        return _DIRTY
    certainty = AMBIGUOUS if then[path].flags else CERTAIN
    return FileState(STALE if path in stale else PENDING_CHECK if path in waiting else CLEAN, certainty)
