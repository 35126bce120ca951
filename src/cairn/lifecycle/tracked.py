"""One tracked codebase, as the registry holds it."""

import json
import os
import sqlite3
from collections.abc import Mapping
from typing import Any

from cairn.base.owner import Owner, is_proven_alive, is_proven_dead, owner_from
from cairn.base.steps import Advice, NextStep, hint_document, hint_from
from cairn.base.values import dataclass, field
from cairn.lifecycle.states import SEARCHABLE, State

HEARTBEAT_S = 2.0
SILENCE_S = 120.0
"""After that much silence an indexer that can't be asked counts as dead."""
STUCK_S = 600.0
"""One that lives and says nothing for so long hangs or was stopped: its lease has long run out."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run ended without an index, and what to do."""

    code: str
    message: str
    hint: str


DEAD = Failure(
    "indexer_died",
    "The process that was indexing ended before it was done.",
    Advice(NextStep("index"), " again: what it had embedded is kept."),
)


@dataclass(frozen=True, slots=True)
class Tracked:
    """One codebase as the registry knows it."""

    root: str
    state: State
    store_id: str = ""
    fingerprint: str = ""
    """The index settings under which it was created: others need a reindex."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """What the fingerprint is made of, for people."""
    run_id: str = ""
    owner: Owner | None = None
    heartbeat: float = 0.0
    progress: float | None = None
    phase: str | None = None
    updated_at: str = ""
    snapshot_id: str = ""
    """The last snapshot that was proven under these settings; empty when there is none."""
    files: int = 0
    chunks: int = 0
    failure: Failure | None = None

    @property
    def is_searchable(self) -> bool:
        """Whether there is something to read by all that is known here; a failed run leaves the last good snapshot."""
        return self.state in SEARCHABLE or (self.state is State.INDEXFAILED and bool(self.snapshot_id))


def is_dead(tracked: Tracked, now: float) -> bool:
    """Whether an indexer is gone: proven where that can be, by its silence where not."""
    if tracked.owner is not None and is_proven_dead(tracked.owner):
        return True
    return now - tracked.heartbeat > (STUCK_S if is_proven_alive(tracked.owner) else SILENCE_S)


def from_row(row: sqlite3.Row) -> Tracked:
    """A codebase as its row in the database tells it."""
    owner, failure = json.loads(row["owner"]), json.loads(row["failure"])
    return Tracked(
        root=os.fsdecode(row["root"]),
        state=State(row["state"]),
        store_id=row["store_id"],
        fingerprint=row["fingerprint"],
        parts=json.loads(row["parts"]),
        run_id=row["run_id"],
        owner=owner_from(owner) if owner is not None else None,
        heartbeat=float(row["heartbeat"]),
        progress=row["progress"],
        phase=row["phase"],
        updated_at=row["updated_at"],
        snapshot_id=row["snapshot_id"],
        files=int(row["files"]),
        chunks=int(row["chunks"]),
        failure=Failure(failure["code"], failure["message"], hint_from(failure["hint"]))
        if failure is not None
        else None,
    )


def as_row(tracked: Tracked) -> tuple[Any, ...]:
    """In the order of the columns."""
    failure = tracked.failure
    said = (
        {"code": failure.code, "message": failure.message, "hint": hint_document(failure.hint)}
        if failure is not None
        else None
    )
    return (
        # Names are bytes on disk, and not all of them are text.
        os.fsencode(tracked.root),
        tracked.state.value,
        tracked.store_id,
        tracked.fingerprint,
        json.dumps(dict(tracked.parts), sort_keys=True),
        tracked.run_id,
        json.dumps(tracked.owner.document() if tracked.owner is not None else None),
        tracked.heartbeat,
        tracked.progress,
        tracked.phase,
        tracked.updated_at,
        tracked.snapshot_id,
        tracked.files,
        tracked.chunks,
        json.dumps(said),
    )
