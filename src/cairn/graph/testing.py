"""Which tests see a change, the likeliest first, each with the reasons that speak for it."""

import math
from collections.abc import Iterable, Mapping, Sequence

from cairn.base.values import dataclass
from cairn.graph.customs import customs_of
from cairn.graph.resolve import LIKELY, NAME, PROVEN, TIERS
from cairn.graph.world import World
from cairn.languages.registry import record_of
from cairn.syntax.filekind import is_named_as_test, kinds_of, words_of

CHANGED, USES, NAMED_AFTER, IMPORTS, PACKAGE, BY_NAME = "changed", "uses", "named after", "imports", "package", "name"
TOGETHER = "together"
_WEIGHTS = {
    CHANGED: 10.0, USES: 1.0, NAMED_AFTER: 1.0, TOGETHER: 2.0, IMPORTS: 0.5, PACKAGE: 0.3, BY_NAME: 0.1
}  # fmt: skip
_DOUBT = {PROVEN: 1.0, LIKELY: 0.6, NAME: 0.3}
_WEAK = 0.1
"""Tests for which so much less speaks than for the first are told only where they are asked for."""
_ANYWAY = 0.2
"""The share of all test files that are told in any case, as far as anything speaks for them: where one test stands out,
how much less speaks for the next ones tells little."""
_FAR = 0.4
"""How much less each further step tells."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that speaks for a test."""

    how: str
    """changed, uses, named after, together (changed in the same commits), imports, package or name"""
    distance: int
    tier: str
    of: str = ""
    """What is used or imported, or what the test is named after."""
    count: int = 1
    """How many tests or uses of the file say so, or how many commits."""
    share: float = 1.0
    """Of all commits that changed the files in question."""

    @property
    def weight(self) -> float:
        """How much it speaks for the test."""
        near = _FAR ** max(self.distance - 1, 0)
        return _WEIGHTS[self.how] * _DOUBT[self.tier] * near * self.share * (1 + math.log(self.count) / 4)


@dataclass(frozen=True, slots=True)
class ReachingTest:
    """A test file that sees the change, and how."""

    path: str
    distance: int
    tier: str
    how: str
    """The reason that speaks most for it."""
    score: float
    """What all reasons together say; it orders tests and means nothing else."""
    reasons: tuple[Reason, ...]
    names: tuple[str, ...] = ()
    """The tests in it that use what was changed, as far as they are known."""


def strong(tests: Sequence[ReachingTest], of: int) -> tuple[ReachingTest, ...]:
    """Those of some tests, in order, that are worth their run `of` all: the others are far off, or share a package."""
    best = max((test.score for test in tests if test.how != CHANGED), default=0.0)
    count = sum(test.score >= _WEAK * best for test in tests)
    return tuple(tests[: max(count, math.ceil(_ANYWAY * of))])


@dataclass(frozen=True, slots=True)
class Using:
    """A definition of some file from which the change is reached."""

    path: str
    test: str
    """The outermost function around it; empty where there is none."""
    distance: int
    tier: str
    of: str


def test_files(world: World) -> list[str]:
    """The files of a snapshot that hold tests, by the conventions of their project.

    Where enough of a language's files of this kind are named as tests are, the others help them and are none.
    """
    by_language: dict[str, list[str]] = {}
    for path, language in world.languages.items():
        kinds = kinds_of(path, language)
        if "test" in kinds and kinds.isdisjoint(("config", "docs")) and record_of(language).grammar is not None:
            by_language.setdefault(language, []).append(path)
    found: list[str] = []
    for paths in by_language.values():
        named = [path for path in paths if is_named_as_test(path)]
        found += named if 4 * len(named) >= len(paths) else paths
    return sorted(found)


