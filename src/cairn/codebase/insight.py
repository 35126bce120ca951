"""Questions about the structure of code, each answered from one pinned view and held against the tree."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from cairn.base.errors import UsageError
from cairn.base.garbage import much_was_dropped, without_collections
from cairn.base.notes import Lift, Note
from cairn.base.values import replace
from cairn.codebase.answers import Clock, Now, alias_notes, cautions_of, check, notes_of, require_budget
from cairn.codebase.bodies import Answer, CitedFile, CodeFindings, FileOutline, Symbols
from cairn.codebase.bounds import (
    cut_graph,
    cut_outline,
    cut_places,
    none_calling,
    paths_of,
    require_file,
    require_line,
)
from cairn.codebase.unread import UnreadFiles
from cairn.graph.entities import entities_of
from cairn.graph.resolve import Resolver
from cairn.graph.shown import as_written, by_layer, code_of, edited, outlined, shown_ids
from cairn.graph.targets import Place, definitions_meant, definitions_named, place_of
from cairn.graph.wanted import ALL, Wanted
from cairn.graph.world import World
from cairn.workspace.wildmatch import within_matcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from cairn.codebase.contracts import StudiedCodebase
    from cairn.graph.calls import CallGraph, Limits
    from cairn.graph.hierarchy import Hierarchy
    from cairn.graph.imports import Imports
    from cairn.graph.semantics import Semantics
    from cairn.graph.symbols import Definition
    from cairn.semantic.contexts.survey import Survey
    from cairn.semantic.states import FactRecords, FileStatus
    from cairn.store import SnapshotView
    from cairn.syntax.slices import Slice

__all__ = ["Answer", "Insight"]

T = TypeVar("T")


class Insight:
    """Code questions over one codebase; what is learnt of a snapshot is kept for the next question."""

    def __init__(self, codebase: StudiedCodebase) -> None:
        self._codebase = codebase
        self._resolver: Resolver | None = None
        self._records: FactRecords | None = None

    def symbol(
        self,
        name: str,
        limit: int | None = None,
        *,
        code: bool = False,
        within: tuple[str, ...] = (),
        synced: bool = False,
    ) -> Answer[Symbols]:
        """Where something is defined; with `code` also the lines of each."""

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Symbols]:
            found = as_written(name, self._meant(resolver, now, name))
            things = entities_of(resolver.world, found.items, now.is_there)
            if within:
                is_inside = within_matcher(within)
                things = [each for each in things if is_inside(each.shown.path)]
            shown, older = by_layer(resolver, [each.shown for each in things[:limit]])
            codes = tuple(code_of(resolver.world, each) for each in shown) if code else ()
            value = Symbols(name, shown, shown_ids(resolver, shown), len(things), found.otherwise, codes)
            limits, answer = cut_places(len(things), limit, "definition")
            paths = paths_of(shown)
            unread = () if things else self._unread(resolver, now).of(found.items, name, is_empty=True)
            if found.items and not things:
                unread = (Note("defined_elsewhere", {"asked": name, "count": len(found.items)}), *unread)
            notes = (*found.notes, *unread, *older, *edited(resolver, paths), *answer)
            return CodeFindings(value, paths, limits, notes)

        return self._answer(ask, synced)

    def definitions(self, view: SnapshotView, name: str) -> list[Definition]:
        """What bears a name in a view that is at hand, in whatever spelling, with the layers that tell it."""
        resolver = self._resolved(view)
        return list(by_layer(resolver, definitions_named(resolver, name))[0])

    def calls(
        self, target: str, direction: str, limits: Limits | None = None, *, only: Wanted = ALL, synced: bool = False
    ) -> Answer[CallGraph]:
        """Who calls something, what it calls, or both."""
        from cairn.graph.calls import Limits, call_graph
        from cairn.graph.otherways import ways_to_call

        def ask(resolver: Resolver, now: Now) -> CodeFindings[CallGraph]:
            meant = as_written(target, self._meant(resolver, now, target))
            roots = meant.items
            bounds = limits or Limits()
            present = only.files(resolver.world, now.is_there)
            graph = call_graph(resolver, roots[: bounds.nodes], direction, bounds, present)
            if len(roots) > bounds.nodes:
                graph = replace(graph, limits_hit=tuple(dict.fromkeys(("nodes", *graph.limits_hit))))
            ways = partial(ways_to_call, resolver, roots, now.is_there)
            none = none_calling(graph, ways) if only == ALL else ()
            silent = direction == "callees" and roots
            unread = () if silent else self._unread(resolver, now).of(roots, target, is_empty=bool(none) or not roots)
            said = (*meant.notes, *none, *unread, *edited(resolver, graph.paths), *cut_graph(graph, bounds))
            return CodeFindings(graph, graph.paths, graph.limits_hit, said)

        return self._answer(ask, synced)

    def way(self, start: str, end: str, *, only: Wanted = ALL, synced: bool = False) -> Answer[CallGraph]:
        """The shortest way of calls from one thing to another."""
        from cairn.graph.ways import STEPS, shortest_way

        def ask(resolver: Resolver, now: Now) -> CodeFindings[CallGraph]:
            starts, ends = (as_written(each, self._meant(resolver, now, each)) for each in (start, end))
            found = shortest_way(resolver, starts.items, ends.items, only.files(resolver.world, now.is_there))
            none = () if found.calls else (Note("no_way", {"to": end, "steps": STEPS, "known": bool(ends.items)}),)
            return CodeFindings(found, found.paths, found.limits_hit, (*starts.notes, *ends.notes, *none))

        return self._answer(ask, synced)

    def hierarchy(
        self, target: str, direction: str, most: int, *, only: Wanted = ALL, synced: bool = False
    ) -> Answer[Hierarchy]:
        """What a type or member is derived from, what is derived from it, or both."""
        from cairn.graph.hierarchy import hierarchy

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Hierarchy]:
            meant = as_written(target, self._meant(resolver, now, target))
            found = hierarchy(resolver, meant.items, direction, most, only.files(resolver.world, now.is_there))
            cut = (Note("nodes_cut", {"limit": most}, Lift("nodes")),) if found.limits_hit else ()
            silent = direction == "up" and meant.items
            unread = () if silent else self._unread(resolver, now).of(meant.items, target, is_empty=not found.edges)
            return CodeFindings(found, found.paths, found.limits_hit, (*meant.notes, *unread, *cut))

        return self._answer(ask, synced)

    def outline(
        self,
        path: str,
        symbol: str | None = None,
        budget_tokens: int | None = None,
        *,
        depth: int | None = None,
        around: int | None = None,
        synced: bool = False,
    ) -> Answer[FileOutline]:
        """What a file defines, as a tree; or one definition of it by id or label."""
        from cairn.graph.outline import exact, narrowed, only, outline_tree, outline_within, walk

        key = self._key(path)
        if budget_tokens is not None:
            require_budget(budget_tokens)

        def ask(resolver: Resolver, now: Now) -> CodeFindings[FileOutline]:
            require_file(resolver, now, key)
            scope = resolver.world.scope(key)
            symbols, notes = outlined(resolver, key)
            tree = outline_tree(key, symbols)
            branches = narrowed(tree, depth, around)
            if budget_tokens is not None:
                # Only what was asked for takes room.
                fitted = outline_within([branch.symbol for _, branch in walk(branches)], budget_tokens)
                branches = only(branches, {id(each) for each in fitted.kept})
                value = FileOutline(key, scope.language, branches, len(fitted.left_out), fitted.full_tokens)
                limits, cut = cut_outline(fitted, budget_tokens)
                return CodeFindings(value, frozenset({key}), limits, (*notes, *cut))
            one = None if symbol is None else exact(tree, symbol)
            if one is not None:
                one = replace(one, branches=narrowed(one.branches, depth, around))
            return CodeFindings(FileOutline(key, scope.language, branches, exact=one), frozenset({key}), (), notes)

        return self._answer(ask, synced, path)

    def contexts(self, *, states: bool = False, synced: bool = False) -> Answer[Survey]:
        """Which files are understood together, by what manifests; with `states` also how far their facts hold."""
        from cairn.semantic.contexts.survey import ViewTree, survey
        from cairn.semantic.states import with_states

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Survey]:
            view = resolver.world.view
            found = survey(ViewTree(view, now.is_there))
            if states:
                found = with_states(view, found, self._remembered())
            answer = tuple(
                Note("manifest_unreadable", {"path": fault.path, "message": fault.message}) for fault in found.faults
            )
            return CodeFindings(
                found, frozenset(path for each in found.contexts for path in each.manifests), (), answer
            )

        return self._answer(ask, synced)

    def file_standing(self, path: str, *, synced: bool = False) -> Answer[FileStatus]:
        """How far the semantic facts of a file hold."""
        from cairn.semantic.contexts.survey import ViewTree, survey

        key = self._key(path)

        def ask(resolver: Resolver, now: Now) -> CodeFindings[FileStatus]:
            require_file(resolver, now, key)
            view = resolver.world.view
            found = survey(ViewTree(view, now.is_there))
            from cairn.semantic.states import status_of

            return CodeFindings(status_of(view, found, key, self._remembered()), frozenset({key}))

        return self._answer(ask, synced, path)

    def imports(self, path: str, *, synced: bool = False) -> Answer[Imports]:
        """What a file imports, and who imports it."""
        from cairn.graph.imports import Imports, imports_of

        key = self._key(path)

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Imports]:
            require_file(resolver, now, key)
            found = imports_of(resolver, key)
            incoming = tuple(item for item in found.incoming if now.is_there(item.path))
            outgoing = []
            for item in found.outgoing:
                paths = tuple(filter(now.is_there, item.paths))
                outgoing.append(replace(item, paths=paths, tier=item.tier if paths else ""))
            cited = {key, *(item.path for item in incoming), *(path for item in outgoing for path in item.paths)}
            return CodeFindings(Imports(key, tuple(outgoing), incoming), frozenset(cited))

        return self._answer(ask, synced)

    def slice(self, path: str, line: int, name: str, *, synced: bool = False) -> Answer[Slice | None]:
        """Definitions, uses and flow of a name inside the function around a line."""
        from cairn.syntax.slices import local_slice

        key = self._key(path)
        if type(line) is not int or line < 1:
            raise UsageError(f"There is no line {line}: lines are counted from 1.", hint="Name a line from 1 on.")

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Slice | None]:
            require_file(resolver, now, key)
            data = resolver.world.view.rows.whole_text_of(key) or b""
            require_line(key, line, data)
            found = resolver.world.found(key, data, name)
            return CodeFindings(local_slice(found, data, line) if found is not None else None, frozenset({key}))

        return self._answer(ask, synced, path)

    def _answer(self, ask: Callable[[Resolver, Now], CodeFindings[T]], synced: bool, path: str = "") -> Answer[T]:
        """Ask over the active snapshot; `path` is the file that the question names, where it names one."""
        clock, now = Clock(), self._codebase.now()
        with self._codebase.view() as view:
            clock.lap("open")
            with without_collections(for_good=True):
                outcome = ask(self._resolved(view), now)
            manifest, cautions = view.manifest, cautions_of(view)
            files = {path: view.rows.file(path) for path in sorted(outcome.paths)}
        clock.lap("graph")
        checked = check([CitedFile(path, file.file_hash) for path, file in files.items() if file is not None], now)
        clock.lap("check")
        return Answer(
            outcome.value,
            manifest,
            cited=tuple(files),
            changed=checked.changed,
            gone=now.gone,
            notes=(
                *alias_notes(self._codebase.naming, path),
                *outcome.notes,
                *notes_of(manifest, cautions, checked),
            ),
            limits_hit=outcome.limits_hit,
            freshness={
                "synced": synced,
                "checked": "tree" if synced else "cited_files",
                "moved": bool(checked.changed or now.gone),
            },
            timings_ms=clock.laps(),
        )

    def _resolved(self, view: SnapshotView) -> Resolver:
        known = self._resolver
        if known is None or known.world.over(view) is not known.world:
            if known is not None:
                much_was_dropped()
            world = World(view)
            known = self._resolver = Resolver(world, self._semantics(world))
        return known

    def _unread(self, resolver: Resolver, now: Now) -> UnreadFiles:
        return UnreadFiles(resolver, self._codebase.detector.tree, now)

    def _semantics(self, world: World) -> Semantics | None:
        if not world.view.semantics:
            return None
        from cairn.semantic.meanings import Meanings

        return Meanings(world, self._remembered())

    def _remembered(self) -> FactRecords:
        from cairn.semantic.states import FactRecords

        if self._records is None:
            self._records = FactRecords()
        return self._records

    def _meant(self, resolver: Resolver, now: Now, target: str) -> list[Definition]:
        """What a name, an id or a place names and is still there, the likeliest first."""
        asked: object = target
        if not isinstance(asked, str):
            raise UsageError("The name is no text.", hint="Name a symbol, or a place like src/a.py:12.")
        place = self._place(target)
        if place is not None:
            require_file(resolver, now, place.path)
            if place.column == 0:
                raise UsageError("There is no column 0: columns are counted from 1.")
            require_line(place.path, place.line, resolver.world.view.rows.whole_text_of(place.path) or b"")
        return [item for item in definitions_meant(resolver, target, place) if now.is_there(item.path)]

    def _place(self, target: str) -> Place | None:
        place = place_of(target)
        return None if place is None else Place(self._key(place.path), place.line, place.column)

    def _key(self, path: str) -> str:
        return self._codebase.naming.key(path)
