"""The snapshots that a store keeps, for those who look at how an index changed over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.store import Manifest

SCHEMA_VERSION = 1
Document = dict[str, Any]


def snapshots_document(codebase: Codebase, limit: int) -> Document:
    """The newest `limit` of them, the newest first; the error of the gate that the codebase doesn't pass."""
    from cairn.store.readers import reading
    from cairn.store.recovery import newest_first, read_pointer

    codebase.require_readable()
    layout = codebase.store().layout
    with reading(layout):
        active = read_pointer(layout)
        found = list(newest_first(layout))
    return {
        "schema_version": SCHEMA_VERSION,
        "root": codebase.root_path,
        "active": active,
        "total": len(found),
        "snapshots": [_snapshot(manifest) for manifest in found[:limit]],
    }


def _snapshot(manifest: Manifest) -> Document:
    return {
        "snapshot_id": manifest.snapshot_id,
        "parent_snapshot_id": manifest.parent_snapshot_id,
        "created_at": manifest.created_at,
        "cause": manifest.cause,
        "files": manifest.counts.files_live,
        "chunks": manifest.counts.chunks_live,
        "tombstones": sum(ref.count for ref in manifest.tombstones),
        "segments": [
            {"segment_id": ref.segment_id, "rows": ref.rows, "files": ref.files, "size_bytes": ref.digest.size_bytes}
            for ref in manifest.segments
        ],
        "git": {"head": manifest.git.head_sha, "dirty": manifest.git.dirty},
        "degraded": manifest.degraded,
    }
