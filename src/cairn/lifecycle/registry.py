"""`registry.db`: which codebases are tracked, and what state each is in.

Many processes share it. Every change is one transaction over one row that reads the row before it
writes, so nobody overwrites what another wrote, and only the allowed transitions can be written.
The rollback journal is on purpose: with a write-ahead log a mere reader would write files.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cairn.durable import make_private_folders
from cairn.errors import (
    BusyError,
    IncompatibleError,
    NotReadyError,
    RegistryDamagedError,
    StorageError,
    TransitionError,
)
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.states import State, require_allowed
from cairn.lifecycle.tracked import DEAD, Failure, Tracked, as_row, from_row, is_dead
from cairn.store.identity import Identity
from cairn.store.owner import Owner, this_process
from cairn.store.state import now_text
from cairn.values import replace

REGISTRY_NAME = "registry.db"
RETRY_AFTER_MS = 2_000
_SCHEMA_VERSION = 1
_BUSY_TIMEOUT_S = 10.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
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

    def exists(self) -> bool:
        """Whether there is one; a file that its maker left empty is none."""
        try:
            return os.stat(self.path).st_size > 0
        except (FileNotFoundError, NotADirectoryError):
            return False

    def get(self, root: str) -> Tracked | None:
        with self._reading() as connection:
            return _get(connection, root) if connection is not None else None

    def all(self) -> tuple[Tracked, ...]:
        """Every tracked codebase, in the order of roots."""
        with self._reading() as connection:
            if connection is None:
                return ()
            return tuple(from_row(row) for row in connection.execute("SELECT * FROM tracked ORDER BY root"))

    def begin(
        self, identity: Identity, run_id: str, parts: Mapping[str, str], *, owner: Owner | None = None
    ) -> Tracked:
        """Enter `indexing` under these settings; NotReadyError while another run lives."""
        with self._writing() as connection:
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
        with self._writing() as connection:
            row = _run(connection, root, run_id)
            if row is None:
                return False
            _put(connection, self._touched(row, progress=progress, phase=phase))
            return True

    def complete(self, root: str, run_id: str, proof: Proof) -> bool:
        """`indexing -> indexed`, on a valid proof alone; False when the row is no longer this run's."""
        if not proof.is_valid:
            raise TransitionError(f"{root} has no valid completion proof: {proof.reason}.")
        with self._writing() as connection:
            row = _run(connection, root, run_id)
            if row is None:
                return False
            _put(connection, self._move(row, State.INDEXED, **_proven(proof)))
            return True

    def fail(self, root: str, run_id: str, failure: Failure) -> bool:
        with self._writing() as connection:
            row = _run(connection, root, run_id)
            if row is None:
                return False
            _put(connection, self._move(row, State.INDEXFAILED, failure=failure, progress=None, phase=None, owner=None))
            return True

    def synced(self, root: str, store_id: str, proof: Proof) -> bool:
        """Note a sync that published; False where the codebase is in no state to be synced, or of another store."""
        if not proof.is_valid:
            raise TransitionError(f"{root} has no valid completion proof: {proof.reason}.")
        with self._writing() as connection:
            row = _get(connection, root)
            if row is None or row.store_id != store_id or row.state not in (State.INDEXED, State.SYNC_COMPLETED):
                return False
            _put(connection, self._move(row, State.SYNC_COMPLETED, **_proven(proof)))
            return True

    def adopt(self, identity: Identity, parts: Mapping[str, str], proof: Proof) -> bool:
        """Track a codebase whose store proves that it is indexed; False where it is tracked already."""
        if not proof.is_valid:
            raise TransitionError(f"{identity.canonical_root} has no valid completion proof: {proof.reason}.")
        with self._writing() as connection:
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

    def forget(self, root: str, *, run_id: str | None = None) -> bool:
        """Track a codebase no longer; False when it wasn't. A run that lives is not forgotten.

        With `run_id`, only as that run left it: who judged a row may find another in its place.
        """
        with self._writing() as connection:
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

    def set_aside(self) -> str | None:
        """Move a damaged file out of the way; its new name, None when it is sound after all or another was faster."""
        try:
            self.all()
        except RegistryDamagedError:
            aside = f"{self.path}.damaged-{int(self._clock() * 1000)}"
            with contextlib.suppress(FileNotFoundError):
                os.rename(self.path, aside)
                # Its journal belongs to it: beside a new file it would be played into that.
                with contextlib.suppress(FileNotFoundError):
                    os.rename(f"{self.path}-journal", f"{aside}-journal")
                return aside
        return None

    def _move(self, row: Tracked, to: State, **values: Any) -> Tracked:
        require_allowed(row.state, to)
        return self._touched(row, state=to, **values)

    def _touched(self, row: Tracked, **values: Any) -> Tracked:
        return replace(row, updated_at=now_text(), heartbeat=self._clock(), **values)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        if not self.exists():
            yield None
            return
        with self._opened(self._readable_as()) as connection:
            # A process that died between making the file and its tables leaves one that tracks nothing.
            yield connection if _require_readable(connection) else None

    def _readable_as(self) -> str:
        """Read-only, unless a writer died amid its transaction: SQLite has to take that back before anybody can read.

        What was committed is what is read then, so nothing of anybody's is changed by it.
        """
        if os.path.exists(f"{self.path}-journal"):
            try:
                with self._opened("ro") as connection:
                    connection.execute("PRAGMA schema_version").fetchone()
            except StorageError:
                return "rw"
        return "ro"

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        make_private_folders(self._home)
        if not self.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        with self._opened("rw") as connection:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                _prepare(connection)
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextlib.contextmanager
    def _opened(self, mode: str) -> Iterator[sqlite3.Connection]:
        try:
            uri = f"file:{_quoted(self.path)}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_TIMEOUT_S)
            with contextlib.closing(connection):
                connection.row_factory = sqlite3.Row
                yield connection
        except sqlite3.Error as error:
            raise _told(error, self.path) from error
        except (ValueError, IndexError, KeyError, TypeError) as error:
            raise RegistryDamagedError(f"{self.path} holds what Cairn did not write: {error}.") from error


def _prepare(connection: sqlite3.Connection) -> None:
    if not _require_readable(connection):
        connection.execute(_SCHEMA)
        connection.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")


def _require_readable(connection: sqlite3.Connection) -> bool:
    """Whether the file has our tables; IncompatibleError for those of a newer version."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > _SCHEMA_VERSION:
        raise IncompatibleError(
            f"The registry is of version {version}; this Cairn reads up to {_SCHEMA_VERSION}.",
            hint="Use the version of Cairn that wrote it.",
        )
    return bool(version)


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


def _told(error: sqlite3.Error, path: str) -> Exception:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGED:
        return RegistryDamagedError(f"{path} is damaged: {error}.")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(f"{path} is held by another process.")
    if code == sqlite3.SQLITE_CANTOPEN:
        # SQLite doesn't say why; the system does.
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError as refused:
            return StorageError(f"{path} can't be opened: {refused.strerror}.")
    return StorageError(f"{path} can't be used: {error}.")


def _quoted(path: str) -> str:
    """A path inside a URI: these three characters alone mean something there."""
    return path.translate({ord(sign): f"%{ord(sign):02x}" for sign in "%?#"})
