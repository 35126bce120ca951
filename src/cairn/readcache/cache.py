"""Cached reads: plain content, "unchanged" or a diff, never on top of what the model doesn't have.

Whatever goes wrong here, the answer is the plain content.
"""

import re

from cairn.base.errors import CairnError, UsageError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural
from cairn.base.values import dataclass, replace
from cairn.readcache.answers import (
    BOUNDARIES,
    EVENTS,
    GUARANTEES,
    EventReceipt,
    ReadAnswer,
    ReadRequest,
    ReadSource,
    lines_wanted,
)
from cairn.readcache.branches import Branches
from cairn.readcache.lines import slice_of, split, useful_diff
from cairn.readcache.log import NewEntry, ReadLog, Session
from cairn.readcache.meta import FULL_SCOPE, Mode, ReadMeta, range_scope
from cairn.readcache.objects import Objects
from cairn.readcache.trust import Kind, Knowledge, Newest, identity

_ATTEMPTS = 100
_LARGEST = 2**62
_TROUBLE = (CairnError, OSError, OverflowError, RecursionError, TypeError, ValueError)
"""What a damaged or foreign log may raise; the answer is then plain content."""
_ID_CHARS = 26
_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One read with all that is known of it before trust is asked."""

    request: ReadRequest
    source: ReadSource
    lines: list[str]
    start: int
    end: int

    @property
    def scope(self) -> str:
        return range_scope(self.start, self.end) if self.request.is_range else FULL_SCOPE

    @property
    def wanted(self) -> str:
        return "".join(slice_of(self.lines, self.start, self.end))


class ReadCache:
    """The reads of one home."""

    def __init__(self, home: str) -> None:
        self.log = ReadLog(home)
        self.objects = Objects(home)
        self._branches = Branches(self.log)

    def open_session(self, session: str, guarantee: str = "none", boundary: str = "strict") -> Session:
        """Begin or continue a session; UsageError for an unknown guarantee or boundary."""
        if guarantee not in GUARANTEES:
            raise UsageError(f"There is no guarantee {guarantee!r}.", hint=f"Use one of {', '.join(GUARANTEES)}.")
        if boundary not in BOUNDARIES:
            raise UsageError(f"There is no boundary {boundary!r}.", hint=f"Use one of {', '.join(BOUNDARIES)}.")
        if not _NAME.fullmatch(session):
            raise UsageError("That is no name for a session.", hint="Use 1 to 128 letters, digits, '.', '_' or '-'.")
        opened = Session(session, guarantee, boundary)
        known = self.log.session(session)
        if known is None:
            self.log.open_session(opened)
        elif (known.guarantee, known.boundary) == (guarantee, boundary):
            # A new conversation has an empty context, whatever an older one of the same name was given.
            self.log.append(session, None, [NewEntry(Kind.GAP)])
        else:
            raise UsageError(
                f"The session {session} is open, with the guarantee {known.guarantee} and boundary {known.boundary}.",
                hint="Use another name.",
            )
        return opened

    def read(self, request: ReadRequest, source: ReadSource) -> ReadAnswer:
        """The lines that were asked for, in the shortest form that can be trusted."""
        text = _text_of(source.data)
        if text is None:
            return _no_text(source)
        lines = split(text)
        start, end = lines_wanted(request, len(lines), source.path)
        asked = _Asked(request, source, lines, start, end)
        if request.session is None:
            return _plain(asked, "no session is named")
        if not _are_numbers(request.parent, request.sequence):
            return _plain(asked, "that is no number of an entry")
        try:
            session = self.log.session(request.session)
            if session is None:
                return _plain(asked, "the session is not known")
            if session.guarantee == "none":
                return _plain(asked, "the session guarantees nothing")
            return self._cached(asked, session)
        except _TROUBLE as error:
            return _plain(asked, str(error))

    def event(
        self,
        session: str,
        kind: str,
        *,
        entry: int | None = None,
        parent: int | None = None,
        sequence: int | None = None,
        new_session: str = "",
    ) -> EventReceipt:
        """Record an event; `entry` is the first one that a compaction keeps, or the one that another event is about."""
        if kind not in EVENTS:
            raise UsageError(f"There is no event {kind!r}.", hint=f"Use one of {', '.join(EVENTS)}.")
        known = self._require(session)
        if kind == "fork":
            # Nobody tells us what the fork's context holds, so it begins with nothing.
            opened = self.open_session(new_session, known.guarantee, known.boundary)
            return EventReceipt(opened.session, None, "the fork begins without trust")
        _require_numbers(entry, parent, sequence)
        draft, note = self._draft(known, kind, entry, parent)
        return EventReceipt(session, self._recorded(known, parent, replace(draft, sequence=sequence)), note)

    def refresh(self, session: str, source: ReadSource, request: ReadRequest) -> EventReceipt:
        """Give the content itself with the next read of these lines."""
        known = self._require(session)
        _require_numbers(request.parent, request.sequence)
        scope = FULL_SCOPE
        if request.is_range:
            text = _text_of(source.data)
            scope = range_scope(*lines_wanted(request, len(split(text or "")), source.path))
        draft = NewEntry(Kind.INVALIDATE, path_key=source.path_key, scope_key=scope, sequence=request.sequence)
        return EventReceipt(session, self._recorded(known, request.parent, draft), scope)

    def distrust(self, session: str) -> None:
        """Trust nothing that was given so far, because it may not have arrived."""
        known = self.log.session(session)
        if known is not None:
            self._recorded(known, None, NewEntry(Kind.GAP))

    def _recorded(self, session: Session, parent: int | None, draft: NewEntry) -> int:
        """Append what happened; behind the very last entry of a line, so that no other event falls off it."""
        linear = session.guarantee == "linear"
        for _ in range(_ATTEMPTS):
            drafts = [*self._gap(session, draft.sequence), draft]
            leaf = self._leaf(session, parent)
            numbers = self.log.append(session.session, leaf, drafts, only_behind_last=linear)
            if numbers is not None:
                return numbers[-1]
        # Others keep writing: a gap is recorded instead, which is valid wherever it stands.
        numbers = self.log.append(session.session, None, [draft, NewEntry(Kind.GAP)]) or [0]
        return numbers[-1]

    def _cached(self, asked: _Asked, session: Session) -> ReadAnswer:
        request = asked.request
        for _ in range(_ATTEMPTS):
            gap = self._gap(session, request.sequence)
            leaf = self._leaf(session, request.parent)
            known = self._branches.knowledge(session, leaf) if not gap else Knowledge()
            answer = self._answer(asked, known or Knowledge())
            if answer.meta is None:
                # A part of a line was given: what the model has of this file now is no version of it.
                draft = NewEntry(Kind.INVALIDATE, path_key=asked.source.path_key, scope_key=FULL_SCOPE)
                draft = replace(draft, root=asked.source.root, sequence=request.sequence)
            else:
                draft = NewEntry(Kind.READ, asked.source.root, answer.meta, sequence=request.sequence)
                if answer.mode is not Mode.UNCHANGED_RANGE:
                    self.objects.put(asked.source.data)
            # In a linear session somebody may have recorded a compaction meanwhile, so everything is checked again.
            numbers = self.log.append(
                session.session, leaf, [*gap, draft], only_behind_last=session.guarantee == "linear"
            )
            if numbers is not None:
                return replace(answer, entry=numbers[-1])
        return _plain(asked, "the session is written by others all the time")

    def _answer(self, asked: _Asked, knowledge: Knowledge) -> ReadAnswer:
        source = asked.source
        if asked.request.bypass or knowledge.base(source.path_key, asked.scope) is None:
            return _content(asked, Mode.FULL, "")
        newest = knowledge.newest(source.path_key, asked.scope)
        base = identity(newest) if newest else ""
        if base == source.file_hash:
            return _derived(asked, base, elsewhere=False)
        known = self._text(newest)
        if known is None:
            return _content(asked, Mode.BASELINE_FALLBACK, base)
        if known == slice_of(asked.lines, asked.start, asked.end):
            return _derived(asked, base, elsewhere=self._differs_elsewhere(asked, knowledge, newest))
        diff = None if asked.request.is_range else useful_diff(source.path, known, asked.lines)
        if diff is None or len(diff.text.encode()) > asked.request.max_bytes:
            return _content(asked, Mode.BASELINE_FALLBACK, base)
        text = f"[readcache: {plural(diff.changed, 'line')} changed of {len(asked.lines)}]\n{diff.text}"
        return _given(asked, Mode.DIFF, base, text)

    def _text(self, newest: Newest) -> list[str] | None:
        """The lines that the model has; None if a version of them is gone, or they are no text without holes."""
        versions: dict[str, list[str]] = {}
        found: list[str] = []
        for span in newest:
            if span.hash not in versions:
                data = self.objects.get(span.hash)
                text = _text_of(data) if data is not None else None
                if text is None:
                    return None
                versions[span.hash] = split(text)
            if len(found) != span.start - newest[0].start:
                return None
            found += slice_of(versions[span.hash], span.start, span.end)
        return found if newest and all(line.endswith("\n") for line in found[:-1]) else None

    def _differs_elsewhere(self, asked: _Asked, knowledge: Knowledge, newest: Newest) -> bool:
        """Whether the file differs from what the model has, in lines that weren't asked for."""
        whole = knowledge.newest(asked.source.path_key, FULL_SCOPE)
        return self._text(whole) != asked.lines if whole else len(newest) == 1

    def _draft(self, session: Session, kind: str, entry: int | None, parent: int | None) -> tuple[NewEntry, str]:
        if session.guarantee == "tree" and (parent is None or not self._has(session, parent)):
            return NewEntry(Kind.GAP), "the parent is not known: nothing before is trusted"
        if kind in ("navigate", "drop") and (entry is None or not self._has(session, entry)):
            # The entry it is about is unknown, so nothing before it is trusted.
            return NewEntry(Kind.GAP), "that entry is not known: nothing before is trusted"
        if kind == "resume":
            if entry is not None and not self._has(session, entry):
                return NewEntry(Kind.GAP), "that entry is not known: nothing before is trusted"
            return NewEntry(Kind.NAVIGATE if entry is not None else Kind.RESUME, target=entry), ""
        return NewEntry(Kind(kind), target=entry), ""

    def _gap(self, session: Session, sequence: int | None) -> list[NewEntry]:
        """A gap entry, if the client's count says that an event was not reported."""
        if sequence is None:
            return []
        _, last = self.log.last(session.session)
        return [] if last is None or sequence == last + 1 else [NewEntry(Kind.GAP)]

    def _leaf(self, session: Session, parent: int | None) -> int | None:
        """The entry after which the next one comes; None in a branching session if the parent is unknown."""
        if session.guarantee == "linear":
            last, _ = self.log.last(session.session)
            return last or None
        return parent if parent is not None and self._has(session, parent) else None

    def _has(self, session: Session, entry: int) -> bool:
        return self._branches.knowledge(session, entry) is not None

    def _require(self, session: str) -> Session:
        known = self.log.session(session)
        if known is None:
            raise UsageError(
                f"There is no session {session[:_ID_CHARS]!r}.", hint=Advice(NextStep("open_session"), " first.")
            )
        return known


