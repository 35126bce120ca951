"""`readcache.db`: what was read in which session, appended and never changed.

Trust is nowhere in it: it is replayed from the entries along a branch. Many processes append at once;
each entry gets its number in a transaction.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cairn.base.durable import make_private_folders
from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import open_own
from cairn.base.values import dataclass, field
from cairn.readcache.meta import DERIVED, Mode, ReadMeta
from cairn.readcache.trust import FORGETS, Kind, Knowledge, LogEntry
from cairn.store.database import Database

LOG_NAME = "readcache.db"
KEPT_S = 30 * 86_400
"""Sessions that were silent for so long are forgotten when a new one begins."""
_SCHEMA_VERSION = 1
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS sessions (
        session TEXT PRIMARY KEY, guarantee TEXT NOT NULL, boundary TEXT NOT NULL, born TEXT NOT NULL,
        used REAL NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS entries (
        session TEXT NOT NULL, seq INTEGER NOT NULL, parent INTEGER, kind TEXT NOT NULL, root TEXT NOT NULL,
        path_key TEXT NOT NULL, scope_key TEXT NOT NULL, mode TEXT NOT NULL, served_hash TEXT NOT NULL,
        base_hash TEXT NOT NULL, total_lines INTEGER NOT NULL, range_start INTEGER NOT NULL,
        range_end INTEGER NOT NULL, bytes INTEGER NOT NULL, full_bytes INTEGER NOT NULL, target INTEGER,
        sequence INTEGER, PRIMARY KEY (session, seq)) WITHOUT ROWID""",
)
_COLUMNS = (
    "seq, parent, kind, path_key, scope_key, mode, served_hash, base_hash, total_lines, range_start, range_end, "
    "bytes, full_bytes, target"
)
_KINDS = {kind.value: kind for kind in Kind}
_MODES = {mode.value: mode for mode in Mode}


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation with a model, and what its host guarantees to report."""

    session: str
    guarantee: str
    boundary: str
    born: str = ""
    """Distinguishes the session from an older one of the same name, whose entries had the same numbers."""


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that has no number yet."""

    kind: Kind
    root: str = ""
    read: ReadMeta | None = None
    path_key: str = ""
    scope_key: str = ""
    target: int | None = None
    sequence: int | None = None
    """The client's own count of its reports, if it keeps one."""


class ReadLog:
    """The log of one home; each call opens the file anew, so that threads and forks share nothing."""

    def __init__(self, home: str, *, clock: Callable[[], float] = time.time) -> None:
        self.path = os.path.join(home, LOG_NAME)
        self._home = home
        self._clock = clock
        # Writes are durable: if a crash undid an event, content would be trusted that the model no longer has.
        self._database = Database(self.path, "The log of reads", _SCHEMA_VERSION, _SCHEMA, self._make, self._damaged)

    def open_session(self, session: Session) -> None:
        """Record a session, or that it is used again."""
        now = self._clock()
        with self._database.writing() as connection:
            silent = "SELECT session FROM sessions WHERE used < ?"
            connection.execute(f"DELETE FROM entries WHERE session IN ({silent})", (now - KEPT_S,))  # noqa: S608
            connection.execute("DELETE FROM sessions WHERE used < ?", (now - KEPT_S,))
            connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)",
                (session.session, session.guarantee, session.boundary, os.urandom(8).hex(), now),
            )

    def session(self, name: str) -> Session | None:
        """A recorded session; None if there is none of that name."""
        with self._database.reading() as connection:
            if connection is None:
                return None
            row = connection.execute(
                "SELECT session, guarantee, boundary, born FROM sessions WHERE session = ?", (name,)
            ).fetchone()
            return Session(*row) if row is not None else None

    def append(
        self, session: str, parent: int | None, drafts: Sequence[NewEntry], *, only_behind_last: bool = False
    ) -> list[int] | None:
        """Append entries, each after the one before; a navigation names its own parent.

        With `only_behind_last`, nothing is written and None is returned if the parent is no longer the last entry:
        the caller's decision may be wrong by now.
        """
        with self._database.writing() as connection:
            (last,) = connection.execute("SELECT max(seq) FROM entries WHERE session = ?", (session,)).fetchone()
            if only_behind_last and last != parent:
                return None
            number = (last or 0) + 1
            behind = parent
            numbers = []
            for draft in drafts:
                if draft.kind is Kind.NAVIGATE:
                    behind = draft.target
                connection.execute(f"INSERT INTO entries VALUES ({_MARKS})", _row(session, number, behind, draft))  # noqa: S608
                numbers.append(number)
                behind, number = number, number + 1
            connection.execute("UPDATE sessions SET used = ? WHERE session = ?", (self._clock(), session))
            return numbers

    def entries(self, session: str, after: int = 0) -> list[LogEntry]:
        """A session's entries by number; invalid rows are left out."""
        with self._database.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM entries WHERE session = ? AND seq > ? ORDER BY seq",  # noqa: S608
                (session, after),
            )
            return [entry for row in rows if (entry := _entry(row)) is not None]

    def last(self, session: str) -> tuple[int, int | None]:
        """(number of the last entry, the client's last count)."""
        with self._database.reading() as connection:
            if connection is None:
                return 0, None
            row = connection.execute(
                "SELECT seq FROM entries WHERE session = ? ORDER BY seq DESC LIMIT 1", (session,)
            ).fetchone()
            count = connection.execute(
                "SELECT sequence FROM entries WHERE session = ? AND sequence IS NOT NULL ORDER BY seq DESC LIMIT 1",
                (session,),
            ).fetchone()
            return (row[0] if row is not None else 0), (count[0] if count is not None else None)

    def sessions_of(self, root: str) -> list[str]:
        """Sessions in which files of a root were read."""
        with self._database.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute("SELECT DISTINCT session FROM entries WHERE root = ? ORDER BY session", (root,))
            return [name for (name,) in rows]

    def fault(self) -> str:
        """What is wrong with the file, looked at whole; empty where it is sound or there is none."""
        return self._database.fault()

    def set_aside(self) -> str:
        """Move the file out of the way; its new name."""
        return self._database.set_aside()

    def _damaged(self, message: str) -> CorruptStoreError:
        return CorruptStoreError(
            message, hint=f"Remove {self.path}: reads are plain content until sessions begin anew."
        )

    def _make(self) -> None:
        make_private_folders(self._home)
        os.close(open_own(self.path, os.O_CREAT | os.O_RDWR))


