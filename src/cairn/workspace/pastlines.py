"""The commits that changed some lines of a file, the latest first, as git follows them: also through renames."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cairn.base.values import dataclass
from cairn.workspace.gitfolders import ends_of_clone
from cairn.workspace.hunks import ADDED, KEPT, REMOVED, hunks_of

if TYPE_CHECKING:
    from cairn.workspace.git import Git

_FORMAT = "--format=%x01%H%x00%P%x00%aI%x00%an%x00%s%x00"
_SAFE = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-decorate")
_COMMIT = re.compile(rb"^\x01(?=[0-9a-f]{40,64}\x00)", re.MULTILINE)
"""No line of a patch begins so."""
_PATCH = re.compile(rb"\n--- (.*?)\n\+\+\+ (.*?)\n(?=@@ -)", re.DOTALL)
"""Git writes names as they are here, also those with line breaks."""
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@")
_NOTHING = b"/dev/null"


@dataclass(frozen=True, slots=True)
class PastLines:
    """Some lines as a commit left them."""

    commit: str
    at: str
    author: str
    subject: str
    path: str
    """The file's name in that commit."""
    start_line: int
    end_line: int
    change: str
    """added, changed, renamed or moved"""
    text: str
    added: int
    removed: int
    diff: str
    """The lines that differ from those before, each behind its sign."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of a file."""

    path: str
    first: int
    last: int

    def overlap(self, first: int, last: int) -> bool:
        """Whether some of them are among other lines of the file."""
        return first <= self.last and self.first <= last


@dataclass(frozen=True, slots=True)
class LinesChange:
    """A commit that changed some lines."""

    found: PastLines
    parents: tuple[str, ...]
    before: Lines | None
    """Where they were before it; None where all of them are new."""


@dataclass(frozen=True, slots=True)
class LinesHistory:
    """Some of the commits that changed some lines."""

    commits: tuple[PastLines, ...]
    more: bool
    """Whether there are earlier ones among the commits that were looked at."""
    looked_back: int | None = None
    """How many commits were looked at, where there are more of them; None: all."""
    is_shallow: bool = False
    """Whether it ends where the clone has no earlier commits, though there are some."""


class Commits:
    """The last so many commits up to one, where git follows lines back."""

    def __init__(self, git: "Git", head: str, back: int) -> None:
        looked_at = git.ask("rev-list", f"--max-count={back + 1}", head).decode().split()
        self.git = git
        self.looked_back = back if len(looked_at) > back else None
        self.is_shallow = False
        """Whether a step came to where a shallow clone ends."""
        self._oldest = looked_at[-1] if self.looked_back is not None else None
        self._ends = ends_of_clone(git.root)
        self._folder = git.ask("rev-parse", "--show-prefix").removesuffix(b"\n")

    def steps(self, start: str, lines: Lines, most: int) -> list[LinesChange]:
        """The last commits up to `start` that changed lines of a file, as the file is there."""
        extent = f"{self._oldest}..{start}" if self._oldest else start
        chosen = f"-L{lines.first},{lines.last}:{lines.path}"
        said = self.git.ask("log", f"--max-count={most}", _FORMAT, *_SAFE, chosen, extent)
        found = [each for part in _COMMIT.split(said)[1:] if (each := _step(part, self._folder)) is not None]
        # What such a commit changed is not known: all that it holds looks new.
        known = [each for each in found if each.found.commit not in self._ends]
        self.is_shallow |= len(known) < len(found)
        return known


def past_of(commits: Commits, head: str, lines: Lines, limit: int) -> LinesHistory:
    """The last commits that changed some lines, whatever stood there."""
    found = tuple(step.found for step in commits.steps(head, lines, limit + 1))
    return LinesHistory(found[:limit], len(found) > limit, commits.looked_back, commits.is_shallow)


def lines_before(old: Sequence[str], new: Sequence[str], first: int, last: int) -> tuple[int, int] | None:
    """Which lines of an old text some lines of a new one were; None where all of them are new."""
    start, end = first, last
    for hunk in hunks_of(old, new, 0):
        kinds = [kind for kind, _ in hunk.rows]
        added, removed = kinds.count(ADDED), kinds.count(REMOVED)
        below = hunk.new_start + added
        moved = removed - added
        if first >= below:
            start += moved
        elif first >= hunk.new_start:
            start = hunk.old_start
        if last >= below:
            end += moved
        elif last >= hunk.new_start:
            end = hunk.old_start + removed - 1
    return (start, end) if start <= end else None


def _step(said: bytes, folder: bytes) -> LinesChange | None:
    head, _, patch = said.partition(b"\0\n")
    identity, parents, at, author, subject = (each.decode("utf-8", "replace") for each in head.split(b"\0")[:5])
    names = _PATCH.search(patch)
    if names is None:
        return None  # a merge that changed nothing of it
    old, new = (_path(name, folder) for name in names.groups())
    rows: list[tuple[str, str]] = []
    spans: list[tuple[int, int]] = []
    first = 0
    for raw in patch[names.end() :].split(b"\n"):
        line = raw.decode("utf-8", "surrogateescape")
        if match := _HUNK.match(line):
            first = first or int(match[3])
            start, count = int(match[1]), int(match[2] or 1)
            spans += [(start, start + count - 1)] * bool(count)
        elif line[:1] in (KEPT, ADDED, REMOVED):
            rows.append((line[0], line[1:].encode("utf-8", "surrogateescape").decode("utf-8", "replace")))
    text = "".join(f"{line}\n" for kind, line in rows if kind != REMOVED)
    kinds = [kind for kind, _ in rows]
    before = Lines(old, spans[0][0], spans[-1][1]) if old and spans else None
    change = "added" if before is None else "changed" if old == new else "renamed"
    last = first + max(len(kinds) - kinds.count(REMOVED), 1) - 1
    counts = kinds.count(ADDED), kinds.count(REMOVED)
    found = PastLines(
        identity, at, author, subject, new, first, last, change, text, *counts, "\n".join(_differing(rows))
    )
    return LinesChange(found, tuple(parents.split()), before)


def _differing(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    return (kind + line for kind, line in rows if kind != KEPT)


def _path(said: bytes, folder: bytes) -> str:
    """A name behind `a/` or `b/`, told from the folder that is asked; empty where there is no file."""
    return "" if said == _NOTHING else os.fsdecode(said[2:].removeprefix(folder))
