"""`control.db` in a store's folder: the semantic layer's control state; nothing in it answers what the code says."""

import os
import sqlite3
from collections.abc import Iterable, Mapping

from cairn.base.errors import CairnError, CorruptStoreError
from cairn.base.values import dataclass
from cairn.semantic import jobtable
from cairn.semantic.contexts.values import Context, Probe
from cairn.semantic.job import Job
from cairn.store.database import Database
from cairn.store.layout import Layout
from cairn.workspace.git import Git


@dataclass(frozen=True, slots=True)
class KnownContext:
    """A context as the last refresh knew it."""

    id: str
    family: str
    root: str
    config_hash: str
    status: str
    """What its probe found."""
    tool: str = ""
    """The indexer that was run last."""
    tool_version: str = ""
    refreshed_at: float | None = None
    """When a job of it was last completed."""
    whole_at: float | None = None
    """When the last full refresh began: a file without facts since then has none to give."""
    enabled: bool = True


def known_contexts(connection: sqlite3.Connection) -> dict[str, KnownContext]:
    """All known contexts, by id."""
    rows = connection.execute("SELECT * FROM contexts ORDER BY id")
    return {row["id"]: KnownContext(**{**dict(row), "enabled": bool(row["enabled"])}) for row in rows}


def note_contexts(connection: sqlite3.Connection, contexts: Iterable[Context], probes: Mapping[str, Probe]) -> None:
    """Record the present contexts; those that are gone are forgotten."""
    found = [(each.id, each.family, each.root, each.config_hash, probes[each.id].status) for each in contexts]
    connection.executemany(
        "INSERT INTO contexts VALUES (?, ?, ?, ?, ?, '', '', NULL, NULL, 1) ON CONFLICT (id) DO UPDATE SET "
        "family = excluded.family, root = excluded.root, config_hash = excluded.config_hash, status = excluded.status",
        found,
    )
    gone = known_contexts(connection).keys() - {row[0] for row in found}
    connection.executemany("DELETE FROM contexts WHERE id = ?", ((name,) for name in gone))


def note_tool(connection: sqlite3.Connection, context: str, tool: str, version: str) -> None:
    """Record which indexer was run for a context."""
    connection.execute("UPDATE contexts SET tool = ?, tool_version = ? WHERE id = ?", (tool, version, context))


def note_refreshed(connection: sqlite3.Connection, job: Job) -> None:
    """Record a completed job; call it in the transaction that completes the job, so that both agree."""
    connection.execute("UPDATE contexts SET refreshed_at = ? WHERE id = ?", (job.finished_at, job.context))
    if job.scope.full:
        connection.execute("UPDATE contexts SET whole_at = ? WHERE id = ?", (job.started_at, job.context))


NO_GIT = "no-git"
UNBORN = "unborn"
UNKNOWN = None


# Two unknown HEADs are never the same. A folder outside of git and a branch without a commit are known states,
# which stay the same until that changes.
def read_head(root: str, *, in_git: bool) -> str | None:
    """The commit, NO_GIT or UNBORN; UNKNOWN where git doesn't answer."""
    if not in_git:
        return NO_GIT
    try:
        return Git(root).head() or UNBORN
    except (CairnError, OSError):
        return UNKNOWN


def same_head(a: str | None, b: str | None) -> bool:
    """Whether two heads are known and equal."""
    return a is not None and a == b


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


def control_fault(layout: Layout) -> str:
    """What is wrong with the control file of a store, looked at whole; empty where it is sound or there is none."""
    return control_file(layout).fault(_read_all)


def _read_all(connection: sqlite3.Connection) -> None:
    for row in connection.execute("SELECT * FROM jobs"):
        jobtable.from_row(row)
    known_contexts(connection)


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
