"""What a name may mean, and how sure that is.

`proven`: one chain of imports, containers or scopes leads to it. `likely`: the chain has a guess in
it, or it is the only thing of that name that it could be. `name`: it bears the name, no more.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from cairn.base.values import dataclass, replace
from cairn.graph.symbols import Definition

PROVEN, LIKELY, NAME = "proven", "likely", "name"
TIERS = (PROVEN, LIKELY, NAME)
MOST_TARGETS = 50
"""Definitions that one meaning names; where there may be more, its tier is `name` and says nothing of any."""
_DEEPEST = 40
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name may mean: definitions or whole files, and how sure that is."""

    targets: tuple[Definition, ...] = ()
    tier: str = ""
    modules: tuple[str, ...] = ()
    outside: bool = False
    """It is nothing that the snapshot defines: a library's, or a local variable."""
    open: bool = False
    """Whether there was a guess on the way, so that something else than is told here may be meant."""
    dispatched: bool = False
    """Whether it is asked of a value: what overrides the targets may be meant as well."""
    indexed: bool = False
    """Whether a compiler's index tells it."""

    def __bool__(self) -> bool:
        return bool(self.targets or self.modules)


UNKNOWN = Meaning()
OUTSIDE = Meaning(outside=True)
BEYOND = Meaning(outside=True, open=True)
"""Outside as far as can be seen: a base, or a value of a type, of which the snapshot holds no more than the name."""


class Circles:
    """Answers that may lead back to their own question: whoever comes by again finds nothing more."""

    def __init__(self) -> None:
        self._known: dict[Hashable, object] = {}
        self._open: set[Hashable] = set()
        self._cuts = self._deep = 0
        """How often a way led back to a question, and how often it was too long."""
        self._meanwhile: dict[Hashable, object] = {}
        """Answers that were cut short, for as long as the outermost question is open."""

    def kept(self, key: Hashable, ask: Callable[[], T]) -> T:
        """An answer that never leads back to its own question, asked once."""
        known = self._known.get(key)
        if known is not None:
            return known  # type: ignore[return-value]
        before = self._cuts + self._deep
        found = ask()
        if not self._open or self._cuts + self._deep == before:
            self._known[key] = found
        return found

    def answer(self, key: Hashable, ask: Callable[[], T], nothing: T, *, once: bool = False) -> T:
        """The answer to a key, asked once; `nothing` where the question leads back to itself.

        With `once` an answer that was cut short is good enough until the outermost question is answered: circles within
        circles could be gone round in more ways than anybody can wait for.
        """
        known = self._known.get(key)
        if known is None and once:
            known = self._meanwhile.get(key)
        if known is not None:
            return known  # type: ignore[return-value]
        if key in self._open:
            self._cuts += 1
            return nothing
        if len(self._open) > _DEEPEST:
            self._deep += 1
            return nothing
        self._open.add(key)
        cuts, deep = self._cuts, self._deep
        try:
            found = ask()
        finally:
            self._open.discard(key)
        if not self._open:
            self._meanwhile.clear()
            self._known[key] = found
        elif self._cuts == cuts and (self._deep == deep or (once and found == nothing)):
            # What was found on the way round a circle may be less than the whole: it is not kept, so that no
            # answer depends on what was asked before. From the middle of a way that is too long it is no shorter.
            self._known[key] = found
        elif once:
            self._meanwhile[key] = found
        return found


def module(paths: tuple[str, ...], certain: bool) -> Meaning:
    """The meaning of a name that stands for modules."""
    return Meaning(modules=paths, tier=PROVEN if certain else LIKELY, open=not certain)


def only_one(found: Sequence[Definition], things: int, tier: str) -> Meaning:
    """Surely, or likely, what it is where there is only one thing; otherwise no more than the name."""
    if not found:
        return UNKNOWN
    return Meaning(tuple(found[:MOST_TARGETS]), tier if things == 1 else NAME, open=tier != PROVEN or things > 1)


def joined(meanings: Sequence[Meaning]) -> Meaning:
    """Several ways that lead somewhere: as sure as the least of them, and a guess where they differ.

    A way that leads out of the snapshot is one of them: what is there may be what is meant.
    """
    found = [each for each in meanings if each]
    if not found:
        if not meanings or not all(each.outside for each in meanings):
            return UNKNOWN
        return BEYOND if any(each.open for each in meanings) else OUTSIDE
    leaves = LIKELY if any(each.outside for each in meanings) else ""
    if len(found) == 1:
        return weaker(found[0], leaves)
    targets = tuple(dict.fromkeys(item for each in found for item in each.targets))[:MOST_TARGETS]
    modules = tuple(dict.fromkeys(path for each in found for path in each.modules))[:MOST_TARGETS]
    tier = max((each.tier for each in found), key=TIERS.index)
    if len({(item.path, item.symbol.name) for item in targets}) > 1:
        tier = max(tier, LIKELY, key=TIERS.index)
    unclear = any(each.open for each in found) or len(targets) == MOST_TARGETS
    dispatched = any(each.dispatched for each in found)
    return weaker(Meaning(targets, tier, modules, open=unclear, dispatched=dispatched), leaves)


def weaker(meaning: Meaning, tier: str) -> Meaning:
    """A meaning that is at most as sure as a tier, and has an open end where that is less than sure."""
    if tier in ("", PROVEN) or not meaning:
        return meaning
    weakest = max(meaning.tier, tier, key=TIERS.index)
    return meaning if meaning.open and meaning.tier == weakest else replace(meaning, tier=weakest, open=True)


def of_a_value(found: Meaning) -> Meaning:
    """What is asked of a value, which may be one of a type that is derived from the known one."""
    return replace(found, dispatched=True) if found.targets else found


def static(found: Meaning) -> Meaning:
    """Asked of a class itself: what its values have is not meant."""
    own = tuple(item for item in found.targets if "static" in item.symbol.signature.split())
    return replace(found, targets=own) if own else weaker(found, NAME)
