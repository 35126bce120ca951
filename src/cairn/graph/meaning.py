"""What a name may mean, and how sure that is.

`proven`: one chain of imports, containers or scopes leads to it. `likely`: the chain has a guess in
it, or it is the only thing of that name that it could be. `name`: it bears the name, no more.
"""

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from cairn.base.values import dataclass, replace
from cairn.graph.symbols import Definition

PROVEN, LIKELY, NAME = "proven", "likely", "name"
TIERS = (PROVEN, LIKELY, NAME)
MOST_TARGETS = 50
"""Definitions that one meaning names; where there may be more, its tier is `name` and says nothing of any."""
_DEEPEST = 40
_NONE = sys.maxsize
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


class KeptValues:
    """What was made of one world and is kept with it, one of a type."""

    def __init__(self) -> None:
        self._known: dict[type, object] = {}

    def of(self, kind: type[T], make: Callable[[], T]) -> T:
        """The one of a type, made with the first question for it."""
        found = self._known.get(kind)
        if not isinstance(found, kind):
            found = self._known[kind] = make()
        return found


class Circles:
    """Answers that may lead back to their own question: whoever comes by again finds nothing more.

    An answer is kept when it hangs on no question that is still open, so that none depends on what was asked before:
    it led back to itself at most, as it would have if it had been asked alone.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, object] = {}
        self._open: dict[Hashable, int] = {}
        """Questions that wait for their answers, each with its number."""
        self._asked = self._deep = 0
        """How many questions there were, and how often a way was too long."""
        self._first = _NONE
        """The first of the open questions to which a way led back."""
        self._meanwhile: dict[Hashable, tuple[object, int]] = {}
        """Answers that were cut short, for as long as the outermost question is open, and what they led back to."""

    def kept(self, key: Hashable, ask: Callable[[], T]) -> T:
        """An answer that never leads back to its own question, asked once."""
        known = self._known.get(key)
        if known is not None:
            return known  # type: ignore[return-value]
        before, deep, self._first = self._first, self._deep, _NONE
        found = ask()
        if not self._open or (self._first == _NONE and self._deep == deep):
            self._known[key] = found
        self._first = min(before, self._first)
        return found

    def answer(self, key: Hashable, ask: Callable[[], T], nothing: T, *, once: bool = False) -> T:
        """The answer to a key, asked once; `nothing` where the question leads back to itself.

        With `once` an answer that was cut short is good enough until the outermost question is answered: circles within
        circles could be gone round in more ways than anybody can wait for.
        """
        known = self._known.get(key)
        if known is not None:
            return known  # type: ignore[return-value]
        if once and key in self._meanwhile:
            said, first = self._meanwhile[key]
            self._first = min(self._first, first)
            return said  # type: ignore[return-value]
        if key in self._open:
            self._first = min(self._first, self._open[key])
            return nothing
        if len(self._open) > _DEEPEST:
            self._deep += 1
            return nothing
        self._asked += 1
        number = self._open[key] = self._asked
        before, deep, self._first = self._first, self._deep, _NONE
        try:
            found = ask()
        finally:
            del self._open[key]
            first, self._first = self._first, min(before, self._first if self._first < number else _NONE)
        if not self._open:
            self._meanwhile.clear()
            self._known[key] = found
        elif first >= number and (self._deep == deep or (once and found == nothing)):
            # From the middle of a way that is too long nothing is no shorter.
            self._known[key] = found
        elif once:
            self._meanwhile[key] = (found, first)
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


def static(found: Meaning) -> Meaning:
    """Asked of a class itself: what its values have is not meant."""
    own = tuple(item for item in found.targets if "static" in item.symbol.signature.split())
    return replace(found, targets=own) if own else weaker(found, NAME)
