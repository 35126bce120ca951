"""What many commits say and changed: their messages, and the lines that each took away and brought in."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.values import dataclass, field
from cairn.workspace.hunks import ADDED, REMOVED

if TYPE_CHECKING:
    from cairn.workspace.git import Git

_COMMIT = b"\x01"
_SAID = "--format=%x01%H%x00%aI%x00%an%x00%B%x00"
_NAMED = "--format=%x01%H"
_LISTED = ("log", "--no-walk=unsorted", "--stdin")
_LINES = (
    "--patch", "--unified=0", "--inter-hunk-context=0", "--full-index", "--find-renames", "--src-prefix=a/",
    "--dst-prefix=b/", "--no-color", "--no-ext-diff", "--no-textconv", "--relative", "--ignore-submodules=all",
    "--no-diff-merges", "--root",
)  # fmt: skip
_HUNK = lazy.expression(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BLOBS = lazy.expression(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_SPECIAL = lazy.expression(rb"([\\.\[\]{}()*+?^$|])")


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit says of itself."""

    id: str
    at: str
    author: str
    message: str


@dataclass(slots=True)
class ChangedFile:
    """The lines of a file that a commit changed; paths are raw, and those of a deleted file are what it was called."""

    path: str = ""
    former: str = ""
    blobs: tuple[str, str] = ("", "")
    """What it was and what it became; zeros for nothing."""
    rows: list[tuple[str, int, bytes]] = field(default_factory=list)
    """(sign, line number on its side, line)"""


@dataclass(frozen=True, slots=True)
class CommitsMeant:
    """Which commits are meant: those of an author, of a time, that changed something at git's pathspecs."""

    author: str = ""
    after: str = ""
    """Seconds since 1970, as text."""
    before: str = ""
    pathspecs: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The pathspecs as arguments."""
        return ("--", *self.pathspecs) if self.pathspecs else ()


def ids_of(git: "Git", start: str, meant: CommitsMeant, skip: int, most: int) -> list[str]:
    """Commits from a revision back, the latest first, without the first `skip`."""
    named = {"--author": meant.author, "--max-age": meant.after, "--min-age": meant.before}
    given = [f"{name}={value}" for name, value in named.items() if value]
    bounds = (f"--skip={skip}", f"--max-count={most}", "--fixed-strings", "--regexp-ignore-case")
    return git.ask("rev-list", *bounds, *given, start, *(meant.paths or ("--",))).decode().split()


def said_by(git: "Git", ids: Sequence[str]) -> Iterator[Commit]:
    """What some commits say, in their order."""
    said = git.ask(*_LISTED, _SAID, "-z", "--no-patch", "--encoding=UTF-8", given=_given(ids))
    # No part of a commit can hold a NUL.
    fields = [each.decode("utf-8", "replace") for each in said.split(b"\0")]
    for at in range(0, len(fields) - 4, 5):
        identity, when, author, message = fields[at : at + 4]
        yield Commit(identity.lstrip("\n\x01"), when, author, message.strip("\n"))


def changed_by(
    git: "Git", ids: Sequence[str], meant: CommitsMeant, needle: bytes = b"", *, ignore_case: bool = False
) -> dict[str, list[ChangedFile]]:
    """The lines that some commits changed, of files where one of them holds the needle; a merge changes none."""
    # Git reads it as an extended expression of POSIX, byte by byte.
    held = ("-G" + _SPECIAL.sub(rb"\\\1", needle).decode("utf-8", "surrogateescape"),) if needle else ()
    case = ("--regexp-ignore-case",) * ignore_case
    said = git.ask(*_LISTED, _NAMED, *_LINES, *held, *case, *meant.paths, given=_given(ids))
    return dict(_changes_in(said))


def _given(ids: Sequence[str]) -> bytes:
    return "".join(f"{each}\n" for each in ids).encode()


def _changes_in(said: bytes) -> Iterator[tuple[str, list[ChangedFile]]]:
    files: list[ChangedFile] = []
    file = ChangedFile()
    old = new = left_old = left_new = 0
    for line in said.split(b"\n"):
        sign = line[:1]
        # Within a hunk only the counts tell a line from what looks like a head.
        if left_old and sign == b"-":
            file.rows.append((REMOVED, old, line[1:]))
            old, left_old = old + 1, left_old - 1
        elif left_new and sign == b"+":
            file.rows.append((ADDED, new, line[1:]))
            new, left_new = new + 1, left_new - 1
        elif sign == _COMMIT:
            files = []
            yield line[1:].decode(), files
        elif line.startswith(b"diff --git "):
            file = ChangedFile()
            files.append(file)
        elif (hunk := _HUNK.match(line)) is not None:
            old, new = int(hunk[1]), int(hunk[3])
            left_old, left_new = (1 if count is None else int(count) for count in (hunk[2], hunk[4]))
        elif (blobs := _BLOBS.match(line)) is not None:
            file.blobs = blobs[1].decode(), blobs[2].decode()
        elif sign in (b"-", b"+"):
            _name(file, line)


def _name(file: ChangedFile, line: bytes) -> None:
    """Take the name from a line like `+++ b/src/a.py`; odd ones stand in quotes."""
    name = line[4:].removesuffix(b"\t")
    if name.startswith(b'"'):
        name = name[1:-1].decode("unicode_escape").encode("latin-1")
    if name == b"/dev/null":
        return
    path = os.fsdecode(name[2:])
    file.former = file.former or path
    file.path = path
