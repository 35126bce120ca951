"""`registry.db`: which codebases are tracked, and what state each is in.

Many processes share it. Every change is one transaction over one row that reads the row before it
writes, so nobody overwrites what another wrote, and only the allowed transitions can be written.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import Any

from cairn.base.durable import make_private_folders
from cairn.base.errors import NotReadyError, RegistryDamagedError, TransitionError
from cairn.base.owner import Owner, this_process
from cairn.base.ownfile import open_own
from cairn.base.values import replace
from cairn.lifecycle.gates import as_seen
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.states import State, require_allowed
from cairn.lifecycle.tracked import DEAD, Failure, Tracked, as_row, from_row, is_dead
from cairn.store.database import Database
from cairn.store.identity import Identity
from cairn.store.state import now_text
from cairn.workspace.reads import Stamp
from cairn.workspace.stamps import trusted

REGISTRY_NAME = "registry.db"
RETRY_AFTER_MS = 2_000
_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tracked (
    root BLOB PRIMARY KEY, state TEXT NOT NULL, store_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
    parts TEXT NOT NULL, run_id TEXT NOT NULL, owner TEXT NOT NULL, heartbeat REAL NOT NULL,
    progress REAL, phase TEXT, updated_at TEXT NOT NULL, snapshot_id TEXT NOT NULL,
    files INTEGER NOT NULL, chunks INTEGER NOT NULL, failure TEXT NOT NULL
) WITHOUT ROWID
"""


class Registry:
    """The tracked codebases of one home; each call opens the file anew, so that threads and forks share nothing."""

    def __init__(self, home: str, *, clock: Callable[[], float] = time.time) -> None:
        self.path = os.path.join(home, REGISTRY_NAME)
        self._home = home
        self._clock = clock
        self._file = Database(
            self.path, "The registry", _SCHEMA_VERSION, (_SCHEMA,), self._make, RegistryDamagedError, mends=False
        )
        self._known: tuple[tuple[str, Stamp], Tracked | None] | None = None

    def exists(self) -> bool:
        """Whether anything was ever tracked here."""
        return self._file.exists()

    def get(self, root: str) -> Tracked | None:
        """The row of a codebase; None for one that isn't tracked. The last one stands while the file's stamp does."""
        stamp, known = self._stamp(), self._known
        if known is not None and known[0] == (root, stamp):
            return known[1]
        with self._file.reading() as connection:
            row = _get(connection, root) if connection is not None else None
        # What was written after the stamp was taken has given the file another one.
        self._known = None if stamp is None else ((root, stamp), row)
        return row

    def seen(self, root: str) -> Tracked | None:
        """The row of a codebase as it is to be understood now."""
        return as_seen(self.get(root), self._clock())

    def all(self) -> tuple[Tracked, ...]:
        """Every tracked codebase, in the order of roots."""
        with self._file.reading() as connection:
            return _all(connection) if connection is not None else ()

    def roots(self) -> tuple[str, ...]:
        """The roots of all tracked codebases; none where the registry is damaged, since stores prove themselves."""
        try:
            return tuple(row.root for row in self.all())
        except RegistryDamagedError:
            return ()

    def begin(
        self, identity: Identity, run_id: str, parts: Mapping[str, str], *, owner: Owner | None = None
    ) -> Tracked:
        """Enter `indexing` under these settings; NotReadyError while another run lives."""
        with self._file.writing() as connection:
            row = _get(connection, identity.canonical_root)
            if row is not None and row.state is State.INDEXING:
                if not is_dead(row, self._clock()):
                    raise under_way(row)
                row = self._move(row, State.INDEXFAILED, failure=DEAD)
            same_store = row is not None and row.store_id == identity.store_id
            before = row or Tracked(identity.canonical_root, State.NOT_FOUND)
            after = self._move(
                before,
                State.INDEXING,
                store_id=identity.store_id,
                fingerprint=identity.config_fingerprint,
                parts=dict(parts),
                run_id=run_id,
                owner=owner or this_process(),
                progress=0.0,
                phase="starting",
                failure=None,
                # What was published under other settings is no last good snapshot of these.
                **({} if same_store else {"snapshot_id": "", "files": 0, "chunks": 0}),
            )
            _put(connection, after)
            return after

    def beat(self, root: str, run_id: str, progress: float | None, phase: str) -> bool:
        """Say that a run lives and how far it is; False when the row is no longer this run's."""
        with self._file.writing() as connection:
            row = _run(connection, root, run_id)
            if row is None:
                return False
            _put(connection, self._touched(row, progress=progress, phase=phase))
            return True

    def complete(self, root: str, run_id: str, proof: Proof) -> bool:
        """`indexing -> indexed`, on a valid proof alone; False when the row is no longer this run's."""
        if not proof.is_valid:
            raise TransitionError(f"{root} has no valid completion proof: {proof.reason}.")
        with self._file.writing() as connection:
            row = _run(connection, root, run_id)
            if row is None:
                return False
            _put(connection, self._move(row, State.INDEXED, **_proven(proof)))
            return True

    def fail(self, root: str, run_id: str, failure: Failure) -> bool:
        """End a run as failed; False where the run is no longer the codebase's own."""
        with self._file.writing() as connection:
            row = _run(connection, root, run_id)
            if row is None:
                return False
            _put(connection, self._move(row, State.INDEXFAILED, failure=failure, progress=None, phase=None, owner=None))
            return True

    def synced(self, root: str, store_id: str, proof: Proof) -> bool:
        """Note a sync that published; False where the codebase is in no state to be synced, or of another store."""
        if not proof.is_valid:
            raise TransitionError(f"{root} has no valid completion proof: {proof.reason}.")
        with self._file.writing() as connection:
            row = _get(connection, root)
            if row is None or row.store_id != store_id or row.state not in (State.INDEXED, State.SYNC_COMPLETED):
                return False
            _put(connection, self._move(row, State.SYNC_COMPLETED, **_proven(proof)))
            return True

    def adopt(self, identity: Identity, parts: Mapping[str, str], proof: Proof) -> bool:
        """Track a codebase whose store proves that it is indexed; False where it is tracked already."""
        if not proof.is_valid:
            raise TransitionError(f"{identity.canonical_root} has no valid completion proof: {proof.reason}.")
        with self._file.writing() as connection:
            if _get(connection, identity.canonical_root) is not None:
                return False
            found = Tracked(identity.canonical_root, State.NOT_FOUND)
            found = self._move(
                found,
                State.INDEXING,
                store_id=identity.store_id,
                fingerprint=identity.config_fingerprint,
                parts=dict(parts),
                run_id=proof.run_id,
            )
            _put(connection, self._move(found, State.INDEXED, **_proven(proof)))
            return True

    def moved(self, identity: Identity, parts: Mapping[str, str], proof: Proof) -> Tracked:
        """Have a codebase answer from another store, which proves that it holds the index; NotReadyError during a run.

        One step: before it the former store answers, and after it the new one.
        """
        if not proof.is_valid:
            raise TransitionError(f"{identity.canonical_root} has no valid completion proof: {proof.reason}.")
        with self._file.writing() as connection:
            row = _get(connection, identity.canonical_root) or Tracked(identity.canonical_root, State.NOT_FOUND)
            if row.state is State.INDEXING:
                if not is_dead(row, self._clock()):
                    raise under_way(row)
                row = self._move(row, State.INDEXFAILED, failure=DEAD)
            begun = self._move(
                row,
                State.INDEXING,
                store_id=identity.store_id,
                fingerprint=identity.config_fingerprint,
                parts=dict(parts),
                run_id=proof.run_id,
            )
            after = self._move(begun, State.INDEXED, **_proven(proof))
            _put(connection, after)
            return after

    def forget(self, root: str, *, run_id: str | None = None) -> bool:
        """Track a codebase no longer; False when it wasn't. A run that lives is not forgotten.

        With `run_id`, only as that run left it: who judged a row may find another in its place.
        """
        with self._file.writing() as connection:
            row = _get(connection, root)
            if row is None or run_id not in (None, row.run_id):
                return False
            if row.state is State.INDEXING:
                if not is_dead(row, self._clock()):
                    raise under_way(row)
                row = self._move(row, State.INDEXFAILED, failure=DEAD)
            require_allowed(row.state, State.NOT_FOUND)
            connection.execute("DELETE FROM tracked WHERE root = ?", (os.fsencode(root),))
            return True

    def fault(self) -> str:
        """What is wrong with the file, looked at whole; empty where it is sound or there is none."""
        return self._file.fault(_all)

    def set_aside(self) -> str | None:
        """Move a damaged file out of the way; its new name, None when it is sound after all or another was faster."""
        if self.fault():
            return self._file.set_aside() or None
        # One of a newer version is refused.
        self.all()
        return None

    def _move(self, row: Tracked, to: State, **values: Any) -> Tracked:
        require_allowed(row.state, to)
        return self._touched(row, state=to, **values)

    def _touched(self, row: Tracked, **values: Any) -> Tracked:
        return replace(row, updated_at=now_text(), heartbeat=self._clock(), **values)

    def _stamp(self) -> Stamp | None:
        """The stamp of the file; None while it proves nothing."""
        try:
            found = os.lstat(self.path)
        except OSError:
            return None
        return trusted((found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino), time.time_ns())

    def _make(self) -> None:
        make_private_folders(self._home)
        os.close(open_own(self.path, os.O_CREAT | os.O_RDWR))


