"""What a definition was: the commits that changed it, each with the text that it left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cairn.base.errors import NotIndexedError, RefusedError, UsageError
from cairn.base.notes import Lift, Note
from cairn.base.values import dataclass
from cairn.codebase.bodies import CodeFindings
from cairn.codebase.bounds import require_file, require_line
from cairn.codebase.changing import ChangeInsight
from cairn.codebase.formerly import past_of_definition
from cairn.graph.shown import as_written
from cairn.workspace.beneath import Beneath
from cairn.workspace.hunks import lines_of
from cairn.workspace.pastlines import Commits, Lines, LinesHistory, PastLines, lines_before, past_of
from cairn.workspace.pathkey import quoted
from cairn.workspace.secrets import require_no_former_secret

if TYPE_CHECKING:
    from cairn.codebase.answers import Now
    from cairn.codebase.bodies import Answer
    from cairn.graph.resolve import Resolver
    from cairn.workspace.git import Git

_LINES = re.compile(r"(.+):(\d{1,9})-(\d{1,9})", re.DOTALL)
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Past:
    """Some lines now, and the commits that changed them, the latest first."""

    path: str
    name: str
    """The definition that they are; empty where lines were named."""
    start_line: int
    end_line: int
    text: str
    uncommitted: bool
    """Whether they are not as the last commit has them."""
    head: str | None
    """The commit that was looked back from."""
    commits: tuple[PastLines, ...]

    @property
    def items(self) -> tuple[PastLines, ...]:
        """The commits."""
        return self.commits


class PastInsight(ChangeInsight):
    """All code questions over one codebase."""

    def past(self, git: Git | None, target: str, limit: int, back: int, *, synced: bool = False) -> Answer[Past]:
        """The commits that changed a definition, or the lines FILE:LINE or FILE:FROM-TO."""
        if git is None:
            raise UsageError("There is no git here to tell what was.", hint="Ask in a repository of git.")

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Past]:
            path, name, first, last, notes = self._lines_meant(resolver, now, target)
            manifest = resolver.world.view.manifest
            now_text = (resolver.world.view.rows.whole_text_of(path) or b"").decode("utf-8", "replace")
            lines, head = lines_of(now_text), manifest.git.head_sha
            text = "".join(f"{line}\n" for line in lines[first - 1 : last])
            old = None if head is None else git.blob(head, path)
            old_lines = [] if old is None else lines_of(old.decode("utf-8", "replace"))
            were = None if old is None else lines_before(old_lines, lines, first, last)
            found = LinesHistory((), more=False)
            if head is not None and were is not None:
                commits, lines_then = Commits(git, head, back), Lines(path, *were)
                if name:
                    names = frozenset(each.qualified_name for each in resolver.world.scope(path).symbols)
                    found = past_of_definition(commits, head, lines_then, name, names, limit)
                else:
                    found = past_of(commits, head, lines_then, limit)
            uncommitted = were is None or old_lines[were[0] - 1 : were[1]] != lines[first - 1 : last]
            kept, left_out = self._without_secrets(found.commits)
            notes += left_out
            if found.more:
                notes += (Note("commits_cut", {"limit": limit}, Lift("limit")),)
            elif found.looked_back is not None:
                notes += (Note("looked_back", {"limit": back}, Lift("back", back * 10)),)
            elif found.is_shallow:
                notes += (Note("history_shallow", {}),)
            value = Past(path, name, first, last, text, uncommitted, head, kept)
            return CodeFindings(value, frozenset({path}), ("commits",) if found.more else (), notes)

        return self._answer(ask, synced)

    def _lines_meant(self, resolver: Resolver, now: Now, target: str) -> tuple[str, str, int, int, tuple[Note, ...]]:
        """The file, the name and the lines of what is asked about, and what else has the name."""
        from cairn.graph.nesting import innermost

        if named := _LINES.fullmatch(target):
            path, first, last = self._key(named[1]), int(named[2]), int(named[3])
            require_file(resolver, now, path)
            data = resolver.world.view.rows.whole_text_of(path) or b""
            for line in (first, last):
                require_line(path, line, data)
            if first > last:
                raise UsageError(f"Lines {first}-{last} end before they begin.", hint="Name the first line first.")
            return path, "", first, last, ()
        spelled = as_written(target, self._meant(resolver, now, target))
        meant = [(each.path, each.symbol) for each in spelled.items]
        if (place := self._place(target)) is not None:
            around = innermost(resolver.world.scope(place.path).symbols, place.line)
            meant = [(path, symbol) for path, symbol in meant if path == place.path] or [
                (place.path, symbol) for symbol in around
            ]
            if not meant:
                return place.path, "", place.line, place.line, ()
        if not meant:
            raise NotIndexedError(
                f"Nothing is called {quoted(target)} here.", hint="Name a definition, FILE:LINE or FILE:FROM-TO."
            )
        path, symbol = meant[0]
        notes = spelled.notes
        if place is None and len(meant) > 1:
            shown, *others = (f"{path}:{symbol.name_line}" for path, symbol in meant)
            notes += (
                Note(
                    "one_of_several", {"name": target, "shown": shown, "others": others[:_NAMED], "count": len(others)}
                ),
            )
        return path, symbol.qualified_name, symbol.start_line, symbol.end_line, notes

    def _without_secrets(self, commits: tuple[PastLines, ...]) -> tuple[tuple[PastLines, ...], tuple[Note, ...]]:
        """The commits up to the first in which the text stood in a secret."""
        with Beneath(self._codebase.root_path) as tree:
            for number, each in enumerate(commits):
                try:
                    require_no_former_secret(tree, each.path, each.text.encode())
                except RefusedError as error:
                    return commits[:number], (Note("history_secret", {"message": error.message}),)
        return commits, ()
