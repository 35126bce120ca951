"""Rows of the table of contexts: when and by what each was refreshed, but nothing about the code."""

import sqlite3
from collections.abc import Iterable, Mapping

from cairn.base.values import dataclass
from cairn.semantic.contexts.values import Context, Probe
from cairn.semantic.job import Job


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


def everything(connection: sqlite3.Connection) -> dict[str, KnownContext]:
    """All known contexts, by id."""
    rows = connection.execute("SELECT * FROM contexts ORDER BY id")
    return {row["id"]: KnownContext(**{**dict(row), "enabled": bool(row["enabled"])}) for row in rows}


def note(connection: sqlite3.Connection, contexts: Iterable[Context], probes: Mapping[str, Probe]) -> None:
    """Record the present contexts; those that are gone are forgotten."""
    found = [(each.id, each.family, each.root, each.config_hash, probes[each.id].status) for each in contexts]
    connection.executemany(
        "INSERT INTO contexts VALUES (?, ?, ?, ?, ?, '', '', NULL, NULL, 1) ON CONFLICT (id) DO UPDATE SET "
        "family = excluded.family, root = excluded.root, config_hash = excluded.config_hash, status = excluded.status",
        found,
    )
    gone = everything(connection).keys() - {row[0] for row in found}
    connection.executemany("DELETE FROM contexts WHERE id = ?", ((name,) for name in gone))


def note_tool(connection: sqlite3.Connection, context: str, tool: str, version: str) -> None:
    """Record which indexer was run for a context."""
    connection.execute("UPDATE contexts SET tool = ?, tool_version = ? WHERE id = ?", (tool, version, context))


def refreshed(connection: sqlite3.Connection, job: Job) -> None:
    """Record a completed job; call it in the transaction that completes the job, so that both agree."""
    connection.execute("UPDATE contexts SET refreshed_at = ? WHERE id = ?", (job.finished_at, job.context))
    if job.scope.full:
        connection.execute("UPDATE contexts SET whole_at = ? WHERE id = ?", (job.started_at, job.context))