def _all(connection: sqlite3.Connection) -> tuple[Tracked, ...]:
    return tuple(from_row(row) for row in connection.execute("SELECT * FROM tracked ORDER BY root"))


def _get(connection: sqlite3.Connection, root: str) -> Tracked | None:
    row = connection.execute("SELECT * FROM tracked WHERE root = ?", (os.fsencode(root),)).fetchone()
    return from_row(row) if row is not None else None


def _run(connection: sqlite3.Connection, root: str, run_id: str) -> Tracked | None:
    """The row while a run owns it."""
    row = _get(connection, root)
    return row if row is not None and row.state is State.INDEXING and row.run_id == run_id else None


def _put(connection: sqlite3.Connection, tracked: Tracked) -> None:
    values = as_row(tracked)
    marks = ", ".join("?" for _ in values)
    connection.execute(f"INSERT OR REPLACE INTO tracked VALUES ({marks})", values)  # noqa: S608


def under_way(row: Tracked) -> NotReadyError:
    """The error for a codebase that another process is indexing."""
    who = f" by process {row.owner.pid}" if row.owner is not None else ""
    return NotReadyError(f"{row.root} is being indexed{who}.", retry_after_ms=RETRY_AFTER_MS)


def _proven(proof: Proof) -> dict[str, Any]:
    return {
        "snapshot_id": proof.snapshot_id,
        "files": proof.files,
        "chunks": proof.chunks,
        "progress": None,
        "phase": None,
        "owner": None,
        "failure": None,
    }
