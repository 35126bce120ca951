"""What cached reads have saved; a read counts only if a replay of the log shows that its base was trusted."""

from collections.abc import Iterable

from cairn.base.values import dataclass, field
from cairn.readcache.log import ReadLog
from cairn.readcache.meta import DERIVED
from cairn.readcache.trust import FORGETS, Kind, Knowledge, LogEntry

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
