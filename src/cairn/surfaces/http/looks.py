"""What only a page asks for: all codebases at a glance, snapshots over time, saved reads."""

import os
import time
from typing import TypedDict

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.steps import worded_hint
from cairn.base.values import replace
from cairn.config.user import cairn_home
from cairn.daemon.syncs import DaemonState
from cairn.lifecycle.gates import as_seen
from cairn.lifecycle.tracked import Failure, Tracked
from cairn.questions.fields import filled, plain
from cairn.questions.report_documents import SavedReads
from cairn.questions.snapshots import Snapshots, snapshots_document
from cairn.readcache.log import ReadLog, savings_of
from cairn.surfaces.http.answers import request

SCHEMA_VERSION = 1


class _Codebase(TypedDict):
    root: str
    state: str
    snapshot_id: str | None
    files: int
    chunks: int
    updated_at: str
    progress_pct: float | None
    phase: str | None
    last_error: Failure | None
    present: bool
    syncing: bool
    watched: bool


class _Codebases(TypedDict):
    schema_version: int
    codebases: list[_Codebase]


class _SavedReads(SavedReads):
    root: str


class _Reads(TypedDict):
    schema_version: int
    codebases: list[_SavedReads]


def codebases(house: DaemonState, watched: frozenset[str]) -> _Codebases:
    """All codebases of the registry and their states, as JSON."""
    now, syncing, failed = time.time(), house.syncs.running(), house.syncs.failures()
    rows = [seen for row in house.registry.all() if (seen := as_seen(row, now)) is not None]
    return {
        "schema_version": SCHEMA_VERSION,
        "codebases": [
            _codebase(row, row.failure or failed.get(row.root), row.root in syncing, row.root in watched)
            for row in rows
        ],
    }


def _codebase(row: Tracked, failure: Failure | None, syncing: bool, watched: bool) -> _Codebase:
    """`failure`: why the last run came to nothing, or the last sync: the last good snapshot answers all the same."""
    return filled(
        _Codebase,
        row,
        state=row.state.value,
        snapshot_id=row.snapshot_id or None,
        progress_pct=row.progress,
        last_error=failure and plain(replace(failure, hint=worded_hint(failure.hint, request))),
        present=os.path.isdir(row.root),
        syncing=syncing,
        watched=watched,
    )


def snapshots(house: DaemonState, root: str, limit: int) -> Snapshots:
    """Snapshots that are kept, the newest first."""
    with house.pool.using(root) as codebase:
        return snapshots_document(codebase, limit)


def reads(house: DaemonState, root: str | None) -> _Reads:
    """What cached reads have saved, by codebase."""
    known = [row.root for row in house.registry.all()]
    if root is not None and os.path.realpath(root) not in known:
        raise NotIndexedError(f"{root} is not indexed.")
    log = ReadLog(cairn_home())
    wanted = known if root is None else [os.path.realpath(root)]
    return {
        "schema_version": SCHEMA_VERSION,
        "codebases": [filled(_SavedReads, savings_of(log, each), root=each) for each in wanted],
    }


def require_absolute(root: str) -> str:
    """A root as it is; UsageError where it is no absolute path."""
    if not os.path.isabs(root):
        raise UsageError(f"The root {root[:200]!r} is not absolute.", hint="Name a codebase by its whole path.")
    return root
