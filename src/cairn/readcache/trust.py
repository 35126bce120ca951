"""The trust machine: from what was read on a branch to what the model still has in its context.

Pure: entries go in, knowledge comes out. Only content itself establishes trust; "unchanged" and a diff carry it
on from a base that is trusted at that moment, and otherwise have no effect. Trust is by path and scope, each with
the sequence number of the entry that gave it. Which text the model has of the lines it is trusted to have is another
matter: the newest one of every line, whichever scope it came with.
"""

import hashlib
from collections.abc import Container, Iterable, Sequence
from enum import StrEnum
from typing import Self

from cairn.base.values import dataclass
from cairn.readcache.meta import ANCHORS, FULL_SCOPE, LAST_LINE, Mode, ReadMeta, is_well_formed, range_of


@dataclass(frozen=True, slots=True)
class GivenLines:
    """Lines whose newest text is that of one version; the last span of a whole file has no end."""

    start: int
    end: int
    hash: str


# A model that was given a whole file and then some lines of a later version has a mixture before it, which may never
# have been on the disk. Only that mixture may be called unchanged, or be the old side of a diff.
Newest = tuple[GivenLines, ...]


def lines_of(scope: str) -> tuple[int, int]:
    """The first and last line of a scope; the whole file goes on to the last number there is."""
    return range_of(scope) or (1, LAST_LINE)


def overlaid(spans: Newest, scope: str, version: str) -> Newest:
    """Spans after the lines of a scope were given in a version."""
    start, end = lines_of(scope)
    before = [GivenLines(each.start, min(each.end, start - 1), each.hash) for each in spans if each.start < start]
    after = [GivenLines(max(each.start, end + 1), each.end, each.hash) for each in spans if each.end > end]
    found: list[GivenLines] = []
    for each in (*before, GivenLines(start, end, version), *after):
        last = found[-1] if found else None
        if last is not None and last.hash == each.hash and last.end + 1 == each.start:
            found[-1] = GivenLines(last.start, each.end, each.hash)
        else:
            found.append(each)
    return tuple(found)


def within(spans: Newest, scope: str) -> Newest:
    """The spans of a scope's lines; empty if any line of them was never given."""
    start, end = lines_of(scope)
    found = tuple(
        GivenLines(max(each.start, start), min(each.end, end), each.hash)
        for each in spans
        if each.start <= end and start <= each.end
    )
    at = start
    for each in found:
        if each.start != at:
            return ()
        at = each.end + 1
    return found if at == end + 1 else ()


def identity(spans: Newest) -> str:
    """The hash under which a log names spans: the version's own where there is only one; else one of the mixture."""
    if len({each.hash for each in spans}) == 1:
        return spans[0].hash
    return hashlib.sha256(";".join(f"{each.start}:{each.end}:{each.hash}" for each in spans).encode()).hexdigest()


class Kind(StrEnum):
    """What an entry of the log is."""

    READ = "read"
    INVALIDATE = "invalidate"
    COMPACTION = "compaction"
    CLEAR = "clear"
    GAP = "gap"
    NAVIGATE = "navigate"
    RESUME = "resume"
    DROP = "drop"


FORGETS = frozenset((Kind.CLEAR, Kind.GAP))
"""Entries before which nothing is trusted, whatever the boundary of the session is."""


