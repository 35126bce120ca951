"""The snapshots that a store keeps, for those who look at how an index changed over time."""

from typing import TYPE_CHECKING, Any, TypedDict

from cairn.questions.fields import filled
from cairn.questions.head import GitDocument

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase

SCHEMA_VERSION = 1


class _Segment(TypedDict):
    segment_id: str
    rows: int
    files: int
    size_bytes: int


class _Snapshot(TypedDict):
    snapshot_id: str
    parent_snapshot_id: str | None
    created_at: str
    cause: str
    files: int
    chunks: int
    tombstones: int
    segments: list[_Segment]
    git: GitDocument
    degraded: bool


class Snapshots(TypedDict):
    """The snapshots that a store keeps."""

    schema_version: int
    root: str
    active: str | None
    total: int
    snapshots: list[_Snapshot]


def snapshots_document(codebase: "Codebase", limit: int) -> Snapshots:
    """The newest `limit` of them, the newest first; the error of the gate that the codebase doesn't pass."""
    from cairn.codebase.inspection import kept_snapshots

    active, found = kept_snapshots(codebase)
    return {
        "schema_version": SCHEMA_VERSION,
        "root": codebase.root_path,
        "active": active,
        "total": len(found),
        "snapshots": [_snapshot(manifest) for manifest in found[:limit]],
    }


def _snapshot(manifest: Any) -> _Snapshot:
    return filled(
        _Snapshot,
        manifest,
        files=manifest.counts.files_live,
        chunks=manifest.counts.chunks_live,
        tombstones=sum(ref.count for ref in manifest.tombstones),
        segments=[filled(_Segment, ref, size_bytes=ref.digest.size_bytes) for ref in manifest.segments],
        git={"head": manifest.git.head_sha, "dirty": manifest.git.dirty},
    )
