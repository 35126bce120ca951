"""Branches of sessions: what is known at a leaf, replayed once and carried on as the branch grows."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from cairn.base.values import dataclass, field
from cairn.readcache.log import ReadLog, Session
from cairn.readcache.trust import Kind, Knowledge, LogEntry, replay

_MOST_LEAVES = 64
_MOST_SESSIONS = 64
_PLAIN = frozenset((Kind.READ, Kind.INVALIDATE))
"""Entries that only add to knowledge; any other may take away earlier knowledge."""


@dataclass(slots=True)
class _Known:
    """A session as far as it was loaded: its entries by number, and what holds on every branch of it."""

    entries: dict[int, LogEntry] = field(default_factory=dict)
    last: int = 0
    floor: int = 0
    """The last gap: nothing before it is trusted."""
    dropped: set[int | None] = field(default_factory=set)
    leaves: OrderedDict[int, Knowledge] = field(default_factory=OrderedDict)

    def take(self, new: Sequence[LogEntry]) -> None:
        for entry in new:
            self.entries[entry.seq] = entry
            self.last = entry.seq
            if entry.kind is Kind.GAP:
                self.floor = entry.seq
            elif entry.kind is Kind.DROP:
                self.dropped.add(entry.target)
            else:
                continue
            self.leaves.clear()


class Branches:
    """Knowledge at leaves, kept for the next read; safe for threads."""

    def __init__(self, log: ReadLog) -> None:
        self._log = log
        self._guard = threading.Lock()
        self._sessions: OrderedDict[Session, _Known] = OrderedDict()

    def knowledge(self, session: Session, leaf: int | None) -> Knowledge | None:
        """What is known at a leaf; None if the log has no such entry or its branch is broken."""
        if leaf is None:
            return Knowledge()
        with self._guard:
            known = self._loaded(session)
            found = known.leaves.get(leaf)
            if found is None:
                found = self._replayed(session, known, leaf)
            if found is not None:
                known.leaves[leaf] = found
                known.leaves.move_to_end(leaf)
                while len(known.leaves) > _MOST_LEAVES:
                    known.leaves.popitem(last=False)
            return found

    @staticmethod
    def _replayed(session: Session, known: _Known, leaf: int) -> Knowledge | None:
        entry = known.entries.get(leaf)
        if entry is None:
            return None
        before = known.leaves.get(entry.parent) if entry.parent is not None else None
        if before is not None and entry.kind in _PLAIN and leaf > known.floor and leaf not in known.dropped:
            found = before.copy()
            found.apply(entry)
            return found
        branch = branch_of(known.entries, leaf)
        if branch is None:
            return None
        kept = session.boundary == "first_kept"
        return replay(branch, first_kept=kept, floor=known.floor, dropped=known.dropped)

    def _loaded(self, session: Session) -> _Known:
        known = self._sessions.setdefault(session, _Known())
        known.take(self._log.entries(session.session, known.last))
        self._sessions.move_to_end(session)
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return known


def branch_of(entries: dict[int, LogEntry], leaf: int) -> list[LogEntry] | None:
    """The entries from the root to a leaf; None if an entry between them is missing or the way goes in a circle."""
    found = []
    at: int | None = leaf
    while at is not None:
        entry = entries.get(at)
        # Parents come before their children, else the log is damaged.
        if entry is None or (entry.parent is not None and entry.parent >= at):
            return None
        found.append(entry)
        at = entry.parent
    return found[::-1]