@dataclass(frozen=True, slots=True)
class Trust:
    """A version of some lines that the model has, and the entry that gave it."""

    hash: str
    seq: int


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of the log; `target` is the first entry that a compaction keeps, or the one that a drop removes."""

    seq: int
    parent: int | None
    kind: Kind
    read: ReadMeta | None = None
    path_key: str = ""
    scope_key: str = ""
    target: int | None = None


class Knowledge:
    """What the model has in its context, by path and scope."""

    def __init__(self) -> None:
        self._trusts: dict[str, dict[str, Trust]] = {}
        self._blocks: dict[str, dict[str, int]] = {}
        """Invalidated ranges: earlier trust in the whole file doesn't cover them."""
        self._newest: dict[str, Newest] = {}

    def copy(self) -> Self:
        """An independent copy, for another branch."""
        other = type(self)()
        other._trusts = {path: dict(scopes) for path, scopes in self._trusts.items()}
        other._blocks = {path: dict(scopes) for path, scopes in self._blocks.items()}
        other._newest = dict(self._newest)
        return other

    def trust(self, path: str, scope: str) -> Trust | None:
        """The trust that reads of exactly this scope have established."""
        return self._trusts.get(path, {}).get(scope)

    def base(self, path: str, scope: str) -> Trust | None:
        """What an answer for this scope may build on: the fresher of its own trust and that of the whole file."""
        exact, whole = self.trust(path, scope), self._standing_in(path, scope)
        if exact is None or whole is None or scope == FULL_SCOPE:
            return exact or whole
        return max(exact, whole, key=lambda trust: trust.seq)

    def newest(self, path: str, scope: str) -> Newest:
        """The versions in which the lines of a scope were given last; empty if that isn't known of every line."""
        return within(self._newest.get(path, ()), scope)

    def apply(self, entry: LogEntry) -> bool:
        """Apply one entry; False if it changes nothing."""
        if entry.kind is Kind.READ and entry.read is not None:
            return self._read(entry.read, entry.seq)
        if entry.kind is Kind.INVALIDATE:
            return self._invalidate(entry.path_key, entry.scope_key, entry.seq)
        return False

    def _read(self, meta: ReadMeta, seq: int) -> bool:
        if not is_well_formed(meta):
            return False
        path, scope = meta.path_key, meta.scope_key
        if not self._is_grounded(meta):
            if meta.mode is Mode.DIFF:
                # Its new lines were given, but what they were to replace is gone: nobody knows what is newest now.
                self._newest.pop(path, None)
            return False
        self._trusts.setdefault(path, {})[scope] = Trust(meta.served_hash, seq)
        if meta.mode is not Mode.UNCHANGED_RANGE:
            self._newest[path] = overlaid(self._newest.get(path, ()), scope, meta.served_hash)
        if meta.mode in ANCHORS:
            self._lift(path, scope)
        return True

    def _is_grounded(self, meta: ReadMeta) -> bool:
        """Whether a read may change trust: the table of transitions."""
        whole = meta.scope_key == FULL_SCOPE
        if meta.mode in ANCHORS:
            return True
        if whole is (meta.mode is Mode.UNCHANGED_RANGE) or self.base(meta.path_key, meta.scope_key) is None:
            return False
        newest = self.newest(meta.path_key, meta.scope_key)
        if not newest or identity(newest) != meta.base_hash:
            return False
        return meta.mode is not Mode.UNCHANGED or len(newest) > 1 or meta.served_hash == meta.base_hash

    def _standing_in(self, path: str, scope: str) -> Trust | None:
        """Full trust, where no invalidated range that it would cover forbids it."""
        whole = self.trust(path, FULL_SCOPE)
        wanted = range_of(scope)
        if whole is None or wanted is None:
            return whole
        blocked = (range_of(each) for each in self._blocks.get(path, ()))
        return None if any(each is not None and _overlap(each, wanted) for each in blocked) else whole

    def _invalidate(self, path: str, scope: str, seq: int) -> bool:
        if scope == FULL_SCOPE:
            self._blocks.pop(path, None)
            self._newest.pop(path, None)
            return self._trusts.pop(path, None) is not None
        if range_of(scope) is None:
            return False
        scopes = self._trusts.get(path, {})
        known = scopes.pop(scope, None) is not None
        if not scopes:
            self._trusts.pop(path, None)
        else:
            self._blocks.setdefault(path, {})[scope] = seq
        return known

    def _lift(self, path: str, scope: str) -> None:
        """Lift the invalidation of ranges whose content was given again."""
        given = range_of(scope)
        blocks = self._blocks.get(path, {})
        for each in tuple(blocks):
            lines = range_of(each)
            if given is None or (lines is not None and given[0] <= lines[0] and lines[1] <= given[1]):
                del blocks[each]
        if not blocks:
            self._blocks.pop(path, None)


def replay(
    branch: Iterable[LogEntry], *, first_kept: bool = False, floor: int = 0, dropped: Container[int | None] = ()
) -> Knowledge:
    """What is known at the end of a branch; `entries` begin at its root.

    Nothing up to `floor` is trusted, and nothing in `dropped`: a missing report or a removal counts for the whole
    session, whichever branch recorded it.
    """
    entries = list(branch)
    knowledge = Knowledge()
    for entry in entries[start_of(entries, first_kept=first_kept) :]:
        if entry.seq > floor and entry.seq not in dropped:
            knowledge.apply(entry)
    return knowledge


def start_of(entries: Sequence[LogEntry], *, first_kept: bool) -> int:
    """Where a replay starts: after everything that the model has lost."""
    start = 0
    places = {entry.seq: place for place, entry in enumerate(entries)}
    for at, entry in enumerate(entries):
        if entry.kind in FORGETS:
            start = at + 1
        elif entry.kind is Kind.COMPACTION:
            kept = places.get(entry.target, at + 1) if first_kept and entry.target is not None else at + 1
            start = max(start, kept if kept < at else at + 1)
    return start


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
