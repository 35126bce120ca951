"""Whether an index was completed: the one judgement of its marker that every surface goes by.

A store that is there proves nothing; a marker document that names this root, these settings and the
active snapshot does. A marker that could not be looked for is neither proof nor the lack of one.
"""

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from cairn.base.errors import CairnError, NotIndexedError
from cairn.base.values import dataclass
from cairn.store import MARKER_KIND

Marker = Mapping[str, Any]
Probe = Callable[[], Marker | None]
"""Looks for the marker of the active snapshot: None when there is none; raises when it could not look."""


class ProofOutcome(StrEnum):
    """What a look at the marker of a snapshot came to."""

    VALID = "valid"
    STALE_LOCAL = "stale_local"
    FINGERPRINT_MISMATCH = "fingerprint_mismatch"
    PROBE_FAILED = "probe_failed"


class ProofReason(StrEnum):
    """Why a marker proves nothing."""

    MISSING_MARKER_DOC = "missing_marker_doc"
    INVALID_MARKER_KIND = "invalid_marker_kind"
    PATH_MISMATCH = "path_mismatch"
    INVALID_PAYLOAD = "invalid_payload"
    FINGERPRINT_MISMATCH = "fingerprint_mismatch"
    PROBE_FAILED = "probe_failed"


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a store holds a complete index of a codebase, and of which run."""

    outcome: ProofOutcome
    reason: ProofReason | None = None
    detail: str = ""
    """Why a probe failed."""
    run_id: str = ""
    snapshot_id: str = ""
    files: int = 0
    chunks: int = 0

    @property
    def is_valid(self) -> bool:
        """Whether the index is proven to be complete."""
        return self.outcome is ProofOutcome.VALID

    @property
    def marker_present(self) -> bool | None:
        """Whether a marker was found; None where it could not be looked for."""
        if self.outcome is ProofOutcome.PROBE_FAILED:
            return None
        return self.reason is not ProofReason.MISSING_MARKER_DOC


def validate_completion_proof(root: str, fingerprint: str, probe: Probe) -> Proof:
    """Probe for a root's marker and judge it; a probe that fails is no judgement of the index."""
    try:
        marker = probe()
    except (CairnError, OSError, ValueError) as error:
        # A ValueError is an answer that can't be parsed.
        return unproven(error)
    return judge(marker, root, fingerprint)


def unproven(error: Exception) -> Proof:
    """What a probe that ended in an error says of an index."""
    if isinstance(error, NotIndexedError):
        # The place where a marker would be was looked at: there is no snapshot in it.
        return Proof(ProofOutcome.STALE_LOCAL, ProofReason.MISSING_MARKER_DOC)
    return Proof(ProofOutcome.PROBE_FAILED, ProofReason.PROBE_FAILED, str(error))


def judge(marker: object, root: str, fingerprint: str) -> Proof:
    """What a marker proves for a root under the settings of now."""
    if marker is None:
        return Proof(ProofOutcome.STALE_LOCAL, ProofReason.MISSING_MARKER_DOC)
    if not isinstance(marker, Mapping):
        return Proof(ProofOutcome.STALE_LOCAL, ProofReason.INVALID_PAYLOAD)
    if marker.get("kind") != MARKER_KIND:
        return Proof(ProofOutcome.STALE_LOCAL, ProofReason.INVALID_MARKER_KIND)
    path = marker.get("codebasePath")
    if isinstance(path, str) and canonical(path) != canonical(root):
        return Proof(ProofOutcome.STALE_LOCAL, ProofReason.PATH_MISMATCH)
    if not isinstance(path, str) or not _is_whole(marker):
        return Proof(ProofOutcome.STALE_LOCAL, ProofReason.INVALID_PAYLOAD)
    if marker["fingerprint"] != fingerprint:
        return Proof(ProofOutcome.FINGERPRINT_MISMATCH, ProofReason.FINGERPRINT_MISMATCH)
    return Proof(
        ProofOutcome.VALID,
        run_id=marker["runId"],
        snapshot_id=marker["snapshotId"],
        files=marker["indexedFiles"],
        chunks=marker["totalChunks"],
    )


def canonical(path: str) -> str:
    """One name for one folder, whoever wrote it down; what can't be the path of one stands for itself.

    A relative path is none: it would name whatever folder the process happens to be in.
    """
    try:
        return os.path.realpath(path) if os.path.isabs(path) else path
    except ValueError:
        return path


def _is_whole(marker: Marker) -> bool:
    texts = (marker.get(key) for key in ("fingerprint", "completedAt", "runId", "snapshotId"))
    counts = (marker.get(key) for key in ("indexedFiles", "totalChunks"))
    return all(isinstance(text, str) and text for text in texts) and all(
        type(count) is int and count >= 0 for count in counts
    )
