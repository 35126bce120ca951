"""Which commit each line of a text comes from, as git tells it; lines that no commit has yet are their author's."""

from typing import TYPE_CHECKING

from cairn.base.values import dataclass

if TYPE_CHECKING:
    from cairn.workspace.git import Git

_NOBODY = "0" * 40


@dataclass(frozen=True, slots=True)
class BlamedCommit:
    """A commit, as far as one wants to know it beside a line."""

    commit: str
    author: str
    time: int
    """When it was written, in seconds."""
    subject: str


@dataclass(frozen=True, slots=True)
class Blame:
    """Runs of lines, in order: the first line, how many, and which of the commits; None for lines of no commit."""

    commits: tuple[BlamedCommit, ...]
    runs: tuple[tuple[int, int, int | None], ...]


def blame(git: "Git", path: str, data: bytes) -> Blame:
    """The last change of each line of a file that holds this text; GitError where git can't tell."""
    return read_blame(git.blamed(path, data))


def read_blame(said: bytes) -> Blame:
    """What `git blame --porcelain` says: a commit's own lines come once, and each line of text after a tab."""
    commits: dict[str, int] = {}
    known: dict[str, dict[str, str]] = {}
    runs: list[tuple[int, int, int | None]] = []
    name, line = "", 0
    for row in said.split(b"\n"):
        if row.startswith(b"\t"):
            number = None if name == _NOBODY else commits.setdefault(name, len(commits))
            if runs and runs[-1][2] == number and runs[-1][0] + runs[-1][1] == line:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1, number)
            else:
                runs.append((line, 1, number))
            continue
        word, _, rest = row.decode("utf-8", "replace").partition(" ")
        if len(word) in (40, 64) and all(letter in "0123456789abcdef" for letter in word):
            name, line = word, int(rest.split()[1])
            name = _NOBODY if not name.strip("0") else name
            known.setdefault(name, {})
        elif name:
            known[name].setdefault(word, rest)
    return Blame(tuple(_commit(name, known[name]) for name in commits), tuple(runs))


def _commit(name: str, fields: dict[str, str]) -> BlamedCommit:
    time = fields.get("author-time", "0")
    return BlamedCommit(name, fields.get("author", ""), int(time) if time.isdecimal() else 0, fields.get("summary", ""))
