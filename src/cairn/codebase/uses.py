"""Where something is used: the surest of all uses in one answer, or all of them one file after another."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.codebase.answers import Now
from cairn.codebase.bodies import Answer, CodeFindings, Uses
from cairn.codebase.bounds import cut_places, local_to, none_using, paths_of
from cairn.codebase.insight import Insight
from cairn.codebase.unread import may_hold_more
from cairn.graph.resolve import Resolver
from cairn.graph.shown import as_written, by_layer, edited, surest
from cairn.graph.targets import is_id
from cairn.graph.wanted import ALL, Wanted, is_of_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cairn.graph.references import Reference, References, UsesByFile, UsesOfFile
    from cairn.graph.shown import SpelledDefinitions

_ANY = sys.maxsize


@dataclass(frozen=True, slots=True)
class UsesPart:
    """The uses of one file, and how far the search for more of them is."""

    path: str
    items: tuple[Reference, ...]
    elsewhere: int
    in_tests: bool
    changed: bool
    """Whether the file is not as the snapshot has it any more."""
    file: int
    """The number of the file among those that are looked at, from 1."""
    files: int


class UseInsight(Insight):
    """Questions about uses."""

    def references(
        self, target: str, limit: int | None = None, *, only: Wanted = ALL, most: int = _ANY, synced: bool = False
    ) -> Answer[Uses]:
        """Where something is used; a name that several things bear asks for the uses of all of them.

        Once more than `most` uses that are wanted are found, no further file is looked at.
        """
        from cairn.graph.references import MAX_FILES, gathered, with_lines

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Uses]:
            meant = as_written(target, self._meant(resolver, now, target))
            uses, local = self._by_file(resolver, now, target, meant, only, MAX_FILES)
            found = gathered(uses, most)
            shown = with_lines(resolver.world, surest(found.items, limit))
            limits, cut = cut_places(len(found.items), limit, "use", bool(found.limits_hit))
            if "files" in found.limits_hit:
                cut = (*cut, Note("files_cut", {"limit": MAX_FILES}))
            return self._used(resolver, now, target, meant, found, shown, limits, cut, is_local=local, only=only)

        return self._answer(ask, synced)

    def references_in_parts(
        self, target: str, heard: Callable[[UsesPart], None], *, only: Wanted = ALL, synced: bool = False
    ) -> Answer[Uses]:
        """All uses, told one file after another as they are found; the answer at the end counts them and holds none.

        All parts are of the one snapshot that the answer names, so no use is told twice and none is left out.
        """
        from cairn.graph.references import gathered, with_lines

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Uses]:
            world = resolver.world
            meant = as_written(target, self._meant(resolver, now, target))
            uses, local = self._by_file(resolver, now, target, meant, only, _ANY)
            count = 0

            def tell(each: UsesOfFile) -> bool:
                nonlocal count
                count += 1
                file = world.view.rows.file(each.path)
                changed = file is None or file.file_hash != now.hash_of(each.path) if each.items else False
                items = with_lines(world, each.items)
                tests = is_of_tests(world, each.path)
                heard(UsesPart(each.path, items, each.elsewhere, tests, changed, count, len(uses.files)))
                return False

            found = gathered(uses, enough=tell)
            return self._used(resolver, now, target, meant, found, (), (), (), is_local=local, only=only)

        return self._answer(ask, synced)

    def _by_file(
        self, resolver: Resolver, now: Now, target: str, meant: SpelledDefinitions, only: Wanted, most_files: int
    ) -> tuple[UsesByFile, bool]:
        """The uses of what was asked for, and whether it is a name that only its function knows."""
        from cairn.graph.locals import find_local
        from cairn.graph.outside import OutsideUses
        from cairn.graph.references import DefinitionUses

        place = self._place(target)
        local = find_local(resolver, place, now.is_there) if place is not None and not meant.items else None
        if local is not None:
            return _LocalUses(local, only), True
        if meant.items or place is not None or is_id(target):
            return DefinitionUses(resolver, meant.items, now.is_there, most_files, only), False
        return OutsideUses(resolver, target, now.is_there, most_files, only), False

    def _used(
        self,
        resolver: Resolver,
        now: Now,
        target: str,
        meant: SpelledDefinitions,
        found: References,
        shown: tuple[Reference, ...],
        limits: tuple[str, ...],
        cut: Iterable[Note],
        *,
        is_local: bool,
        only: Wanted,
    ) -> CodeFindings[Uses]:
        """What was found, with what there is to say of it."""
        from cairn.graph.otherways import ways_to_use

        definitions = found.definitions if is_local else meant.items
        nothing = only == ALL and not found.limits_hit and len(found.items) == found.unresolved * bool(definitions)
        unread = () if is_local else self._unread(resolver, now).of(definitions, target, is_empty=nothing)
        value = Uses.of(found, shown, is_complete=not (found.limits_hit or may_hold_more(unread)))
        paths = {item.path for item in shown} | paths_of(definitions)
        hit = tuple(dict.fromkeys((*found.limits_hit, *limits)))
        _, older = by_layer(resolver, definitions)
        home = tuple(map(local_to, definitions)) if is_local else ()
        ways = partial(ways_to_use, resolver, () if is_local else definitions, now.is_there)
        none = (*(none_using(value, ways) if nothing else ()), *unread)
        notes = (*meant.notes, *home, *none, *older, *edited(resolver, paths), *cut)
        return CodeFindings(value, frozenset(paths), hit, notes)


class _LocalUses:
    """Uses of a name that only its function knows, file by file: arguments by its name are in others."""

    is_cut = False

    def __init__(self, found: References, only: Wanted) -> None:
        self.definitions = found.definitions
        self._items = [use for use in found.items if only.has_role(use.role)]
        self.files: Sequence[str] = sorted({use.path for use in self._items})

    def __iter__(self) -> Iterator[UsesOfFile]:
        from cairn.graph.references import UsesOfFile

        return (UsesOfFile(path, tuple(use for use in self._items if use.path == path)) for path in self.files)
