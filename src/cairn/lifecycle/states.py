"""The states of a tracked codebase, and the only ways from one to another."""

from enum import StrEnum

from cairn.base.errors import TransitionError


class State(StrEnum):
    """What a codebase is; `not_found` is one that isn't tracked."""

    NOT_FOUND = "not_found"
    INDEXING = "indexing"
    INDEXED = "indexed"
    SYNC_COMPLETED = "sync_completed"
    INDEXFAILED = "indexfailed"
    REQUIRES_REINDEX = "requires_reindex"


SEARCHABLE = frozenset((State.INDEXED, State.SYNC_COMPLETED))

ALLOWED = frozenset(
    (
        (State.NOT_FOUND, State.INDEXING),
        (State.INDEXING, State.INDEXED),
        (State.INDEXING, State.INDEXFAILED),
        *((state, State.REQUIRES_REINDEX) for state in SEARCHABLE),
        *((state, State.INDEXING) for state in SEARCHABLE),
        (State.INDEXED, State.SYNC_COMPLETED),
        (State.SYNC_COMPLETED, State.INDEXED),
        (State.SYNC_COMPLETED, State.SYNC_COMPLETED),
        (State.INDEXFAILED, State.INDEXING),
        (State.REQUIRES_REINDEX, State.INDEXING),
        *((state, State.NOT_FOUND) for state in State if state not in (State.INDEXING, State.NOT_FOUND)),
    )
)
"""`indexing -> indexed` needs a valid proof besides, which the registry demands."""


def require_allowed(before: State, after: State) -> None:
    """TransitionError for a step that the states don't allow."""
    if (before, after) not in ALLOWED:
        raise TransitionError(f"A codebase can't go from {before} to {after}.")
