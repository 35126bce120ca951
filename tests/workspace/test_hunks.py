"""Where two texts differ: what hunks hold, and that old and new can be had back from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.workspace.hunks import ADDED, KEPT, REMOVED, Hunk, counts_of, first_rows, hunks_of, lines_of

TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "}"]), max_size=30)


@pytest.mark.slow
@given(TEXTS, TEXTS, st.integers(0, 4))
def test_a_diff_leads_from_the_old_lines_to_the_new_ones(old: list[str], new: list[str], context: int) -> None:
    made, at = [], 0
    for hunk in hunks_of(old, new, context):
        made += old[at : hunk.old_start - 1]
        assert len(made) + 1 == hunk.new_start
        kept = [line for kind, line in hunk.rows if kind in (KEPT, REMOVED)]
        assert old[hunk.old_start - 1 : hunk.old_start - 1 + len(kept)] == kept
        made += [line for kind, line in hunk.rows if kind in (KEPT, ADDED)]
        at = hunk.old_start - 1 + len(kept)
    assert [*made, *old[at:]] == new


def test_changes_that_are_near_share_a_hunk() -> None:
    old = [str(at) for at in range(20)]
    new = [*old[:3], "x", *old[4:8], "y", *old[9:]]
    assert len(hunks_of(old, new, 3)) == 1
    assert [(hunk.old_start, hunk.new_start, len(hunk.rows)) for hunk in hunks_of(old, new, 1)] == [
        (3, 3, 4),
        (8, 8, 4),
    ]
    assert counts_of(hunks_of(old, new, 0)) == (2, 2)


def test_rows_are_cut_in_the_hunk_that_is_too_long() -> None:
    hunks = [Hunk(1, 1, ((KEPT, "a"), (ADDED, "b"))), Hunk(9, 10, ((REMOVED, "c"),))]
    assert first_rows(hunks, 1) == (Hunk(1, 1, ((KEPT, "a"),)),)
    assert first_rows(hunks, 3) == tuple(hunks)


@pytest.mark.parametrize(
    ("text", "lines"), [("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\n\x0cb", ["a", "\x0cb"])]
)
def test_line_feeds_alone_end_lines(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


def test_what_is_too_long_to_compare_is_replaced_as_a_whole() -> None:
    old = ["same", *(f"old {at % 7}" for at in range(5_000)), "end"]
    (hunk,) = hunks_of(old, ["same", "new", "end"], 1)
    assert counts_of([hunk]) == (1, 5_000)
