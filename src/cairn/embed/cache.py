"""Vectors that were computed before: one bounded SQLite file per CAIRN_HOME.

Rows are keyed by (embed_config_fingerprint, chunk_hash), so the cache outlives stores, worktrees and
reindexing. A key is kept as a number of 64 bits, and a vector as halves (float16). It is only a cache: whatever is
wrong with the file costs time, never a wrong vector and never the index. Every row carries a checksum over its whole
key and its bytes; a damaged file is kept under another name and made anew; a file that is busy or can't be written is
left alone. Each such event is a warning that the caller can show.

Every process that has the file open holds a shared lock on `embeddings.db.lock`, and only one that
gets it exclusively sets the file aside: SQLite removes a write-ahead log by its name, so a file must not
be replaced under a process that still has the old one open.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import sqlite3
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np

from cairn.base.durable import make_private_folders
from cairn.base.errors import BusyError
from cairn.base.notes import Note
from cairn.base.ownfile import open_own
from cairn.embed.cachefile import CACHE_NAME, cache_fault, drop, is_damage, keep_aside, lay_out, open_lock, part_fault
from cairn.embed.sqlitefile import live_bytes, primary_code, transaction
from cairn.engines import Vectors

MAX_BYTES = 512 * 1024 * 1024
LIGHT_BYTES = 64 * 1024 * 1024
"""For a model that makes a vector in twice the time that a lookup takes: that of about 200,000 chunks."""
BUSY_TIMEOUT_S = 5.0

_KEPT_SHARE = 0.9
"""An eviction frees more than it must, so that the next write doesn't need another one."""
_TOUCH_AFTER_S = 3600
"""A use is written down once an hour at most: a cache that is read a lot is hardly written."""
_PENDING_TOUCHES = 10_000
_POLL_S = 0.01
_NUMBER = "<f2"
_NUMBER_BYTES = 2
_DAMAGE = Note("cache_damaged")
_SLICE = 500
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class EmbeddingCache:
    """The vectors of one embedder in the shared file. Safe for threads; each process opens its own."""

    def __init__(
        self,
        home: str,
        fingerprint: str,
        dimension: int,
        *,
        max_bytes: int = MAX_BYTES,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        clock: Callable[[], float] = time.time,
        pending_touches: int = _PENDING_TOUCHES,
    ) -> None:
        """`pending_touches`: how many uses may wait to be written down; a process that is killed loses them."""
        self._again = partial(
            EmbeddingCache,
            home,
            fingerprint,
            dimension,
            max_bytes=max_bytes,
            busy_timeout_s=busy_timeout_s,
            clock=clock,
            pending_touches=0,
        )
        self._pending_touches = pending_touches
        self._path = os.path.join(home, CACHE_NAME)
        self._fingerprint = fingerprint
        self._salt = hashlib.sha256(fingerprint.encode()).digest()
        self._dimension = dimension
        self._max_bytes = max_bytes
        self._busy_timeout_s = busy_timeout_s
        self._clock = clock
        self._guard = threading.RLock()
        self._lock_fd = -1
        self._connection: sqlite3.Connection | None = None
        self._touched: set[int] = set()
        self._spoilt: set[int] = set()
        self._notes: list[Note] = []
        self._resting = False
        with self._guard, self._harmless():
            self._open()
        _ALL.add(self)

    def __enter__(self) -> "EmbeddingCache":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reopened(self) -> "EmbeddingCache":
        """A cache of its own over the same file, for a forked child: it must not use its parent's connection."""
        return self._again()

    @property
    def is_open(self) -> bool:
        """Whether vectors are found and kept; otherwise every lookup misses."""
        return self._connection is not None or self._resting

    def hold(self) -> None:
        """Close the file, and let nobody open it again until it is released.

        SQLite remembers by process what it has locked: a child that opened a file which its parent
        had open at the fork would trust locks and memory that aren't its own.
        """
        self._guard.acquire()
        try:
            self._rest()
        except KeyboardInterrupt:
            self._rest()
            raise

    def release(self) -> None:
        """Open the file again after `hold`."""
        self._guard.release()

    def _rest(self) -> None:
        if self._connection is not None:
            with self._harmless():
                self._flush(self._connection)
            self._resting = self._connection is not None
            self._shut()

    def _wake(self) -> None:
        if self._resting:
            self._resting = False
            self._open()

    def get_many(self, hashes: Iterable[str]) -> dict[str, Vectors]:
        """The vectors that are known and sound, as they were put but for what halves don't hold."""
        wanted = list(dict.fromkeys(hashes))
        found: dict[str, Vectors] = {}
        with self._guard, self._harmless():
            self._wake()
            if self._connection is not None:
                for start in range(0, len(wanted), _SLICE):
                    found.update(self._read(self._connection, wanted[start : start + _SLICE]))
                if len(self._touched) + len(self._spoilt) > self._pending_touches:
                    self._flush(self._connection)
        return found

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors under their hashes, and make room where the bound is passed."""
        now = int(self._clock())
        size = _NUMBER_BYTES * self._dimension
        halves = b"".join(np.asarray(each, dtype=_NUMBER).tobytes() for each in vectors.values())
        blobs = (halves[at : at + size] for at in range(0, len(halves), size))
        rows = [
            (self._number(key), blob, self._checksum(key, blob), now) for key, blob in zip(vectors, blobs, strict=True)
        ]
        with self._guard, self._harmless():
            self._wake()
            if self._connection is None:
                return
            with transaction(self._connection):
                self._flush_within(self._connection)
                self._connection.executemany(
                    "INSERT OR REPLACE INTO vectors(key, vector, checksum, used) VALUES (?, ?, ?, ?)", rows
                )
            self._evict(self._connection)

    def take_notes(self) -> tuple[Note, ...]:
        """What went wrong since the last call, each thing once."""
        with self._guard:
            taken = tuple(self._notes)
            self._notes.clear()
        return taken

    def close(self) -> None:
        """Write down the uses that wait, and close the file: also for killed workers, whose log SQLite else keeps."""
        with self._guard:
            with self._harmless():
                if os.path.exists(f"{self._path}-wal"):
                    self._wake()
            self._rest()
            self._resting = False
            self._shut()

    def _open(self) -> None:
        make_private_folders(os.path.dirname(self._path))
        self._lock_fd = open_lock(self._path)
        deadline = time.monotonic() + self._busy_timeout_s
        while not self._share() or not self._connect():
            if time.monotonic() > deadline:
                raise BlockingIOError(errno.EAGAIN, "it is locked by another process")
            time.sleep(_POLL_S)

    def _share(self) -> bool:
        """Take the shared lock; another process has it exclusively only while it sets a file aside."""
        try:
            fcntl.flock(self._lock_fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _connect(self) -> bool:
        """Open the file; False while others open it, because SQLite doesn't wait when it first turns the log on."""
        if part_fault(self._path):
            raise _DamagedError
        # Made here, because SQLite would take the process's umask; its other files follow this one.
        os.close(open_own(self._path, os.O_RDWR | os.O_CREAT))
        connection = sqlite3.connect(
            self._path, timeout=self._busy_timeout_s, isolation_level=None, check_same_thread=False
        )
        try:
            if not lay_out(connection):
                raise _ForeignError
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.Error) and primary_code(error) in _BUSY:
                return False
            raise
        self._connection = connection
        return True

    def _read(self, connection: sqlite3.Connection, hashes: list[str]) -> Iterator[tuple[str, Vectors]]:
        keys = {self._number(key): key for key in hashes}
        rows = connection.execute(
            f"SELECT id, key, vector, checksum, used FROM vectors WHERE key IN ({','.join('?' * len(keys))})",  # noqa: S608
            [*keys],
        ).fetchall()
        stale = self._clock() - _TOUCH_AFTER_S
        for number, found, blob, checksum, used in rows:
            key = keys.get(found, "")  # a damaged file may give what wasn't asked for
            vector = self._checked(key, blob, checksum) if key else None
            if vector is None:
                self._spoilt.add(number)
                self._warn(Note("cache_row_damaged"))
            else:
                if not isinstance(used, int) or used < stale:
                    self._touched.add(number)
                yield key, vector

    def _checked(self, key: str, blob: object, checksum: object) -> Vectors | None:
        size = _NUMBER_BYTES * self._dimension
        if not isinstance(blob, bytes) or len(blob) != size or checksum != self._checksum(key, blob):
            return None
        vector = np.frombuffer(blob, dtype=_NUMBER).astype(np.float32)
        return vector if bool(np.isfinite(vector).all()) else None

    def _number(self, key: str) -> int:
        """What a key is found by."""
        digest = hashlib.blake2b(key.encode(), digest_size=8, key=self._salt).digest()
        return int.from_bytes(digest, "little", signed=True)

    def _checksum(self, key: str, blob: bytes) -> int:
        """Over the key too: a sound vector under the wrong key would be a wrong answer."""
        return zlib.crc32(blob, zlib.crc32(f"{self._fingerprint}\0{key}\0".encode()))

    def _flush(self, connection: sqlite3.Connection) -> None:
        if self._touched or self._spoilt:
            with transaction(connection):
                self._flush_within(connection)

    def _flush_within(self, connection: sqlite3.Connection) -> None:
        now = int(self._clock())
        connection.executemany("UPDATE vectors SET used = ? WHERE id = ?", [(now, each) for each in self._touched])
        connection.executemany("DELETE FROM vectors WHERE id = ?", [(each,) for each in self._spoilt])
        self._touched.clear()
        self._spoilt.clear()

    def _evict(self, connection: sqlite3.Connection) -> None:
        """Remove the vectors that were unused for longest; their pages are reused, so the file stops growing."""
        if live_bytes(connection) <= self._max_bytes:
            return
        with transaction(connection):
            (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
            surplus = count * (1 - self._max_bytes * _KEPT_SHARE / live_bytes(connection))
            connection.execute(
                "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)",
                (max(0, int(surplus) + 1),),
            )
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    @contextlib.contextmanager
    def _harmless(self) -> Iterator[None]:
        """Turn every failure of the file into a warning; a damaged file is set aside and made anew."""
        try:
            yield
        except _ForeignError:
            self._renew(None)
        except (_DamagedError, UnicodeDecodeError):
            # Python can't even decode SQLite's message where it quotes a damaged schema.
            self._renew(_DAMAGE)
        except sqlite3.Error as error:
            if is_damage(error, self._path):
                self._renew(_DAMAGE)
            elif primary_code(error) in _BUSY:
                self._warn(Note("cache_locked"))
            else:
                self._shut()
                self._warn(Note("cache_unused", {"message": str(error)}))
        except OSError as error:
            self._shut()
            self._warn(Note("cache_unused", {"message": error.strerror or str(error)}))

    def _renew(self, note: Note | None) -> None:
        """Open a new file if no other process has this one open, which is set aside; without a `note` it goes.

        What another version of Cairn has kept is no damage, and of no use to this one.
        """
        self._shut(keep_lock=True)
        try:
            fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._shut()
            self._warn(Note("cache_held"))
            return
        try:
            if note is None:
                drop(self._path)
            else:
                note = Note(note.code, {"kept": keep_aside(self._path)})
            self._shut()
            self._open()
        except (OSError, sqlite3.Error, _DamagedError, _ForeignError) as error:
            self._shut()
            note = Note("cache_lost", {"message": str(error)})
        if note is not None:
            self._warn(note)

    def _shut(self, *, keep_lock: bool = False) -> None:
        self._touched.clear()
        self._spoilt.clear()
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        if self._lock_fd >= 0 and not keep_lock:
            os.close(self._lock_fd)
            self._lock_fd = -1

    def _warn(self, note: Note) -> None:
        if note not in self._notes:
            self._notes.append(note)


_ALL: "weakref.WeakSet[EmbeddingCache]" = weakref.WeakSet()
_HELD: "list[EmbeddingCache]" = []


def _before_a_fork() -> None:
    for cache in list(_ALL):
        _HELD.append(cache)  # first: Python drops an interrupt that comes in here, and forks
        cache.hold()


def _after_a_fork() -> None:
    while _HELD:
        with contextlib.suppress(RuntimeError):  # an interrupt came before it was held, and only the holder may let go
            _HELD[-1].release()
        _HELD.pop()


os.register_at_fork(before=_before_a_fork, after_in_parent=_after_a_fork, after_in_child=_after_a_fork)


def mend_cache(home: str) -> str:
    """Set the file aside if it is damaged; the name that it is kept under, empty where nothing is wrong with it."""
    _before_a_fork()
    try:
        if not cache_fault(home):
            return ""
        path = os.path.join(home, CACHE_NAME)
        fd = open_lock(path)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return keep_aside(path)
        except BlockingIOError as error:
            raise BusyError("The embedding cache is damaged and in use by another process.") from error
        finally:
            os.close(fd)
    finally:
        _after_a_fork()


class _ForeignError(Exception):
    """The file was made by another version of Cairn."""


class _DamagedError(Exception):
    """The file holds what can't be in it."""
