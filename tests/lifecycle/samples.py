"""Codebases, proofs and processes for the tests of the lifecycle."""

import sys
from typing import Any

from cairn.base.owner import Owner, this_process
from cairn.base.values import replace
from cairn.lifecycle.proof import Proof, ProofOutcome, ProofReason
from cairn.lifecycle.states import State
from cairn.lifecycle.tracked import Failure, Tracked
from cairn.store import MARKER_KIND
from cairn.store.identity import Identity
from cairn.workspace.root import store_id

ROOT = "/src/project"
NOW_SETTINGS = "settings-now"
OTHER_SETTINGS = "settings-other"
PARTS = {"embeddingModel": "static", "embeddingDimension": "128"}
FAILURE = Failure("storage_failed", "The disk is full.", "Free some space.")

VALID = Proof(ProofOutcome.VALID, run_id="run-1", snapshot_id="snapshot-1", files=3, chunks=7)
MISSING = Proof(ProofOutcome.STALE_LOCAL, ProofReason.MISSING_MARKER_DOC)
MISMATCH = Proof(ProofOutcome.FINGERPRINT_MISMATCH, ProofReason.FINGERPRINT_MISMATCH)
PROBE_FAILED = Proof(ProofOutcome.PROBE_FAILED, ProofReason.PROBE_FAILED, "the backend is away")


def identity(root: str = ROOT, fingerprint: str = NOW_SETTINGS) -> Identity:
    return Identity(root, store_id(root, fingerprint), fingerprint, "flat", 128)


def tracked(state: State, **values: Any) -> Tracked:
    row = Tracked(ROOT, state, "store", NOW_SETTINGS, PARTS, updated_at="2026-01-01T00:00:00Z")
    return replace(row, **values)


def marker(**changes: object) -> dict[str, object]:
    """A marker that proves ROOT under NOW_SETTINGS, but for the changes."""
    whole: dict[str, object] = {
        "kind": MARKER_KIND,
        "codebasePath": ROOT,
        "fingerprint": NOW_SETTINGS,
        "indexedFiles": 3,
        "totalChunks": 7,
        "completedAt": "2026-01-01T00:00:00Z",
        "runId": "run-1",
        "snapshotId": "snapshot-1",
    }
    return {key: value for key, value in (whole | changes).items() if value is not ...}


def dead_owner() -> Owner:
    """A process that ended: this one's place in time is taken by nobody who started so long ago."""
    return replace(this_process(), started="1")


def foreign_owner() -> Owner:
    """A process of another machine, of which nothing can be proven."""
    return replace(this_process(), boot_id="another machine's")


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *arguments)
