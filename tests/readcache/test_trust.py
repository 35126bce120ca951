"""The trust machine: every transition, every boundary, and what may stand in for what."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.readcache.meta import FULL_SCOPE, Mode, ReadMeta, is_well_formed, range_of, range_scope
from cairn.readcache.trust import Kind, Knowledge, LogEntry, Trust, replay, start_of

PATH = "/src/a.py"
H0, H1, H2 = (hashlib.sha256(text).hexdigest() for text in (b"0", b"1", b"2"))
RANGE = range_scope(10, 20)
Step = ReadMeta | tuple[Kind, str] | tuple[Kind, int | None]


def read(mode: Mode, served: str, base: str = "", scope: str = FULL_SCOPE) -> ReadMeta:
    return ReadMeta(PATH, scope, served, mode, base)


def chain(*steps: Step) -> list[LogEntry]:
    """Entries one behind the other: reads, invalidations by scope, and events by what they point at."""
    found = []
    for number, step in enumerate(steps, 1):
        parent = number - 1 or None
        if isinstance(step, ReadMeta):
            found.append(LogEntry(number, parent, Kind.READ, step))
        elif step[0] is Kind.INVALIDATE:
            found.append(LogEntry(number, parent, Kind.INVALIDATE, None, PATH, str(step[1])))
        else:
            target = step[1]
            assert not isinstance(target, str)
            found.append(LogEntry(number, parent, step[0], target=target))
    return found


def full_trust(*steps: Step, first_kept: bool = False) -> str | None:
    trust = replay(chain(*steps), first_kept=first_kept).base(PATH, FULL_SCOPE)
    return trust.hash if trust is not None else None


@pytest.mark.requirement("RC.1")
@pytest.mark.parametrize("mode", [Mode.FULL, Mode.BASELINE_FALLBACK])
def test_applies_full_anchor_without_prior_trust(mode: Mode) -> None:
    assert full_trust(read(mode, H1)) == H1


@pytest.mark.requirement("RC.1")
def test_ignores_unchanged_without_full_anchor() -> None:
    assert full_trust(read(Mode.UNCHANGED, H1, H1)) is None
    assert full_trust(read(Mode.FULL, H0), read(Mode.UNCHANGED, H1, H1)) == H0
    assert full_trust(read(Mode.FULL, H0), read(Mode.UNCHANGED, H1, H0)) == H0


@pytest.mark.requirement("RC.1")
def test_applies_unchanged_with_matching_full_anchor() -> None:
    knowledge = replay(chain(read(Mode.FULL, H1), read(Mode.UNCHANGED, H1, H1)))
    assert knowledge.trust(PATH, FULL_SCOPE) == Trust(H1, 2)


@pytest.mark.requirement("RC.1")
def test_ignores_diff_without_matching_full_anchor() -> None:
    assert full_trust(read(Mode.DIFF, H2, H1)) is None
    assert full_trust(read(Mode.FULL, H0), read(Mode.DIFF, H2, H1)) == H0


@pytest.mark.requirement("RC.1")
def test_applies_diff_with_matching_full_anchor() -> None:
    assert full_trust(read(Mode.FULL, H1), read(Mode.DIFF, H2, H1)) == H2


@pytest.mark.requirement("RC.1")
def test_applies_unchanged_range_with_matching_range_anchor() -> None:
    knowledge = replay(
        chain(read(Mode.FULL, H1, scope=RANGE), read(Mode.UNCHANGED_RANGE, H2, H1, RANGE)),
    )
    assert knowledge.trust(PATH, RANGE) == Trust(H2, 2)
    assert knowledge.trust(PATH, FULL_SCOPE) is None


@pytest.mark.requirement("RC.1")
def test_applies_unchanged_range_with_matching_full_anchor() -> None:
    knowledge = replay(chain(read(Mode.FULL, H1), read(Mode.UNCHANGED_RANGE, H2, H1, RANGE)))
    assert knowledge.trust(PATH, RANGE) == Trust(H2, 2)
    assert knowledge.trust(PATH, FULL_SCOPE) == Trust(H1, 1)


@pytest.mark.requirement("RC.1")
@pytest.mark.parametrize(
    "step",
    [
        read(Mode.UNCHANGED_RANGE, H1, H1),
        read(Mode.UNCHANGED, H1, H1, RANGE),
        read(Mode.DIFF, H2, H1, RANGE),
    ],
)
def test_modes_that_don_t_fit_their_scope_are_ignored(step: ReadMeta) -> None:
    before = replay(chain(read(Mode.FULL, H1), read(Mode.FULL, H1, scope=RANGE)))
    after = replay(chain(read(Mode.FULL, H1), read(Mode.FULL, H1, scope=RANGE), step))
    for scope in (FULL_SCOPE, RANGE):
        assert after.trust(PATH, scope) == before.trust(PATH, scope)


@pytest.mark.requirement("RC.1")
def test_a_range_is_no_ground_for_another_range_or_for_the_whole() -> None:
    other = range_scope(12, 15)
    knowledge = replay(chain(read(Mode.FULL, H1, scope=RANGE), read(Mode.UNCHANGED_RANGE, H1, H1, other)))
    assert knowledge.base(PATH, other) is None
    assert knowledge.base(PATH, FULL_SCOPE) is None


@pytest.mark.requirement("RC.4")
def test_full_invalidation_clears_all_scopes() -> None:
    knowledge = replay(chain(read(Mode.FULL, H1), read(Mode.FULL, H1, scope=RANGE), (Kind.INVALIDATE, FULL_SCOPE)))
    assert knowledge.base(PATH, FULL_SCOPE) is None
    assert knowledge.base(PATH, RANGE) is None


@pytest.mark.requirement("RC.4")
def test_range_invalidation_clears_only_range_scope() -> None:
    other = range_scope(30, 40)
    knowledge = replay(
        chain(
            read(Mode.FULL, H1),
            read(Mode.FULL, H1, scope=RANGE),
            read(Mode.FULL, H1, scope=other),
            (Kind.INVALIDATE, RANGE),
        )
    )
    assert knowledge.trust(PATH, RANGE) is None
    assert knowledge.trust(PATH, other) is not None
    assert knowledge.base(PATH, FULL_SCOPE) == Trust(H1, 1)


@pytest.mark.requirement("RC.4")
@pytest.mark.parametrize("wanted", [(10, 20), (15, 16), (1, 10), (20, 99)])
def test_an_invalidated_range_is_not_covered_by_full_trust(wanted: tuple[int, int]) -> None:
    steps: list[Step] = [read(Mode.FULL, H1), (Kind.INVALIDATE, RANGE)]
    knowledge = replay(chain(*steps))
    assert knowledge.base(PATH, range_scope(*wanted)) is None
    assert knowledge.base(PATH, range_scope(21, 30)) == Trust(H1, 1)
    derived = replay(chain(*steps, read(Mode.UNCHANGED_RANGE, H1, H1, RANGE)))
    assert derived.base(PATH, RANGE) is None


@pytest.mark.requirement("RC.4")
@pytest.mark.parametrize("again", [RANGE, range_scope(1, 30), FULL_SCOPE])
def test_content_that_is_given_again_lifts_the_block(again: str) -> None:
    knowledge = replay(chain(read(Mode.FULL, H1), (Kind.INVALIDATE, RANGE), read(Mode.FULL, H1, scope=again)))
    assert knowledge.base(PATH, RANGE) is not None


@pytest.mark.requirement("RC.4")
def test_part_of_a_range_that_is_given_again_lifts_nothing() -> None:
    part = range_scope(10, 15)
    knowledge = replay(chain(read(Mode.FULL, H1), (Kind.INVALIDATE, RANGE), read(Mode.FULL, H1, scope=part)))
    assert knowledge.base(PATH, RANGE) is None
    assert knowledge.base(PATH, part) is not None


@pytest.mark.requirement("RC.4")
def test_a_diff_of_the_whole_lifts_no_block() -> None:
    knowledge = replay(chain(read(Mode.FULL, H1), (Kind.INVALIDATE, RANGE), read(Mode.DIFF, H2, H1)))
    assert knowledge.base(PATH, RANGE) is None


@pytest.mark.requirement("RC.3")
def test_a_range_read_takes_the_fresher_of_both_trusts() -> None:
    older = replay(chain(read(Mode.FULL, H0, scope=RANGE), read(Mode.FULL, H1)))
    assert older.base(PATH, RANGE) == Trust(H1, 2)
    newer = replay(chain(read(Mode.FULL, H1), read(Mode.FULL, H0, scope=RANGE)))
    assert newer.base(PATH, RANGE) == Trust(H0, 2)


@pytest.mark.requirement("RC.2")
@pytest.mark.parametrize("first_kept", [False, True])
def test_derived_entries_behind_a_compaction_establish_nothing(first_kept: bool) -> None:
    """The first kept entry is the `unchanged` one: it was given, but what it builds on is gone."""
    steps: list[Step] = [read(Mode.FULL, H1), read(Mode.UNCHANGED, H1, H1), (Kind.COMPACTION, 2)]
    assert full_trust(*steps, first_kept=first_kept) is None


@pytest.mark.requirement("RC.2")
def test_what_a_compaction_keeps_is_trusted_only_where_the_session_asks_for_it() -> None:
    steps: list[Step] = [read(Mode.FULL, H0), read(Mode.FULL, H1), (Kind.COMPACTION, 2)]
    assert full_trust(*steps, first_kept=True) == H1
    assert full_trust(*steps, first_kept=False) is None


@pytest.mark.requirement("RC.2")
@pytest.mark.parametrize("target", [None, 99])
def test_a_compaction_that_names_no_known_entry_keeps_nothing(target: int | None) -> None:
    assert full_trust(read(Mode.FULL, H1), (Kind.COMPACTION, target), first_kept=True) is None


@pytest.mark.requirement("RC.2")
def test_what_a_former_compaction_took_away_stays_away() -> None:
    steps: list[Step] = [
        read(Mode.FULL, H1),
        (Kind.COMPACTION, None),
        read(Mode.UNCHANGED, H1, H1),
        (Kind.COMPACTION, 1),
    ]
    assert full_trust(*steps, first_kept=True) is None


@pytest.mark.parametrize("kind", [Kind.CLEAR, Kind.GAP])
def test_a_clear_or_a_gap_forgets_everything_before_it_even_what_is_kept(kind: Kind) -> None:
    assert full_trust(read(Mode.FULL, H1), (kind, None)) is None
    assert full_trust(read(Mode.FULL, H1), (kind, None), (Kind.COMPACTION, 1), first_kept=True) is None
    assert full_trust(read(Mode.FULL, H1), (kind, None), read(Mode.FULL, H2)) == H2


def test_a_dropped_entry_takes_what_builds_on_it_along() -> None:
    once = chain(read(Mode.FULL, H1), read(Mode.UNCHANGED, H1, H1))
    assert replay(once, dropped={1}).base(PATH, FULL_SCOPE) is None
    twice = chain(read(Mode.FULL, H1), read(Mode.FULL, H1))
    assert replay(twice, dropped={1}).base(PATH, FULL_SCOPE) == Trust(H1, 2)
    assert replay(twice, floor=2).base(PATH, FULL_SCOPE) is None


@pytest.mark.requirement("RC.6")
@pytest.mark.parametrize(
    "meta",
    [
        read(Mode.UNCHANGED, H1),
        read(Mode.DIFF, H2),
        read(Mode.UNCHANGED_RANGE, H1, scope=RANGE),
        read(Mode.FULL, "short"),
        read(Mode.FULL, H1.upper()),
        read(Mode.FULL, H1, base="x"),
        read(Mode.FULL, H1, scope="r:5:1"),
        read(Mode.FULL, H1, scope="r:0:1"),
        read(Mode.FULL, H1, scope="r:01:2"),
        read(Mode.FULL, H1, scope="r:1"),
        read(Mode.FULL, H1, scope=""),
        ReadMeta("", FULL_SCOPE, H1, Mode.FULL),
    ],
)
def test_malformed_entries_are_ignored(meta: ReadMeta) -> None:
    assert not is_well_formed(meta)
    assert not Knowledge().apply(LogEntry(1, None, Kind.READ, meta))


@pytest.mark.slow
@given(st.text(max_size=12))
def test_only_what_range_scope_writes_is_a_range(text: str) -> None:
    found = range_of(text)
    assert found is None or range_scope(*found) == text


def test_the_boundary_of_an_empty_branch_is_its_beginning() -> None:
    assert start_of([], first_kept=True) == 0


def test_a_copy_knows_nothing_of_what_comes_later() -> None:
    first = replay(chain(read(Mode.FULL, H1)))
    second = first.copy()
    second.apply(LogEntry(2, 1, Kind.READ, read(Mode.FULL, H2)))
    second.apply(LogEntry(3, 2, Kind.INVALIDATE, None, PATH, RANGE))
    assert first.base(PATH, FULL_SCOPE) == Trust(H1, 1)
    assert first.base(PATH, RANGE) == Trust(H1, 1)
