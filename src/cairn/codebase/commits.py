"""A search of the past: commits whose message, or whose changed lines, hold a text or an expression."""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from datetime import time as clock_time
from typing import TYPE_CHECKING

from cairn.base import deadline
from cairn.base.errors import DeadlineError, PathKeyError, RefusedError, UsageError
from cairn.base.notes import Lift, Note
from cairn.base.values import dataclass, field
from cairn.search.lines import Line, Matcher
from cairn.search.pattern import Pattern
from cairn.workspace.commits import ChangedFile, CommitsMeant, changed_by, ids_of, said_by
from cairn.workspace.pathkey import path_key
from cairn.workspace.secrets import require_no_former_secret

if TYPE_CHECKING:
    from cairn.workspace.beneath import Beneath
    from cairn.workspace.git import Git

MESSAGES, CHANGES = "messages", "changes"
_BATCH = 250
"""Commits that git is asked of at once: between two batches a deadline counts, and whoever has gone away is heard."""
_PATIENCE_S = 10.0
_ALL = 1 << 30
_ABSENT = "0"
_DAY_CHARS = len("2026-01-31")


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """What is looked for, and in which commits."""

    pattern: Pattern
    look_in: tuple[str, ...] = (MESSAGES, CHANGES)
    meant: CommitsMeant = field(default_factory=CommitsMeant)
    head: str | None = None
    """The revision from which on one goes back; None: HEAD."""
    skip: int = 0
    """How many of the commits an earlier page looked at."""
    back: int = 5_000
    """How many are looked at."""
    limit: int = 20
    lines: int = 5
    """How many lines of a file are shown."""


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line that a commit took away or brought in, and that matches."""

    sign: str
    line: int
    """Its number: in the file as it was, or as it became."""
    text: str
    offset: int
    match: str


@dataclass(frozen=True, slots=True)
class PastFile:
    """A file of which a commit changed matching lines."""

    path: str
    former: str
    total: int
    lines: tuple[ChangedLine, ...]


@dataclass(frozen=True, slots=True)
class FoundCommit:
    """A commit with what matches in it."""

    id: str
    at: str
    author: str
    subject: str
    message: tuple[str, ...]
    """Lines of the message that match."""
    files: tuple[PastFile, ...]


@dataclass(frozen=True, slots=True)
class FoundCommits:
    """Commits that match, the latest first."""

    head: str | None
    """The commit that was begun at; None where there is none yet."""
    items: tuple[FoundCommit, ...]
    looked_at: int
    """How many commits were looked at up to here, by earlier pages too."""
    more: bool
    """Whether there are earlier ones at which nobody has looked."""


def seconds_of(day: str | None, hour: clock_time) -> str:
    """A time in seconds, which git need not guess at; a day alone is meant at an hour. UsageError for anything else."""
    if not day:
        return ""
    try:
        at = datetime.fromisoformat(day)
        at = at if len(day) > _DAY_CHARS else datetime.combine(at, hour)
        return str(max(0, int(at.timestamp())))
    except (ValueError, OverflowError):
        hint = "Give a day like 2026-01-31, or a time like 2026-01-31T12:00."
        raise UsageError(f"{day!r:.80} is no day.", hint=hint) from None


def pathspecs_of(within: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    """Folders and files, and globs as everywhere here, in git's terms: a name without a slash counts in any folder."""
    found = [f":(literal){each}" for each in within]
    for given in globs:
        out, glob = ("exclude,", given[1:]) if given.startswith("!") else ("", given)
        glob = glob.strip("/") if "/" in glob.strip("/") else f"**/{glob.strip('/')}"
        # What matches a folder matches everything beneath it.
        found += [f":({out}glob){glob}", f":({out}glob){glob}/**"]
    return tuple(found)


