"""Audit: the counts that a manifest repeats, held against what the segments hold."""

from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.store.gate import tombstone_total
from cairn.store.view import SnapshotView

REINDEX, REPAIR = Advice(NextStep("reindex"), "."), Advice(NextStep("repair"), ".")


@dataclass(frozen=True, slots=True)
class Drift:
    """One count that is not what it says."""

    code: str
    message: str
    action: str


def audit(view: SnapshotView) -> list[Drift]:
    """Every drift of a snapshot, in a fixed order; empty when all counts hold."""
    manifest = view.manifest
    counts = manifest.counts
    found = view.upkeep.counts()
    drifts = []
    for ref in manifest.segments:
        rows, files, _, _ = found[ref.segment_id]
        if (rows, files) != (ref.rows, ref.files):
            drifts.append(
                Drift(
                    "segment_count",
                    f"{ref.segment_id} holds {rows} rows of {files} files, not {ref.rows} of {ref.files}.",
                    REINDEX,
                )
            )
    totals = [sum(item[place] for item in found.values()) for place in range(4)]
    expected = (
        ("chunks_indexed", totals[0], counts.chunks_indexed),
        ("files_indexed", totals[1], counts.files_indexed),
        ("chunks_live", totals[2], counts.chunks_live),
        ("files_live", totals[3], counts.files_live),
    )
    drifts += [
        Drift(code, f"{counted} counted; the manifest says {said}.", REINDEX)
        for code, counted, said in expected
        if counted != said
    ]
    marker = view.marker()
    if marker is None:
        drifts.append(Drift("marker_missing", "The snapshot carries no completion marker.", REINDEX))
    elif (marker["indexedFiles"], marker["totalChunks"]) != (counts.files_live, counts.chunks_live):
        drifts.append(Drift("marker_count", "The completion marker and the manifest count differently.", REINDEX))
    if tombstone_total(manifest.tombstones) != sum(1 for _ in view.upkeep.tombstones()):
        drifts.append(Drift("tombstone_count", "The tombstone files hold another number of lines.", REINDEX))
    if view.history is None and view.history_lost:
        drifts.append(Drift("history", view.history_lost, REPAIR))
    return drifts