def reaching_tests(
    world: World,
    tests: Sequence[str],
    changed: Sequence[str],
    using: Iterable[Using],
    importing: Iterable[tuple[str, int, str, str]],
    by_name: Mapping[str, int],
    together: Mapping[str, tuple[int, float]] | None = None,
) -> list[ReachingTest]:
    """Of all test files those for which something speaks, by how much does.

    `importing` is (file, distance, tier, what it imports).
    `together` says how often files were changed with these before, and in what share of the commits.
    """
    found: dict[str, dict[str, Reason]] = {path: {} for path in tests}
    names: dict[str, dict[str, None]] = {}

    def note(path: str, reason: Reason) -> None:
        known = found[path].get(reason.how)
        if known is None or reason.weight > known.weight:
            found[path][reason.how] = reason

    for path in changed:
        if path in found:
            note(path, Reason(CHANGED, 0, PROVEN))
    users: dict[str, list[Using]] = {}
    for each in using:
        if each.path in found:
            users.setdefault(each.path, []).append(each)
    for path, uses in users.items():
        nearest = min(uses, key=lambda each: (each.distance, TIERS.index(each.tier)))
        note(path, Reason(USES, nearest.distance, nearest.tier, nearest.of, len(uses)))
        names[path] = dict.fromkeys(each.test for each in sorted(uses, key=_order) if each.test)
    for path, distance, tier, of in importing:
        if path in found:
            # An import alone doesn't show that the test touches what was changed.
            note(path, Reason(IMPORTS, distance, max(tier, LIKELY, key=TIERS.index), of))
    for path, count in by_name.items():
        if path in found:
            note(path, Reason(BY_NAME, 1, NAME, count=count))
    for path, (count, share) in (together or {}).items():
        if path in found:
            note(path, Reason(TOGETHER, 1, LIKELY, count=count, share=round(share, 3)))
    for source in changed:
        if source not in found:
            for path, reason in _beside(world, source, tests):
                note(path, reason)
    said = (_summed(path, tuple(each.values()), tuple(names.get(path, ()))) for path, each in found.items() if each)
    return sorted(said, key=lambda item: (-item.score, item.path))


def _order(each: Using) -> tuple[int, int]:
    return each.distance, TIERS.index(each.tier)


def _summed(path: str, reasons: tuple[Reason, ...], names: tuple[str, ...]) -> ReachingTest:
    ordered = tuple(sorted(reasons, key=lambda each: -each.weight))
    first = ordered[0]
    score = round(sum(each.weight for each in reasons), 4)
    return ReachingTest(path, first.distance, first.tier, first.how, score, ordered, names)


def _beside(world: World, source: str, tests: Sequence[str]) -> Iterable[tuple[str, Reason]]:
    """Tests that are named after a file, and those of its package where a language has such."""
    language = world.languages.get(source, "")
    customs = customs_of(language)
    if customs.sees_package:
        package = customs.package(source)
        for path in tests:
            if world.languages[path] == language and customs.package(path) == package:
                yield path, Reason(PACKAGE, 1, LIKELY, package)
    own = _subject(source, customs.front)
    if not own:
        return
    folders = _folders(source)
    alike: dict[str, tuple[int, int]] = {}
    for path in tests:
        subject = words_of(path.rpartition("/")[2])
        if subject == own:
            alike[path] = (2, len(folders & _folders(path)))
        elif own in _folders(path) - folders or (
            subject and (subject[: len(own)] == own or own[: len(subject)] == subject)
        ):
            alike[path] = (1, len(folders & _folders(path)))
    # Of several that have the name, those are meant whose folders are called as its own are.
    best = max(alike.values(), default=(0, 0))
    for path, likeness in alike.items():
        if likeness[1] == max(each[1] for each in alike.values() if each[0] == likeness[0]):
            yield path, Reason(NAMED_AFTER, 1 if likeness[0] == best[0] else 2, LIKELY, source)


def _subject(path: str, front: str) -> tuple[str, ...]:
    """The words that a test of a file is named after: its own, or its folder's where it stands for that."""
    folder, _, name = path.rpartition("/")
    return words_of(folder.rpartition("/")[2]) if front and name.startswith(front) else words_of(name)


def _folders(path: str) -> frozenset[tuple[str, ...]]:
    return frozenset(words_of(folder) for folder in path.split("/")[:-1]) - {()}
