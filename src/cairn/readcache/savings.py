"""What cached reads have saved, counted only where trust held when the log is replayed."""

from collections.abc import Iterable

from cairn.base.values import dataclass, field
from cairn.readcache.log import ReadLog
from cairn.readcache.meta import DERIVED
from cairn.readcache.trust import FORGETS, Kind, Knowledge, LogEntry

BYTES_PER_TOKEN = 4


@dataclass(slots=True)
class Savings:
    """Reads by mode, and what they would have cost beyond what they did."""

    modes: dict[str, int] = field(default_factory=dict)
    bytes_saved: int = 0
    sessions: int = 0

    @property
    def tokens_saved(self) -> int:
        return self.bytes_saved // BYTES_PER_TOKEN

    def document(self) -> dict[str, object]:
        return {
            "sessions": self.sessions,
            "modes": dict(sorted(self.modes.items())),
            "bytes_saved": self.bytes_saved,
            "tokens_saved": self.tokens_saved,
        }


def savings_of(log: ReadLog, root: str) -> Savings:
    """Over all sessions in which files of a root were read."""
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
        # Knowledge that only one entry goes on from is handed on; where branches part, each gets its own.
        knowledge = at.pop(entry.parent, before) if children[entry.parent] == 1 else before.copy()
        if entry.kind in FORGETS or entry.kind in (Kind.COMPACTION, Kind.DROP):
            # Stricter than a session may be: what is counted here surely held.
            at, knowledge = {}, Knowledge()
        held = knowledge.apply(entry)
        at[entry.seq] = knowledge
        if entry.read is None or not held or not entry.read.path_key.startswith(prefix):
            continue
        found.modes[entry.read.mode.value] = found.modes.get(entry.read.mode.value, 0) + 1
        if entry.read.mode in DERIVED:
            found.bytes_saved += max(0, entry.read.full_bytes - entry.read.bytes)
