"""The publish gate as pure cases: values in, reasons out."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from cairn.base.ulid import new_ulid
from cairn.store.digest import Digest
from cairn.store.gate import (
    MAX_SEGMENTS_PER_SNAPSHOT,
    MAX_SEGMENTS_REFERENCED,
    MAX_TOMBSTONES_PER_SNAPSHOT,
    OVERDUE_SEGMENTS,
    OVERDUE_TOMBSTONES,
    GateFacts,
    gate_faults,
)
from cairn.store.manifest import Counts, FileError, FileRef, GitInfo, Manifest, SegmentRef

DIGEST = Digest(10, "0" * 64)


def segment(name: str, rows: int = 3, files: int = 2) -> SegmentRef:
    return SegmentRef(name, "delta", "flat", 4, rows, files, DIGEST)


def tombstones(count: int) -> FileRef:
    return FileRef("snapshots/x/tombstones.jsonl", count, DIGEST, ("seg_a",))


MANIFEST = Manifest(
    snapshot_id=new_ulid(),
    parent_snapshot_id=None,
    created_at="2026-01-01T00:00:00.000Z",
    cause="sync",
    canonical_root="/somewhere",
    store_id="store",
    config_fingerprint="f",
    ignore_fingerprint="i",
    lease_epoch=1,
    git=GitInfo(None, False, True),
    segments=(segment("seg_a"), segment("seg_b")),
    tombstones=(tombstones(1),),
    file_index=(),
    counts=Counts(files_indexed=4, chunks_indexed=6, tombstones_added=1, files_live=3, chunks_live=5),
    skipped={},
)
LIVE = frozenset({"a", "b", "c"})
FACTS = GateFacts(
    damaged=(),
    segment_counts={"seg_b": (3, 2)},
    live_paths=LIVE,
    eligible=LIVE,
    covered=frozenset({"a", "gone"}),
    changed=frozenset({"a", "gone"}),
    has_marker=True,
    segments_referenced=2,
)


def counts(**changes: int) -> Manifest:
    return replace(MANIFEST, counts=replace(MANIFEST.counts, **changes))


@pytest.mark.requirement("STO.7")
def test_a_sound_snapshot_passes() -> None:
    assert gate_faults(MANIFEST, FACTS) == []


@pytest.mark.requirement("STO.7")
@pytest.mark.parametrize(
    ("manifest", "facts", "words"),
    [
        (MANIFEST, replace(FACTS, damaged=("segments/seg_a is missing",)), "segments/seg_a is missing"),
        (counts(chunks_indexed=7), FACTS, "the segments hold 6 rows"),
        (counts(files_indexed=5), FACTS, "the segments hold 6 rows of 4 files"),
        (MANIFEST, replace(FACTS, segment_counts={"seg_b": (2, 2)}), "seg_b holds 2 rows of 2 files, not 3"),
        (MANIFEST, replace(FACTS, segment_counts={"seg_b": (3, 1)}), "seg_b holds 3 rows of 1 files"),
        (counts(files_live=2), FACTS, "3 files are live, but the manifest counts 2"),
        (counts(chunks_live=7), FACTS, "7 live chunks out of 6"),
        (counts(chunks_live=-1), FACTS, "-1 live chunks"),
        (MANIFEST, replace(FACTS, has_marker=False), "marker"),
        (MANIFEST, replace(FACTS, changed=FACTS.changed | {"x"}), "x: changed but neither indexed nor tombstoned"),
        (MANIFEST, replace(FACTS, eligible=LIVE | {"x", "y"}), "x and 1 more: eligible but not live"),
        (MANIFEST, replace(FACTS, eligible=LIVE - {"c"}), "c: live but not eligible"),
        (MANIFEST, replace(FACTS, segments_referenced=MAX_SEGMENTS_REFERENCED + 1), "at most 256"),
        (replace(MANIFEST, tombstones=(tombstones(200_000), tombstones(50_001))), FACTS, "at most 250000"),
    ],
)
def test_each_fault_is_named_alone(manifest: Manifest, facts: GateFacts, words: str) -> None:
    found = gate_faults(manifest, facts)
    assert len(found) == 1
    assert words in found[0]


@pytest.mark.requirement("STO.10")
def test_a_snapshot_holds_at_most_64_segments() -> None:
    def of(count: int) -> Manifest:
        refs = tuple(segment(f"seg_{n}", rows=1, files=1) for n in range(count))
        whole = Counts(files_indexed=count, chunks_indexed=count, tombstones_added=1, files_live=3, chunks_live=3)
        return replace(MANIFEST, segments=refs, counts=whole)

    facts = replace(FACTS, segment_counts={})
    assert gate_faults(of(64), facts) == []
    assert gate_faults(of(65), facts) == ["65 segments in the snapshot, at most 64 are allowed"]


@pytest.mark.requirement("STO.10")
def test_the_limits_are_those_of_the_contract_and_overdue_comes_before_them() -> None:
    assert (MAX_SEGMENTS_PER_SNAPSHOT, MAX_SEGMENTS_REFERENCED, MAX_TOMBSTONES_PER_SNAPSHOT) == (64, 256, 250_000)
    assert (OVERDUE_SEGMENTS, OVERDUE_TOMBSTONES) == (48, 200_000)


@pytest.mark.requirement("STO.10")
@pytest.mark.parametrize("limit", [lambda: replace(FACTS, segments_referenced=256)])
def test_the_limits_themselves_are_allowed(limit: Callable[[], GateFacts]) -> None:
    assert gate_faults(replace(MANIFEST, tombstones=(tombstones(250_000),)), limit()) == []


@pytest.mark.requirement("STO.8")
def test_a_file_that_failed_excuses_itself_and_no_other() -> None:
    degraded = replace(MANIFEST, errors=(FileError("unreadable", "no", "x"),))
    facts = replace(FACTS, eligible=LIVE | {"x"}, changed=FACTS.changed | {"x"})
    assert gate_faults(degraded, facts) == []
    assert len(gate_faults(degraded, replace(facts, eligible=LIVE | {"x", "y"}))) == 1
    assert len(gate_faults(degraded, replace(facts, damaged=("gone",), has_marker=False))) == 2