def find_commits(git: "Git", tree: "Beneath", request: CommitRequest) -> tuple[FoundCommits, tuple[Note, ...]]:
    """The latest commits that match, and what to know of the search."""
    meant = request.meant
    if "\0" in "".join((meant.author, *meant.pathspecs)):
        raise UsageError("A name holds no NUL.", hint="Leave it out.")
    start = git.head() if request.head is None else git.commit_of(request.head)
    if start is None:
        return FoundCommits(None, (), 0, more=False), ()
    ids = ids_of(git, start, meant, request.skip, request.back + 1)
    ids, is_cut = ids[: request.back], len(ids) > request.back
    found: list[FoundCommit] = []
    given_up: list[str] = []
    looked_at = 0
    with Matcher(request.pattern) as matcher:
        search = _Search(git, tree, request, matcher, given_up, time.monotonic() + _PATIENCE_S)
        for at in range(0, len(ids), _BATCH):
            deadline.check()
            batch = ids[at : at + _BATCH]
            found += search.matching(batch)
            looked_at += len(batch)
            if len(found) > request.limit:
                break
    shown = found[: request.limit]
    if len(found) > len(shown):
        looked_at = ids.index(shown[-1].id) + 1
    notes = [Note("commits_cut", {"limit": request.limit}, Lift("limit"))] if len(found) > len(shown) else []
    more = looked_at < len(ids) or is_cut
    if more and not notes:
        notes = [Note("looked_back", {"limit": request.back}, Lift("back", request.back * 10))]
    if given_up:
        notes.append(Note("took_too_long", {"files": given_up[:20], "count": len(given_up)}))
    return FoundCommits(start, tuple(shown), request.skip + looked_at, more), tuple(notes)


@dataclass(frozen=True, slots=True)
class _Search:
    git: "Git"
    tree: "Beneath"
    request: CommitRequest
    matcher: Matcher
    given_up: list[str]
    ends: float
    """When an expression that may never end is given up for good, on the monotonic clock."""

    def matching(self, ids: Sequence[str]) -> Iterator[FoundCommit]:
        """Those of some commits that match, in their order."""
        pattern, look_in = self.request.pattern, self.request.look_in
        changes: Mapping[str, list[ChangedFile]] = {}
        if CHANGES in look_in:
            case = pattern.ignore_case
            changes = changed_by(self.git, ids, self.request.meant, pattern.needle, ignore_case=case)
        # Without the messages only those commits are told that are found.
        said = (
            list(said_by(self.git, ids if MESSAGES in look_in else [*changes]))
            if changes or MESSAGES in look_in
            else []
        )
        lines = self._lines([each.message.encode() for each in said], [each.id for each in said])
        for commit, own in zip(said, lines, strict=True):
            files = tuple(self._files(changes.get(commit.id, ())))
            message = tuple(line.text for line in own[: self.request.lines]) if MESSAGES in look_in else ()
            if files or message:
                subject = commit.message.partition("\n")[0]
                yield FoundCommit(commit.id, commit.at, commit.author, subject, message, files)

    def _files(self, files: Sequence[ChangedFile]) -> Iterator[PastFile]:
        texts = [b"\n".join(row[2] for row in each.rows) for each in files]
        for file, lines in zip(files, self._lines(texts, [each.path for each in files]), strict=True):
            if not lines:
                continue
            try:
                path, former = path_key(file.path), path_key(file.former)
            except PathKeyError:
                continue  # no address leads to it
            if self._may_be_shown(path, former, file):
                shown = tuple(_line(file, line) for line in lines[: self.request.lines])
                yield PastFile(path, former, len(lines), shown)

    def _lines(self, texts: Sequence[bytes], names: Sequence[str]) -> Iterator[list[Line]]:
        for name, lines in zip(names, self.matcher.lines(texts, _ALL, self.ends), strict=True):
            if lines is None:
                self.given_up.append(name)
                if time.monotonic() >= self.ends:
                    raise DeadlineError("The expression takes too long.", hint="Look for something simpler.")
            yield lines or []

    def _may_be_shown(self, path: str, former: str, file: ChangedFile) -> bool:
        """Whether neither what the file was nor what it became is a secret, by its name or by its first line."""
        try:
            for name, blob in zip((former, path), file.blobs, strict=True):
                data = b"" if not blob.strip(_ABSENT) else self.git.ask("cat-file", "blob", blob)
                require_no_former_secret(self.tree, name, data)
        except RefusedError:
            return False
        return True


def _line(file: ChangedFile, line: Line) -> ChangedLine:
    sign, number, _ = file.rows[line.number - 1]
    return ChangedLine(sign, number, line.text, line.offset, line.match)
