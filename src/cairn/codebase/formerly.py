"""What a definition was: git follows lines, and each step is held against the definitions of both of its texts.

Lines alone would go on into whatever stood there before the definition was made, and would end where it came from
another file.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from cairn.base import deadline
from cairn.base.values import dataclass, replace
from cairn.graph.changed import parsed
from cairn.languages.files import language_of
from cairn.workspace.hunks import lines_of
from cairn.workspace.pastlines import Commits, Lines, LinesChange, LinesHistory, PastLines

if TYPE_CHECKING:
    from cairn.syntax.facts import Symbol
    from cairn.workspace.git import Git

_ALIKE = 0.5
"""Of its text, as git takes a file for a renamed one."""
_MOST_FILES = 200
_HEAD = 256


@dataclass(frozen=True, slots=True)
class _Known:
    """A definition in a commit."""

    commit: str
    path: str
    symbol: Symbol

    @property
    def lines(self) -> Lines:
        return Lines(self.path, self.symbol.start_line, self.symbol.end_line)


def past_of_definition(
    commits: Commits, head: str, lines: Lines, name: str, names: Collection[str], limit: int
) -> LinesHistory:
    """The last commits that changed the definition `name`, which has these lines in `head`.

    `names` are those of the file now: a definition that nobody has committed by its name may have had another.
    """
    texts = _Texts(commits.git)
    found: list[PastLines] = []
    first = texts.definition(head, lines, name) or texts.renamed_since(head, lines, names)
    start, lines, name = (head, first.lines, first.symbol.qualified_name) if first else (None, lines, name)
    while start is not None and len(found) <= limit:
        steps, start = commits.steps(start, lines, limit + 1 - len(found)), None
        for step in steps:
            deadline.check()
            now = texts.definition(step.found.commit, Lines(step.found.path, *_span(step.found)), name)
            if now is None:
                break
            was = _before(texts, step, name) or _origin(texts, step, now)
            found.append(_of_definition(texts, step.found, now, was))
            if was is None:
                break
            if was.symbol.qualified_name != name or step.before is None or was.path != step.before.path:
                start, lines, name = was.commit, was.lines, was.symbol.qualified_name
                break
    kept = tuple(found[:limit])
    return LinesHistory(kept, len(found) > limit, commits.looked_back, commits.is_shallow)


class _Texts:
    """The definitions of files in commits."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.symbols = lru_cache(maxsize=64)(self._symbols)
        self.text = lru_cache(maxsize=64)(self._text)

    def _text(self, commit: str, path: str) -> str:
        return (self.git.blob(commit, path) or b"").decode("utf-8", "replace")

    def _symbols(self, commit: str, path: str) -> tuple[Symbol, ...]:
        text = self.text(commit, path)
        return tuple(parsed(path, language_of(path, text[:_HEAD].encode()), text).symbols)

    def definition(self, commit: str, lines: Lines, name: str) -> _Known | None:
        """The definition of a name in a file; where there are several, one that has some of the lines."""
        named = [each for each in self.symbols(commit, lines.path) if each.qualified_name == name]
        near = [each for each in named if lines.overlap(each.start_line, each.end_line)] or named
        return _Known(commit, lines.path, near[0]) if near else None

    def renamed_since(self, commit: str, lines: Lines, names: Collection[str]) -> _Known | None:
        """The only definition with some of the lines whose name its file hasn't any more."""
        near = [each for each in self.symbols(commit, lines.path) if lines.overlap(each.start_line, each.end_line)]
        gone = [each for each in near if each.qualified_name not in names]
        return _Known(commit, lines.path, gone[0]) if len(gone) == 1 else None

    def body(self, known: _Known) -> list[str]:
        """Its lines."""
        return lines_of(self.text(known.commit, known.path))[known.symbol.start_line - 1 : known.symbol.end_line]

    def gone(self, commit: str, path: str, kind: str, since: str, after: str) -> list[_Known]:
        """The definitions of a kind that a file had and another text hasn't."""
        left = {each.qualified_name for each in self.symbols(since, after)}
        had = self.symbols(commit, path)
        return [_Known(commit, path, each) for each in had if each.kind == kind and each.qualified_name not in left]


def _before(texts: _Texts, step: LinesChange, name: str) -> _Known | None:
    """The definition as it was before a step: where git says that its lines were, or elsewhere in the file."""
    lines = step.before or Lines(step.found.path, *_span(step.found))
    found = (texts.definition(parent, lines, name) for parent in step.parents)
    return next((each for each in found if each is not None), None)


def _origin(texts: _Texts, step: LinesChange, now: _Known) -> _Known | None:
    """What a definition was that its commit gave its name, or took from another file; None if it was made there."""
    for parent in step.parents:
        if step.before is not None:
            gone = texts.gone(parent, step.before.path, now.symbol.kind, now.commit, now.path)
            renamed = [each for each in gone if step.before.overlap(each.symbol.start_line, each.symbol.end_line)]
        else:
            renamed = []
        for found in (renamed, _moved(texts, parent, now)):
            alike = [each for each in found if _are_alike(texts.body(each), texts.body(now))]
            if len(alike) == 1:
                return alike[0]
    return None


def _moved(texts: _Texts, parent: str, now: _Known) -> list[_Known]:
    """Definitions of the same name that other files lost in the commit."""
    names = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--relative", parent, now.commit)
    others = [path for raw in texts.git.ask(*names).split(b"\0") if (path := raw.decode("utf-8", "replace"))]
    name = now.symbol.qualified_name
    return [
        known
        for path in others[:_MOST_FILES]
        if path != now.path and now.symbol.name in texts.text(parent, path)
        for known in texts.gone(parent, path, now.symbol.kind, now.commit, path)
        if known.symbol.qualified_name == name
    ]


def _are_alike(old: list[str], new: list[str]) -> bool:
    one, other = ([line.strip() for line in text] for text in (old, new))
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _of_definition(texts: _Texts, found: PastLines, now: _Known, was: _Known | None) -> PastLines:
    """A step with the definition's own text, and what became of the definition in it."""
    if was is None:
        change = "added"
    elif was.path != now.path:
        change = "renamed" if found.change == "renamed" else "moved"
    else:
        change = "changed" if was.symbol.qualified_name == now.symbol.qualified_name else "renamed"
    text = "".join(f"{line}\n" for line in texts.body(now))
    first, last = now.symbol.start_line, now.symbol.end_line
    return replace(found, change=change, text=text, start_line=first, end_line=last)


def _span(found: PastLines) -> tuple[int, int]:
    return found.start_line, found.end_line
