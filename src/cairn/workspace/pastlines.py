"""The commits that changed some lines of a file, the latest first, as git follows them: also through renames."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cairn.base.values import dataclass
from cairn.workspace.hunks import ADDED, KEPT, REMOVED, hunks_of

if TYPE_CHECKING:
    from cairn.workspace.git import Git

_FORMAT = "--format=%x01%H%x00%aI%x00%an%x00%s%x00"
_SAFE = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-decorate")
_COMMIT = re.compile(rb"^\x01(?=[0-9a-f]{40,64}\x00)", re.MULTILINE)
"""No line of a patch begins so."""
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NOTHING = "/dev/null"


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
    """added, changed, or renamed"""
    text: str
    added: int
    removed: int
    diff: str
    """The lines that differ from those before, each behind its sign."""


@dataclass(frozen=True, slots=True)
class LinesHistory:
    """Some of the commits that changed some lines."""

    commits: tuple[PastLines, ...]
    more: bool
    """Whether there are earlier ones among the commits that were looked at."""
    looked_back: int | None
    """How many commits were looked at, where there are more of them; None: all."""


def past_of(git: "Git", start: str, path: str, lines: tuple[int, int], limit: int, back: int) -> LinesHistory:
    """The last commits up to `start` that changed lines of a file, as the file is there; among the last `back`."""
    looked_at = git.ask("rev-list", f"--max-count={back + 1}", start).decode().split()
    cut = len(looked_at) > back
    extent = f"{looked_at[-1]}..{start}" if cut else start
    chosen = f"-L{lines[0]},{lines[1]}:{path}"
    said = git.ask("log", f"--max-count={limit + 1}", _FORMAT, *_SAFE, chosen, extent)
    found = [each for part in _COMMIT.split(said)[1:] if (each := _commit(part)) is not None]
    return LinesHistory(tuple(found[:limit]), len(found) > limit, back if cut else None)


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


def _commit(said: bytes) -> PastLines | None:
    head, _, patch = said.partition(b"\0\n")
    identity, at, author, subject = (each.decode("utf-8", "replace") for each in head.split(b"\0")[:4])
    paths, rows, first, spans = ["", ""], list[tuple[str, str]](), 1, 0
    for raw in patch.split(b"\n"):
        line = raw.decode("utf-8", "surrogateescape")
        if not spans and line.startswith(("--- ", "+++ ")):
            paths[line.startswith("+")] = _path(line[4:])
        elif match := _HUNK.match(line):
            first, spans = first if spans else int(match[2]), spans + 1
        elif spans and line[:1] in (KEPT, ADDED, REMOVED):
            rows.append((line[0], line[1:].encode("utf-8", "surrogateescape").decode("utf-8", "replace")))
    if not spans:
        return None  # a merge that changed nothing of it
    text = "".join(f"{line}\n" for kind, line in rows if kind != REMOVED)
    differs = list(_differing(rows))
    kinds = [kind for kind, _ in rows]
    change = "added" if paths[0] == _NOTHING or (REMOVED not in kinds and KEPT not in kinds) else "changed"
    if change == "changed" and paths[0] != paths[1]:
        change = "renamed"
    return PastLines(
        identity,
        at,
        author,
        subject,
        paths[1],
        first,
        first + max(len(kinds) - kinds.count(REMOVED), 1) - 1,
        change,
        text,
        kinds.count(ADDED),
        kinds.count(REMOVED),
        "\n".join(differs),
    )


def _differing(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    return (kind + line for kind, line in rows if kind != KEPT)


def _path(said: str) -> str:
    """A name as a patch spells it: behind `a/` or `b/`, in quotes where it holds odd characters."""
    name = said.removesuffix("\t")
    if name.startswith('"'):
        plain = name[1:-1].encode("utf-8", "surrogateescape").decode("unicode_escape")
        name = plain.encode("latin-1", "replace").decode("utf-8", "replace")
    return name if name == _NOTHING else name[2:]
