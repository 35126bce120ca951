"""Branches of sessions: what is known at a leaf, replayed once and carried on as the branch grows."""

import threading
from collections import OrderedDict

from cairn.readcache.log import ReadLog, Session
from cairn.readcache.trust import Entry, Kind, Knowledge, replay
from cairn.values import dataclass

_MOST_LEAVES = 64
_PLAIN = frozenset((Kind.READ, Kind.INVALIDATE))
"""Entries that knowledge is carried on over; any other may take away what came before it."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Entries of a session as far as they were loaded, by number."""

    entries: dict[int, Entry]
    last: int


class Branches:
    """Knowledge at leaves, kept for the next read; safe for threads."""

    def __init__(self, log: ReadLog) -> None:
        self._log = log
        self._guard = threading.Lock()
        self._sessions: OrderedDict[str, _Known] = OrderedDict()
        self._leaves: OrderedDict[tuple[str, int | None, str], Knowledge] = OrderedDict()

    def knowledge(self, session: Session, leaf: int | None) -> Knowledge | None:
        """What is known at a leaf; None where the log has no such entry or its branch is broken."""
        if leaf is None:
            return Knowledge()
        with self._guard:
            return self._at(session, leaf)

    def _at(self, session: Session, leaf: int) -> Knowledge | None:
        key = (session.session, leaf, session.boundary)
        known = self._leaves.get(key)
        if known is not None:
            self._leaves.move_to_end(key)
            return known
        entries = self._entries(session.session)
        entry = entries.get(leaf)
        if entry is None:
            return None
        before = self._leaves.get((session.session, entry.parent, session.boundary))
        if before is not None and entry.kind in _PLAIN:
            found = before.copy()
            found.apply(entry)
        else:
            branch = branch_of(entries, leaf)
            if branch is None:
                return None
            found = replay(branch, first_kept=session.boundary == "first_kept")
        self._leaves[key] = found
        while len(self._leaves) > _MOST_LEAVES:
            self._leaves.popitem(last=False)
        return found

    def _entries(self, session: str) -> dict[int, Entry]:
        known = self._sessions.get(session) or _Known({}, 0)
        new = self._log.entries(session, known.last)
        entries = known.entries
        entries.update((entry.seq, entry) for entry in new)
        self._sessions[session] = _Known(entries, new[-1].seq if new else known.last)
        self._sessions.move_to_end(session)
        while len(self._sessions) > _MOST_LEAVES:
            self._sessions.popitem(last=False)
        return entries


def branch_of(entries: dict[int, Entry], leaf: int) -> list[Entry] | None:
    """From the root to a leaf; None where an entry between them is missing or the way goes in a circle."""
    found = []
    at: int | None = leaf
    while at is not None:
        entry = entries.get(at)
        # Parents come before their children: whatever says otherwise is damaged.
        if entry is None or (entry.parent is not None and entry.parent >= at):
            return None
        found.append(entry)
        at = entry.parent
    return found[::-1]
