"""`index_state.json`: a summary for people and tools; everything in it can be had from the manifests."""

import json
from datetime import UTC, datetime
from typing import Any

from cairn.store.layout import Layout
from cairn.store.manifest import Manifest
from cairn.store.versions import require_readable, writable


def state_of(manifest: Manifest, result: str = "ok") -> dict[str, Any]:
    """The summary of a snapshot."""
    return {
        "schema_version": writable("index_state"),
        "store_id": manifest.store_id,
        "canonical_root": manifest.canonical_root,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "active_snapshot_id": manifest.snapshot_id,
        "git": {
            "last_head_sha": manifest.git.head_sha,
            "dirty": manifest.git.dirty,
            "untracked_included": manifest.git.untracked_included,
        },
        "last_sync_at": manifest.created_at,
        "last_result": result,
    }


def write_state(layout: Layout, manifest: Manifest) -> None:
    """Write the summary of the active snapshot."""
    layout.write_file(layout.index_state, (json.dumps(state_of(manifest), indent=1) + "\n").encode())


def read_state(layout: Layout) -> dict[str, Any] | None:
    """The summary as written; None when it is missing or damaged, which loses nothing."""
    try:
        found = json.loads(layout.read_file(layout.index_state))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    require_readable("index_state", found.get("schema_version"))
    return found


def now_text() -> str:
    """The time of now, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
