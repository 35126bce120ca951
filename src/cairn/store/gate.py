"""The publish gate: pure checks over values, run before every pointer swap."""

from collections.abc import Iterable, Mapping

from cairn.base.values import dataclass, field
from cairn.store.manifest import FileRef, Manifest

MAX_SEGMENTS_PER_SNAPSHOT = 64
MANY_SEGMENTS = "segments referenced by all snapshots"
MAX_SEGMENTS_REFERENCED = 256
MAX_TOMBSTONES_PER_SNAPSHOT = 250_000
OVERDUE_SEGMENTS = 48
OVERDUE_TOMBSTONES = 200_000


@dataclass(frozen=True, slots=True)
class GateFacts:
    """What was counted in the data, to be held against what the manifest says."""

    damaged: tuple[str, ...]
    """Artifacts that are missing or don't match their digest, each with what is wrong."""
    segment_counts: Mapping[str, tuple[int, int]]
    """(rows, files) found in each new segment."""
    live_paths: frozenset[str]
    """Live paths after the publish."""
    eligible: frozenset[str]
    """What the scan says must be live; for a publish that changes no file, the parent's live paths."""
    covered: frozenset[str]
    """Changed paths that are in a new segment or tombstoned."""
    changed: frozenset[str]
    """Paths that the ChangeSet names."""
    has_marker: bool
    segments_referenced: int
    """How many segments all retained manifests and this one reference together."""
    semantic_counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """(files, occurrences) found in each new semantic segment."""
    live_drift: str = ""
    """How the caller's idea of the parent's live files departs from the parent's own counts."""
    no_room: str = ""
    """How the stores exceed their budget."""


def gate_faults(manifest: Manifest, facts: GateFacts) -> list[str]:
    """Every reason why a snapshot must not be published; empty when it may be."""
    excused = {error.path_key for error in manifest.errors}
    faults = list(facts.damaged)
    faults += [said for said in (facts.live_drift, facts.no_room) if said]
    faults += _count_faults(manifest, facts)
    faults += _limit_faults(manifest, facts)
    if not facts.has_marker:
        faults.append("no new segment carries the completion marker of this snapshot")
    faults += _set_faults("changed but neither indexed nor tombstoned", facts.changed - facts.covered - excused)
    faults += _set_faults("eligible but not live", facts.eligible - facts.live_paths - excused)
    faults += _set_faults("live but not eligible", facts.live_paths - facts.eligible - excused)
    return faults


def tombstone_total(tombstones: Iterable[FileRef]) -> int:
    """How many tombstones some files hold together."""
    return sum(ref.count for ref in tombstones)


def _count_faults(manifest: Manifest, facts: GateFacts) -> list[str]:
    segments, counts = manifest.segments, manifest.counts
    faults = []
    rows = sum(ref.rows for ref in segments)
    files = sum(ref.files for ref in segments)
    if (rows, files) != (counts.chunks_indexed, counts.files_indexed):
        faults.append(
            f"the segments hold {rows} rows of {files} files, but the manifest counts "
            f"{counts.chunks_indexed} of {counts.files_indexed}"
        )
    for ref in segments:
        found = facts.segment_counts.get(ref.segment_id)
        if found is not None and found != (ref.rows, ref.files):
            faults.append(f"{ref.segment_id} holds {found[0]} rows of {found[1]} files, not {ref.rows} of {ref.files}")
    for semantic in manifest.semantics:
        said = facts.semantic_counts.get(semantic.segment_id)
        if said is not None and said != (semantic.files, semantic.occurrences):
            faults.append(
                f"{semantic.segment_id} holds {said[1]} occurrences in {said[0]} files, "
                f"not {semantic.occurrences} in {semantic.files}"
            )
    if counts.files_live != len(facts.live_paths):
        faults.append(f"{len(facts.live_paths)} files are live, but the manifest counts {counts.files_live}")
    if not 0 <= counts.chunks_live <= counts.chunks_indexed:
        faults.append(f"{counts.chunks_live} live chunks out of {counts.chunks_indexed}")
    return faults


def _limit_faults(manifest: Manifest, facts: GateFacts) -> list[str]:
    limits = (
        (len(manifest.segments), MAX_SEGMENTS_PER_SNAPSHOT, "segments in the snapshot"),
        (facts.segments_referenced, MAX_SEGMENTS_REFERENCED, MANY_SEGMENTS),
        (tombstone_total(manifest.tombstones), MAX_TOMBSTONES_PER_SNAPSHOT, "tombstones"),
    )
    return [f"{count} {what}, at most {limit} are allowed" for count, limit, what in limits if count > limit]


def _set_faults(what: str, paths: frozenset[str]) -> list[str]:
    if not paths:
        return []
    first = min(paths)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return [f"{first}{more}: {what}"]
