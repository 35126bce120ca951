"""Every step that there could be from one state to another: allowed or refused."""

import itertools

import pytest

from cairn.base.errors import TransitionError
from cairn.lifecycle.states import ALLOWED, SEARCHABLE, State, require_allowed

# Seed 001's transitions and those that the design adds, written out once more on purpose.
STEPS = """
not_found -> indexing
indexing -> indexed
indexing -> indexfailed
indexed -> requires_reindex
sync_completed -> requires_reindex
indexed -> indexing
sync_completed -> indexing
indexfailed -> indexing
requires_reindex -> indexing
indexed -> sync_completed
sync_completed -> indexed
sync_completed -> sync_completed
indexed -> not_found
sync_completed -> not_found
indexfailed -> not_found
requires_reindex -> not_found
"""
EXPECTED = {tuple(map(State, line.split(" -> "))) for line in STEPS.split("\n") if line}


@pytest.mark.requirement("LOCK.7")
@pytest.mark.parametrize(("before", "after"), list(itertools.product(State, State)))
def test_only_the_allowed_transitions_exist(before: State, after: State) -> None:
    if (before, after) in EXPECTED:
        require_allowed(before, after)
    else:
        with pytest.raises(TransitionError, match=f"from {before} to {after}"):
            require_allowed(before, after)


@pytest.mark.requirement("LOCK.7")
def test_nothing_is_promoted_but_from_indexing_and_nothing_clears_a_run() -> None:
    assert {before for before, after in ALLOWED if after is State.INDEXED} == {State.INDEXING, State.SYNC_COMPLETED}
    assert (State.INDEXING, State.NOT_FOUND) not in ALLOWED
    assert {State.INDEXED, State.SYNC_COMPLETED} == SEARCHABLE
