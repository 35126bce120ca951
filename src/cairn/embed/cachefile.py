"""The file of the embedding cache: what is wrong with it, and keeping it under another name."""

import contextlib
import os
import sqlite3

from cairn.base.ownfile import ASIDE, StrangeFileError, fault_at, open_own, set_aside
from cairn.base.ulid import new_ulid
from cairn.embed.sqlitefile import primary_code, transaction

CACHE_NAME = "embeddings.db"
SCHEMA_VERSION = 2
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vectors(id INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL,"
    " checksum INTEGER NOT NULL, used INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors(used)",
)
_SUFFIXES = ("", "-wal", "-shm", "-journal")
_LOCK = ".lock"
_BUSY_S = 1.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
"""SQLITE_ERROR: the statements are fixed, so only a schema that is not ours makes one fail."""


def cache_fault(home: str) -> str:
    """What is wrong with the file, looked at whole and left as it is; empty where it is sound or there is none."""
    path = os.path.join(home, CACHE_NAME)
    said = part_fault(path) or fault_at(path + _LOCK)
    if said or not os.path.exists(path) or not os.stat(path).st_size:
        return f"{path} {said}" if said else ""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            # One whose header lies can be read and not written.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA user_version = {version:d}")
            connection.execute("ROLLBACK")
    except UnicodeDecodeError as error:
        return f"{path} is damaged: {error}"
    except sqlite3.Error as error:
        return f"{path} is damaged: {error}" if is_damage(error, path) else ""
    # One of another version is sound: whoever opens it next begins anew.
    return "" if said == "ok" else f"{path} is damaged: {said}"


def lay_out(connection: sqlite3.Connection) -> bool:
    """Make the tables of a new file; False for one of another version."""
    # After a loss of power the newest rows may be gone: NORMAL keeps the file whole, and it is a cache.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "journal_size_limit = 16777216"):
        connection.execute(f"PRAGMA {pragma}")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version in (0, SCHEMA_VERSION):
        with transaction(connection):
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return version in (0, SCHEMA_VERSION)


def part_fault(path: str) -> str:
    """Why the file or a log beside it is none of the home's own; empty where all of them are."""
    return next(filter(None, (fault_at(path + suffix) for suffix in _SUFFIXES)), "")


def is_damage(error: sqlite3.Error, path: str) -> bool:
    """Whether an error comes from what the file holds; one that may be written and can't be has a header that lies."""
    if primary_code(error) == sqlite3.SQLITE_READONLY:
        return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)
    return primary_code(error) in _DAMAGED


def drop(path: str) -> None:
    """Remove the file with its logs."""
    for suffix in _SUFFIXES:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)


def keep_aside(path: str) -> str:
    """Move the file out of the way with its logs; the new name. What was kept before goes: it is only a cache."""
    folder, name = os.path.split(path)
    for former in os.listdir(folder):
        if former.startswith(f"{name}{ASIDE}"):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, former))
    aside = f"{path}{ASIDE}{new_ulid()}"
    for suffix in _SUFFIXES:
        with contextlib.suppress(FileNotFoundError):
            os.rename(path + suffix, aside + suffix)
    return os.path.basename(aside)


def open_lock(path: str) -> int:
    """Open the file that is locked by whoever has the cache open; what else lies in its place is set aside."""
    lock = path + _LOCK
    try:
        return open_own(lock, os.O_RDWR | os.O_CREAT)
    except StrangeFileError:
        set_aside(lock)
        return open_own(lock, os.O_RDWR | os.O_CREAT)
