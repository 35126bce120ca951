"""Compaction: fewer segments, no tombstones, and not one answer changed."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import BusyError
from cairn.indexing.terms import terms_of
from cairn.store import Store, compact
from cairn.store.compact import SegmentLoad, plan_compaction
from cairn.store.manifest import Manifest
from cairn.store.recovery import read_pointer
from cairn.store.tombstones import decode_file_index
from tests.long import LONG
from tests.store.samples import (
    DIMENSION,
    add,
    answers,
    begin,
    contents,
    facts,
    make_store,
    prepare,
    publish,
    temporary_home,
)

WORDS = ("walrus", "otter", "seal", "whale", "common")
PATHS = ("a.py", "b.py", "sub/a.py", "sub/walrus.py")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=24).map(lambda words: " ".join(words) + "\n")
changes = st.dictionaries(st.sampled_from(PATHS), st.none() | texts, min_size=1, max_size=3)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.007")
@pytest.mark.long
@settings(max_examples=60 * LONG or 8)
@given(history=st.lists(changes, min_size=1, max_size=6))
def test_no_answer_changes_when_segments_are_merged(history: list[dict[str, str | None]]) -> None:
    with temporary_home() as home:
        store = make_store(home)
        model: dict[str, str] = {}
        for change in history:
            publish(store, change)
            model |= {path: text for path, text in change.items() if text is not None}
            for path in [path for path, text in change.items() if text is None]:
                model.pop(path, None)
        with store.view() as view:
            before = answers(view, *WORDS, "walrus common py")
            assert contents(view) == model
        store.compact(terms_of)
        with store.view() as view:
            assert answers(view, *WORDS, "walrus common py") == before
            assert contents(view) == model
        merged = store.compact(terms_of, force=True)
        with store.view() as view:
            assert answers(view, *WORDS, "walrus common py") == before
            assert contents(view) == model
            assert view.manifest.tombstones == ()
            assert len(view.segments) == 1
            assert merged is None or merged.counts.chunks_indexed == merged.counts.chunks_live


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.007")
def test_dense_vectors_score_the_same_wherever_their_rows_lie(store: Store) -> None:
    """A score that depends on the shape of the matrix would reorder near ties."""
    numbers = np.random.default_rng(7)
    queries = numbers.standard_normal((8, DIMENSION)).astype(np.float32)
    for part in range(5):
        with store.writer() as lease, begin(store, lease) as transaction:
            for number in range(part * 3 + 1):
                ready = prepare(f"{part}_{number}.py", "walrus\n" * 30)
                vectors = numbers.standard_normal(ready.vectors.shape).astype(np.float32)
                replace(ready, vectors=vectors).add_to(transaction)
            transaction.publish(lease, facts(transaction.live_paths))

    def near() -> list[list[tuple[str, float]]]:
        with store.view() as view:
            return [[(hit.row.row_id, hit.score) for hit in view.vectors.nearest(query, 20)] for query in queries]

    before = near()
    assert store.compact(terms_of, force=True) is not None
    assert near() == before


@pytest.mark.requirement("IDX.MUST.007")
def test_compaction_writes_a_new_segment_and_prunes_the_tombstones(store: Store) -> None:
    publish(store, {"a.py": "walrus\n", "b.py": "otter\n"})
    publish(store, {"a.py": "seal\n"})
    old = publish(store, {"b.py": None})
    assert sum(ref.count for ref in old.tombstones) == 2
    new = store.compact(terms_of, force=True)
    assert new is not None
    assert not {ref.segment_id for ref in new.segments} & {ref.segment_id for ref in old.segments}
    assert (new.tombstones, new.counts.tombstones_added) == ((), 0)
    assert (new.counts.files_indexed, new.counts.chunks_indexed) == (1, 1)
    assert (new.parent_snapshot_id, new.cause) == (old.snapshot_id, "compact")
    assert (new.git, new.ignore_fingerprint, new.skipped) == (old.git, old.ignore_fingerprint, old.skipped)
    assert len(new.file_index) == 1
    assert store.compact(terms_of, force=True) is None


@pytest.mark.requirement("IDX.MUST.007")
def test_a_part_that_is_not_merged_keeps_its_tombstones(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first = publish(store, {"a.py": "walrus\n", "b.py": "otter\n"})
    publish(store, {"a.py": None})
    publish(store, {"b.py": "seal\n"})
    (base,) = first.segments
    everything = compact.plan_compaction

    def all_but_the_first(loads: list[SegmentLoad], count: int, *, force: bool = False) -> tuple[str, ...]:
        return everything(loads[1:], count, force=force)

    # The tiers would keep a segment of this place only when it is large.
    monkeypatch.setattr(compact, "plan_compaction", all_but_the_first)
    merged = store.compact(terms_of, force=True)
    assert merged is not None
    assert merged.segments[0] == base
    with store.view() as view:
        assert contents(view) == {"b.py": "seal\n"}
        assert {stone.path_key for stone in view.upkeep.tombstones()} == {"a.py", "b.py"}
        assert all(ref.applies_to == (base.segment_id,) for ref in view.manifest.tombstones)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.requirement("PUB.2")
def test_steady_small_syncs_keep_few_segments(store: Store) -> None:
    publish(store, {f"{n}.py": "walrus\n" for n in range(5)})
    for number in range(60 * LONG or 16):
        publish(store, {f"{number % 7}.py": f"version {number}\n"})
        store.compact(terms_of)
        with store.view() as view:
            assert len(view.segments) < 12
            assert sum(ref.count for ref in view.manifest.tombstones) < 12


@pytest.mark.requirement("PUB.2")
def test_the_tiers_keep_few_segments_for_ever_and_copy_each_row_a_handful_of_times() -> None:
    segments: list[SegmentLoad] = []
    copied = 0
    for number in range(3000):
        segments.append(SegmentLoad(f"s{number}", 3, 3))
        merge = plan_compaction(segments, 0)
        if merge:
            live = sum(load.live_rows for load in segments if load.segment_id in merge)
            copied += live
            segments = [load for load in segments if load.segment_id not in merge]
            segments.append(SegmentLoad(f"m{number}", live, live))
        assert len(segments) < 32
        if number == 60:
            assert len(segments) < 12
    assert copied < 3000 * 3 * 40


def publish_first(store: Store, monkeypatch: pytest.MonkeyPatch, times: int) -> list[Manifest]:
    """Let another writer publish after each build, as often as asked for."""
    real = compact.build
    published: list[Manifest] = []

    def build(*arguments: object) -> object:
        transaction = real(*arguments)  # type: ignore[arg-type]
        if len(published) < times:
            published.append(publish(store, {f"late{len(published)}.py": "otter\n", "a.py": None}))
        return transaction

    # Only here can a publish be timed to fall between the build and the lease.
    monkeypatch.setattr(compact, "build", build)
    return published


@pytest.mark.requirement("PUB.2")
@pytest.mark.parametrize("times", [1, 2])
def test_a_snapshot_that_moves_during_compaction_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    publish(store, {"a.py": "walrus\n"})
    publish(store, {"b.py": "seal\n"})
    published = publish_first(store, monkeypatch, times)
    merged = store.compact(terms_of, force=True)
    assert merged is not None
    assert merged.parent_snapshot_id == published[-1].snapshot_id
    assert read_pointer(store.layout) == merged.snapshot_id
    with store.view() as view:
        assert contents(view) == {"b.py": "seal\n"} | {f"late{n}.py": "otter\n" for n in range(times)}
    assert os.listdir(store.layout.staging) == []


@pytest.mark.requirement("PUB.2")
def test_the_last_attempt_holds_the_lease_from_the_start(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(store, {"a.py": "walrus\n"})
    publish(store, {"b.py": "seal\n"})
    publish_first(store, monkeypatch, 3)
    with pytest.raises(BusyError, match="Another writer"):
        store.compact(terms_of, force=True)
    with store.view() as view:
        assert set(contents(view)) == {"b.py", "late0.py", "late1.py"}


def loads(*counts: tuple[int, int]) -> list[SegmentLoad]:
    return [SegmentLoad(f"s{n}", rows, live) for n, (rows, live) in enumerate(counts)]


@pytest.mark.parametrize(
    ("segments", "stones", "force", "merged"),
    [
        ([], 0, False, ()),
        ([(10, 10)] * 5, 0, False, ()),
        ([(10, 10)] * 6, 0, False, ("s0", "s1", "s2", "s3", "s4", "s5")),
        ([(9000, 9000), *[(10, 10)] * 6], 0, False, tuple(f"s{n}" for n in range(1, 7))),
        ([(9000, 1000), *[(10, 10)] * 6], 0, False, tuple(f"s{n}" for n in range(7))),
        ([(9000, 1000), (500, 500)], 0, False, ("s0",)),
        ([(9000, 8000), (500, 500)], 0, False, ()),
        ([(9000, 9000)] * 48, 0, False, tuple(f"s{n}" for n in range(48))),
        ([(900_000, 900_000)], 200_000, False, ("s0",)),
        ([(10, 10)], 0, True, ()),
        ([(10, 10)], 1, True, ("s0",)),
        ([(10, 10), (5, 5)], 0, True, ("s0", "s1")),
    ],
)
@pytest.mark.requirement("STO.10")
def test_what_is_merged_when(
    segments: list[tuple[int, int]], stones: int, force: bool, merged: tuple[str, ...]
) -> None:
    assert plan_compaction(loads(*segments), stones, force=force) == merged


def test_a_build_that_fails_leaves_nothing_in_staging(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    publish(store, {"b.py": "seal\n"})

    def broken(row: object) -> object:
        raise RuntimeError("no tokens")

    with pytest.raises(RuntimeError):
        store.compact(broken, force=True)  # type: ignore[arg-type]
    with store.view() as view:
        assert set(contents(view)) == {"a.py", "b.py"}


def test_a_store_of_nothing_but_deletions_compacts_to_nothing(store: Store) -> None:
    publish(store, {"a.py": "walrus\n"})
    publish(store, {"a.py": None})
    assert store.compact(terms_of, force=True) is not None
    with store.view() as view:
        assert contents(view) == {}
        assert answers(view, "walrus") == [[], [], []]
        assert view.marker() is not None
    with store.writer() as lease, begin(store, lease) as transaction:
        add(transaction, "b.py", "otter\n")
        transaction.publish(lease, facts(transaction.live_paths))


@pytest.mark.slow
def test_compaction_leaves_one_file_of_tombstones_for_the_segments_it_keeps(store: Store) -> None:
    publish(store, {f"{number}.py": "walrus\n" * 400 for number in range(40)})
    base = [ref.segment_id for ref in store.view().manifest.segments]
    for number in range(compact.FAN_IN):
        publish(store, {"0.py": f"otter {number}\n", f"{number}.py": f"seal {number}\n"})
    with store.view() as view:
        before, shown = answers(view, *WORDS), contents(view)
        assert len(view.manifest.tombstones) == compact.FAN_IN
    assert store.compact(terms_of) is not None
    with store.view() as view:
        (ref,) = view.manifest.tombstones
        assert ref.count == compact.FAN_IN
        assert [*ref.applies_to] == base
        assert (answers(view, *WORDS), contents(view)) == (before, shown)


@pytest.mark.slow
def test_compaction_lists_anew_only_the_files_of_segments_that_came_later(store: Store) -> None:
    publish(store, {f"{number}.py": "walrus\n" * 400 for number in range(40)})
    for number in range(compact.FAN_IN):
        publish(store, {f"{number}.py": f"seal {number}\n", "new.py": f"whale {number}\n"})
    merged = store.compact(terms_of)
    assert merged is not None
    base, later = merged.file_index
    assert (base.count, later.count) == (40, compact.FAN_IN + 1)
    with store.view() as view:
        listed: dict[str, str] = {}
        for part in merged.file_index:
            listed |= decode_file_index((Path(store.layout.path) / part.path).read_bytes(), part.path)
        assert listed == dict(view.upkeep.homes())
    assert store.compact(terms_of, force=True) is not None
    with store.view() as view:
        (part,) = view.manifest.file_index
        assert part.count == 41