_MARKS = ", ".join("?" for _ in range(17))


def _row(session: str, seq: int, parent: int | None, draft: NewEntry) -> tuple[Any, ...]:
    read = draft.read
    if read is None:
        said: tuple[Any, ...] = (draft.path_key, draft.scope_key, "", "", "", 0, 0, 0, 0, 0)
    else:
        said = (
            read.path_key,
            read.scope_key,
            read.mode.value,
            read.served_hash,
            read.base_hash,
            read.total_lines,
            read.range_start,
            read.range_end,
            read.bytes,
            read.full_bytes,
        )
    return (session, seq, parent, draft.kind.value, draft.root, *said, draft.target, draft.sequence)


def _entry(row: Sequence[Any]) -> LogEntry | None:
    seq, parent, kind, path_key, scope_key, mode, served, base, lines, start, end, size, full, target = row
    known = _KINDS.get(kind)
    if known is None:
        # A newer version wrote this entry. Its effect is unknown, so nothing before it is trusted.
        return LogEntry(seq, parent, Kind.GAP)
    if known is not Kind.READ:
        return LogEntry(seq, parent, known, None, path_key, scope_key, target)
    as_mode = _MODES.get(mode)
    if as_mode is None:
        return LogEntry(seq, parent, Kind.READ)
    return LogEntry(
        seq, parent, known, ReadMeta(path_key, scope_key, served, as_mode, base, lines, start, end, size, full)
    )


BYTES_PER_TOKEN = 4


@dataclass(slots=True)
class Savings:
    """Reads by mode, and how many bytes they saved compared with plain content."""

    modes: dict[str, int] = field(default_factory=dict)
    bytes_saved: int = 0
    sessions: int = 0

    @property
    def tokens_saved(self) -> int:
        """An estimate of the tokens, from the bytes."""
        return self.bytes_saved // BYTES_PER_TOKEN

    def document(self) -> dict[str, object]:
        """The figures as JSON."""
        return {
            "sessions": self.sessions,
            "modes": dict(sorted(self.modes.items())),
            "bytes_saved": self.bytes_saved,
            "tokens_saved": self.tokens_saved,
        }


def savings_of(log: ReadLog, root: str) -> Savings:
    """The savings of all sessions that read files of a root."""
    found = Savings()
    for session in log.sessions_of(root):
        found.sessions += 1
        count(found, log.entries(session), f"{root}/")
    return found


def count(found: Savings, entries: Iterable[LogEntry], prefix: str) -> None:
    """Take in the reads of one session; a derived one counts where its base was trusted on its own branch."""
    rows = list(entries)
    children: dict[int | None, int] = {}
    for entry in rows:
        children[entry.parent] = children.get(entry.parent, 0) + 1
    at: dict[int | None, Knowledge] = {None: Knowledge()}
    for entry in rows:
        before = at.get(entry.parent, Knowledge())
        # Knowledge that only one entry continues is handed on; where branches split, each gets a copy.
        knowledge = at.pop(entry.parent, before) if children[entry.parent] == 1 else before.copy()
        if entry.kind in FORGETS or entry.kind in (Kind.COMPACTION, Kind.DROP):
            # This is stricter than a session may be, so that nothing is counted that may not have been trusted.
            at, knowledge = {}, Knowledge()
        held = knowledge.apply(entry)
        at[entry.seq] = knowledge
        if entry.read is None or not held or not entry.read.path_key.startswith(prefix):
            continue
        found.modes[entry.read.mode.value] = found.modes.get(entry.read.mode.value, 0) + 1
        if entry.read.mode in DERIVED:
            found.bytes_saved += max(0, entry.read.full_bytes - entry.read.bytes)
