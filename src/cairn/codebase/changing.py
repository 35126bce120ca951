"""Questions about changes: what they reach, which tests see them, and what nothing reaches at all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.notes import Lift, Note
from cairn.base.values import replace
from cairn.codebase.bodies import CodeFindings
from cairn.codebase.bounds import cut_places, not_in_snapshot, require_file
from cairn.codebase.wholes import WholeInsight
from cairn.graph.shown import edited
from cairn.graph.targets import place_of
from cairn.workspace.pathkey import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn.codebase.answers import Now
    from cairn.codebase.bodies import Answer
    from cairn.codebase.commits import CommitRequest, FoundCommits
    from cairn.codebase.differences import Differing
    from cairn.graph.calls import Limits
    from cairn.graph.changed import Change
    from cairn.graph.impact import Impact
    from cairn.graph.resolve import Resolver
    from cairn.workspace.git import Git


class ChangeInsight(WholeInsight):
    """All code questions over one codebase."""

    def impact(
        self,
        git: Git | None,
        since: str | None = None,
        paths: Sequence[str] = (),
        limits: Limits | None = None,
        *,
        synced: bool = False,
    ) -> Answer[Impact]:
        """What a change reaches: of some files, or of all that differs from a revision (HEAD when none is named)."""
        return self._reached(git, since, [self._key(path) for path in paths], (), limits, None, synced)

    def tests(
        self,
        git: Git | None,
        since: str | None = None,
        places: Sequence[str] = (),
        limits: Limits | None = None,
        limit: int | None = None,
        *,
        weak: bool = False,
        synced: bool = False,
    ) -> Answer[Impact]:
        """Which tests see a change, the likeliest first: of files, of definitions by place or name, or of a revision.

        The answer is what the change reaches, with as many tests as are asked for; `weak` adds those for which little
        speaks beside the others.
        """
        named = [place for place in places if self._is_target(place)]
        keys = [self._key(place) for place in places if place not in named]
        return self._reached(git, since, keys, named, limits, limit, synced, weak=weak)

    def _reached(
        self,
        git: Git | None,
        since: str | None,
        keys: Sequence[str],
        named: Sequence[str],
        limits: Limits | None,
        limit: int | None,
        synced: bool,
        *,
        weak: bool = False,
    ) -> Answer[Impact]:
        from cairn.codebase.differences import Differing, changed_together
        from cairn.graph.calls import Limits
        from cairn.graph.impact import Change, impact_of

        if not keys and not named and git is None:
            raise UsageError("There is no git here to tell what changed.", hint="Name the files that changed.")
        if git is None and since is not None:
            raise UsageError("There is no git here to look for a revision.", hint="Leave the revision out.")

        def ask(resolver: Resolver, now: Now) -> CodeFindings[Impact]:
            differ, answer = Differing(tuple(map(Change, keys))), tuple[Note, ...]()
            if git is not None and (since is not None or not (keys or named)):
                differ = self._differing(resolver, now, git, since, keys, synced)
                answer = not_in_snapshot(differ.unknown)
            for key in keys:
                if key not in differ.removed:
                    require_file(resolver, now, key)
            meant = self._changes_of(resolver, now, named)
            bounds = limits or Limits(depth=3, nodes=500, fan_out=100)
            changes = (*differ.changes, *meant)
            history: dict[str, Any] = {} if git is None else {"together": partial(changed_together, git)}
            found = impact_of(resolver, changes, differ.removed, bounds, now.is_there, differ.texts, **history)
            if (keys or named) and since is None:
                # Nobody said that they are new: they stand for any change of these files.
                found = replace(found, symbols=tuple(replace(item, change="named") for item in found.symbols))
            if found.limits_hit:
                answer = (*answer, Note("impact_cut", {}, Lift("depth", 1) if bounds.depth > 1 else None))
            if found.unresolved:
                answer = (*answer, Note("uses_open", {"uses": found.unresolved, "tests": len(found.tests)}))
            names = {item.name.rpartition(".")[2] for item in found.symbols}
            files = found.changed_files
            answer += self._unread(resolver, now).about(names, (*files, *found.removed_files), faulty=files)
            tests = (*found.tests, *(found.weak_tests if weak else ()))
            hit, cut = cut_places(len(tests), limit, "test file")
            found = replace(found, tests=tests[:limit], all_tests=len(tests))
            cited = {*found.changed_files, *(item.node.path for item in found.users)}
            cited |= {file.path for file in found.dependants} | {test.path for test in found.tests}
            limits_hit = tuple(dict.fromkeys((*found.limits_hit, *hit)))
            return CodeFindings(found, frozenset(cited), limits_hit, (*answer, *edited(resolver, cited), *cut))

        return self._answer(ask, synced)

    def commits(self, git: Git | None, request: CommitRequest) -> Answer[FoundCommits]:
        """Commits whose message or changed lines hold something."""
        from cairn.codebase.commits import find_commits

        if git is None:
            raise UsageError("There is no git here to tell what changed.", hint="The past of a git repository is told.")
        found, notes = find_commits(git, self._codebase.detector.tree, request)
        return self._answer(lambda _resolver, _now: CodeFindings(found, frozenset(), (), notes), synced=False)

    def _is_target(self, place: str) -> bool:
        """Whether a text names a definition, by a place or by its name, and no file."""
        import os

        return place_of(place) is not None or not (
            "/" in place or os.path.lexists(os.path.join(self._codebase.root_path, place))
        )

    def _changes_of(self, resolver: Resolver, now: Now, named: Sequence[str]) -> list[Change]:
        """Definitions that are named, as changes of theirs alone."""
        from cairn.graph.changed import Change
        from cairn.graph.nesting import innermost

        found: dict[str, list[tuple[str, int]]] = {}
        whole: list[str] = []
        for target in named:
            meant = [(item.path, item.symbol) for item in self._meant(resolver, now, target)]
            place = self._place(target) if not meant else None
            if place is not None:
                # A line inside of a definition is one of it, and one outside of all stands for its file.
                around = innermost(resolver.world.scope(place.path).symbols, place.line)
                meant = [(place.path, each) for each in around]
                whole += [] if around else [place.path]
            elif not meant:
                raise NotIndexedError(
                    f"Nothing is called {quoted(target)} here.", hint="Name a file, FILE:LINE or a definition."
                )
            for path, symbol in meant:
                found.setdefault(path, []).append((symbol.qualified_name, symbol.name_line))
        return [*map(Change, whole), *(Change(path, None, tuple(only)) for path, only in found.items())]

    def _differing(
        self, resolver: Resolver, now: Now, git: Git, since: str | None, keys: Sequence[str], synced: bool
    ) -> Differing:
        from cairn.codebase.differences import commit_meant, differing

        live, aside = resolver.world.languages, self._codebase.now()

        def is_there(path: str) -> bool:
            # What the snapshot doesn't have is not missing from it.
            return (now if path in live else aside).is_there(path)

        # After a sync what the snapshot doesn't have is left out on purpose: it is none of the changes.
        eligible = tuple if synced else self._codebase.eligible
        return differing(git, commit_meant(git, since), live, is_there, keys, eligible=eligible)
