"""What every answer says of itself, around the one body of its question."""

from collections.abc import Sequence
from typing import Any

from cairn.questions.question import Document
from cairn.store.versions import writable


def envelope(answer: Any, notes: Sequence[str], body: Document) -> Document:
    """The answer of one codebase: what it rests on, and then what it says."""
    manifest = answer.manifest
    found: Document = {
        "schema_version": writable("search_json"),
        "request_id": answer.request_id,
        "root": manifest.canonical_root,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "git": git_document(manifest),
        "degraded": manifest.degraded,
        "freshness": dict(answer.freshness),
        "warnings": [*notes, *answer.warnings],
        "limits_hit": list(answer.limits_hit),
        "timings_ms": dict(answer.timings_ms),
    }
    return found | body


def envelope_of_several(answer: Any, notes: Sequence[str], body: Document) -> Document:
    """The answer of several codebases: what one says at the top, `codebases` says of each."""
    found: Document = {
        "schema_version": writable("search_json"),
        "warnings": [*notes, *answer.warnings],
        "limits_hit": list(answer.limits_hit),
    }
    return found | body


def git_document(manifest: Any) -> Document:
    """The state of git that a snapshot was made from."""
    git = manifest.git
    return {"head": git.head_sha, "dirty": git.dirty, "untracked_included": git.untracked_included}
