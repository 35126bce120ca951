"""What an answer leaves out because nobody could read it: a claim that nothing is there has to say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cairn.base.notes import Note
from cairn.graph.customs import family
from cairn.graph.targets import is_id, place_of
from cairn.languages.files import language_of
from cairn.workspace.unread import holding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from cairn.codebase.answers import Now
    from cairn.graph.resolve import Resolver
    from cairn.graph.symbols import Definition
    from cairn.workspace.reads import Opener

_LISTED = 100
_FAULTY = "syntax_error"


def may_hold_more(notes: Iterable[Note]) -> bool:
    """Whether some file may hold more than an answer knows."""
    return any(note.code == "unread" for note in notes)


class UnreadFiles:
    """Files that may use a name though no answer knows of it, over one snapshot and the tree."""

    def __init__(self, resolver: Resolver, tree: Opener, now: Now) -> None:
        self._world = resolver.world
        self._tree = tree
        self._now = now

    def of(self, items: Collection[Definition], target: str = "", *, is_empty: bool = False) -> tuple[Note, ...]:
        """Those that may use some definitions, or the name that was asked for where nothing bears it.

        Where the answer `is_empty`, so may a file that doesn't parse.
        """
        names = {item.symbol.name for item in items}
        like: tuple[Note, ...] = ()
        if not items and place_of(target) is None and not is_id(target):
            names = set(re.findall(r"\w+", target)[-1:])
            from cairn.graph.likeness import like_notes  # only for what is wrong

            like = like_notes(self._world.view, target, self._now.is_there) if is_empty else ()
        return (*like, *self.about(names, {item.path for item in items}, is_empty=is_empty))

    def about(
        self, names: Collection[str], paths: Iterable[str], *, is_empty: bool = False, faulty: Iterable[str] = ()
    ) -> tuple[Note, ...]:
        """Those that may use names that some files define; those of `faulty` are told where they don't parse."""
        from cairn.graph.unparsed import is_unparsed, unparsed_holding

        families = {family(self._world.languages.get(path) or language_of(path)) for path in paths}
        view = self._world.view
        left = [each for each in view.manifest.unread if not families or family(language_of(each[0])) in families]
        found = list(holding(self._tree, left, names)) if left and names else []
        broken = {path for path in faulty if path in self._world.languages and is_unparsed(view, path)}
        if is_empty:
            broken.update(unparsed_holding(self._world, names, families, self._now.is_there))
        found += ((path, _FAULTY) for path in sorted(broken))
        if not found:
            return ()
        files = [{"path": path, "reason": reason} for path, reason in found[:_LISTED]]
        return (Note("unread", {"count": len(found), "files": files}),)
