"""`control.db` in a store's folder: the semantic layer's control state; nothing in it answers what the code says."""

import os

from cairn.base.errors import CorruptStoreError
from cairn.store.database import Database
from cairn.store.layout import Layout

CONTROL_NAME = "control.db"
_VERSION = 1
_TABLES = ("jobs", "plans", "decisions", "contexts", "repo_state")
_SCHEMA = (
    """CREATE TABLE jobs (
        id TEXT PRIMARY KEY, context TEXT NOT NULL, status TEXT NOT NULL, scope TEXT NOT NULL, widened TEXT NOT NULL,
        reason TEXT NOT NULL, head TEXT, follows TEXT NOT NULL, created_at REAL NOT NULL, started_at REAL,
        finished_at REAL, superseded_reason TEXT NOT NULL, failure TEXT NOT NULL, run TEXT NOT NULL,
        owner TEXT NOT NULL, heartbeat REAL NOT NULL, progress REAL, phase TEXT NOT NULL, attempts INTEGER NOT NULL
    ) WITHOUT ROWID""",
    # The database itself prevents two active jobs for one context.
    "CREATE UNIQUE INDEX one_active ON jobs (context) WHERE status IN ('queued', 'running')",
    "CREATE INDEX by_status ON jobs (status, id)",
    """CREATE TABLE plans (
        id TEXT PRIMARY KEY, created_at REAL NOT NULL, document TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE decisions (
        signature TEXT NOT NULL, head TEXT NOT NULL, hashes TEXT NOT NULL, choice TEXT NOT NULL, proof TEXT NOT NULL,
        created_at REAL NOT NULL, PRIMARY KEY (signature, head)
    ) WITHOUT ROWID""",
    """CREATE TABLE contexts (
        id TEXT PRIMARY KEY, family TEXT NOT NULL, root TEXT NOT NULL, config_hash TEXT NOT NULL, status TEXT NOT NULL,
        tool TEXT NOT NULL, tool_version TEXT NOT NULL, refreshed_at REAL, whole_at REAL, enabled INTEGER NOT NULL
    ) WITHOUT ROWID""",
    "CREATE TABLE repo_state (id INTEGER PRIMARY KEY CHECK (id = 1), last_seen_head TEXT, checked_at REAL NOT NULL)",
)


def control_file(layout: Layout) -> Database:
    """The control file of a store, made with the store's mode by its first write."""
    path = os.path.join(layout.path, CONTROL_NAME)
    return Database(
        path,
        CONTROL_NAME,
        _VERSION,
        _SCHEMA,
        lambda: os.close(layout.open_lock(path)),
        lambda said: _damaged(said, path),
    )


def copy_control(source: Layout, target: Layout) -> None:
    """Replace one store's control state with another's.

    A job that runs in the source publishes there; in the target it is queued, and will be run again.
    """
    with control_file(source).reading() as former:
        if former is None and not control_file(target).exists():
            return
        with control_file(target).writing() as connection:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608
                rows = former.execute(f"SELECT * FROM {table}") if former is not None else ()  # noqa: S608
                for row in map(dict, rows):
                    names = ", ".join(row)
                    marks = ", ".join(f":{name}" for name in row)
                    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)  # noqa: S608
            connection.execute(
                "UPDATE jobs SET status = 'queued', run = '', owner = 'null', heartbeat = 0, started_at = NULL, "
                "progress = NULL, phase = '' WHERE status = 'running'"
            )


def _damaged(said: str, path: str) -> CorruptStoreError:
    return CorruptStoreError(
        said, hint=f"Move {path} away: it holds jobs, not facts, and the next refresh begins anew."
    )