def _are_numbers(*numbers: int | None) -> bool:
    return all(number is None or 0 <= number < _LARGEST for number in numbers)


def _require_numbers(*numbers: int | None) -> None:
    if not _are_numbers(*numbers):
        raise UsageError("That is no number of an entry.", hint="Give the numbers that answers gave.")


def _text_of(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _no_text(source: ReadSource) -> ReadAnswer:
    return ReadAnswer(
        Mode.FULL,
        f"[{source.path} is no text in UTF-8: {len(source.data):,} bytes]",
        source.path,
        0,
        0,
        0,
        source.file_hash,
        plain_because="no text",
    )


def _plain(asked: _Asked, why: str) -> ReadAnswer:
    return replace(_content(asked, Mode.FULL, ""), meta=None, plain_because=why)


def _content(asked: _Asked, mode: Mode, base: str) -> ReadAnswer:
    """The lines themselves, as many as there is room for; only those are anchored."""
    most = asked.request.max_bytes
    text, end = _within(asked.lines, asked.start, asked.end, most)
    truncated = end < asked.end
    if truncated and end < asked.start:
        # Not even one line: a part of it is better than nothing, and nothing can be built on it.
        text = asked.lines[asked.start - 1].encode()[:most].decode("utf-8", "ignore")
    scope = range_scope(asked.start, end) if truncated and end >= asked.start else asked.scope
    size = len(text.encode())
    meta = _meta(asked, scope, mode, base, end, size, size) if end >= asked.start or not asked.lines else None
    return ReadAnswer(
        mode,
        text,
        asked.source.path,
        len(asked.lines),
        asked.start,
        end,
        asked.source.file_hash,
        truncated,
        meta,
        full_bytes=len("".join(slice_of(asked.lines, asked.start, asked.end)).encode()) if truncated else 0,
    )


def _derived(asked: _Asked, base: str, *, elsewhere: bool) -> ReadAnswer:
    mode = Mode.UNCHANGED_RANGE if asked.request.is_range else Mode.UNCHANGED
    text = _unchanged(asked, elsewhere=elsewhere)
    if len(asked.wanted) <= len(text):
        # The lines themselves are no longer than the word that they are as they were.
        return _content(asked, Mode.FULL, "")
    return _given(asked, mode, base, text)


def _given(asked: _Asked, mode: Mode, base: str, text: str) -> ReadAnswer:
    meta = _meta(asked, asked.scope, mode, base, asked.end, len(text.encode()), len(asked.wanted.encode()))
    return ReadAnswer(
        mode, text, asked.source.path, len(asked.lines), asked.start, asked.end, asked.source.file_hash, False, meta
    )


def _meta(asked: _Asked, scope: str, mode: Mode, base: str, end: int, size: int, full: int) -> ReadMeta:
    is_range = scope != FULL_SCOPE
    return ReadMeta(
        asked.source.path_key,
        scope,
        asked.source.file_hash,
        mode,
        base,
        len(asked.lines),
        asked.start if is_range else 0,
        end if is_range else 0,
        size,
        full,
    )


def _within(lines: list[str], start: int, end: int, most: int) -> tuple[str, int]:
    """Whole lines as long as there is room, and the number of the last."""
    kept, size = [], 0
    for line in slice_of(lines, start, end):
        size += len(line.encode())
        if size > most:
            break
        kept.append(line)
    return "".join(kept), start + len(kept) - 1


def _unchanged(asked: _Asked, *, elsewhere: bool) -> str:
    total = len(asked.lines)
    if not asked.request.is_range:
        return f"[readcache: unchanged, {plural(total, 'line')}]"
    where = f"lines {asked.start}-{asked.end}"
    if elsewhere:
        return f"[readcache: unchanged in {where}; changes exist outside this range]"
    return f"[readcache: unchanged in {where} of {total}]"
