"""Questions about a whole tree, or all of a part of it: its map, its circles of imports, and what nothing uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.codebase.answers import Now, require_budget
from cairn.codebase.bodies import Answer, CodeFindings
from cairn.codebase.bounds import cut_map, cut_places
from cairn.codebase.uses import UseInsight
from cairn.graph.resolve import Resolver
from cairn.workspace.livefiles import out_of_sight
from cairn.workspace.wildmatch import within_matcher

if TYPE_CHECKING:
    from cairn.codebase.contracts import StudiedCodebase
    from cairn.graph.cycles import ImportCycles
    from cairn.graph.repomap import Ground, RepoMap
    from cairn.graph.unused import UnusedDefinitions


class WholeInsight(UseInsight):
    """Questions that look at all files; `within` names the folders and files whose part is told."""

    def __init__(self, codebase: StudiedCodebase) -> None:
        super().__init__(codebase)
        self._ground: tuple[str, frozenset[str], Ground] | None = None

    def cycles(
        self, limit: int, *, lazily: bool = False, within: tuple[str, ...] = (), synced: bool = False
    ) -> Answer[ImportCycles]:
        """Files that import each other in a circle; `within`: circles that lead through a file there."""
        from cairn.graph.cycles import import_cycles

        def ask(resolver: Resolver, now: Now) -> CodeFindings[ImportCycles]:
            found = import_cycles(resolver, limit, lazily=lazily, present=now.is_there, within=within)
            limits, answer = cut_places(found.total, limit, "circle")
            return CodeFindings(
                found, frozenset(step.path for each in found.items for step in each.steps), limits, answer
            )

        return self._answer(ask, synced)

    def map(self, budget_tokens: int = 2_000, *, within: tuple[str, ...] = (), synced: bool = False) -> Answer[RepoMap]:
        """What the repository, or a part of it, is made of and which files matter most there."""
        from cairn.graph.repomap import ground_of, repo_map

        require_budget(budget_tokens)

        def ask(resolver: Resolver, now: Now) -> CodeFindings[RepoMap]:
            world = resolver.world
            suspects = out_of_sight(self._codebase.root_path, world.folders)
            gone = frozenset(path for path in suspects if not now.is_there(path))
            if within:
                is_inside = within_matcher(within)
                gone |= {path for path in world.languages if not is_inside(path)}
            if self._ground is None or self._ground[:2] != (world.state, gone):
                self._ground = (world.state, gone, ground_of(world, gone, resolver.semantics))
            found = repo_map(world, self._ground[2], budget_tokens)
            return CodeFindings(found, frozenset(entry.path for entry in found.entries), *cut_map(found))

        return self._answer(ask, synced)

    def unused(
        self,
        exported: bool = False,
        limit: int | None = None,
        *,
        within: tuple[str, ...] = (),
        synced: bool = False,
    ) -> Answer[UnusedDefinitions]:
        """Definitions that nothing uses; what others may use only where it is asked for."""
        from cairn.graph.unused import UnusedDefinitions, find_unused

        def ask(resolver: Resolver, now: Now) -> CodeFindings[UnusedDefinitions]:
            found = find_unused(resolver, now.is_there)
            if within:
                is_inside = within_matcher(within)
                found = [item for item in found if is_inside(item.path)]
            wanted = [item for item in found if exported or not item.exported]
            shown = tuple(wanted[:limit])
            hit, cut = cut_places(len(wanted), limit, "definition")
            value = UnusedDefinitions(shown, len(wanted), sum(item.exported for item in found))
            paths = frozenset(item.path for item in shown)
            unread = self._unread(resolver, now).about({item.name.rpartition(".")[2] for item in shown}, paths)
            return CodeFindings(value, paths, hit, (*unread, *cut))

        return self._answer(ask, synced)
