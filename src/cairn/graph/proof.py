"""Whether a use is of some definitions, by its name alone, or proven to be something else.

One place decides it for every question. What is left out is proven: a binding of its own function, another
definition that one chain without an open end leads to, or a library's. Everything else that bears the name is told.
"""

from collections.abc import Sequence
from functools import cached_property

from cairn.base.values import dataclass
from cairn.graph.customs import customs_of, family
from cairn.graph.meaning import LIKELY, NAME, PROVEN, Meaning
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import PROMISES
from cairn.graph.symbols import Definition, Key, key_of


@dataclass(frozen=True, slots=True)
class UseJudgement:
    """How sure it is that a use is of a definition; None where only the name is known."""

    tier: str
    target: Definition | None = None
    dispatch: bool = False
    """Whether it is reached through what the definition overrides."""


@dataclass(frozen=True, slots=True)
class WrittenUse:
    """How a name is written: what matters to tell whether it could be a member or a thing of the top."""

    language: str
    link: str = ""
    """What stands between it and what it is asked of: empty for a bare name, `::` for a path, else a dot."""
    key: bool = False
    """Whether it is the name of an argument or of a key."""


BY_NAME = UseJudgement(NAME)


class UseProof:
    """Verdicts on uses for some definitions, which count as one."""

    def __init__(self, resolver: Resolver, definitions: Sequence[Definition]) -> None:
        self._resolver = resolver
        self._wanted = {key_of(item): item for item in reversed(definitions)}
        self._definitions = definitions
        self._families = {family(resolver.world.languages.get(item.path, "")) for item in definitions}
        self._members = [item for item in definitions if resolver.is_member(item)]
        self._macros = any(item.symbol.kind == "macro" for item in definitions)
        self._whole: dict[str, bool] = {}
        self._verdicts: dict[tuple[int, int], tuple[WrittenUse, Meaning, UseJudgement | None]] = {}
        """By identity, and with what they are of, so that nothing else gets it: many uses share a meaning."""

    @cached_property
    def _above(self) -> dict[Key, Definition]:
        """What the definitions stand in the place of, by syntax and by an index: many questions come to none."""
        semantics, derived = self._resolver.semantics, self._resolver.evaluator.derived
        found: dict[Key, Definition] = {}
        for item in reversed(self._definitions):
            if semantics is not None:
                found |= dict.fromkeys(derived.overridden(item) | semantics.overridden(item), item)
            elif not self._has_all_named(item.symbol.name):
                found |= dict.fromkeys(derived.overridden(item), item)
        return found

    def _has_all_named(self, name: str) -> bool:
        """Whether all that bear a name are asked for, so that it is no matter in whose place one stands."""
        known = self._whole.get(name)
        if known is None:
            alike = self._resolver.world.namesakes(name)
            known = self._whole[name] = all(key_of(each) in self._wanted for each in alike)
        return known

    @cached_property
    def _has_nameless(self) -> bool:
        """Whether a member is of a type without a name, which may be derived from any."""
        return not all(map(self._resolver.members.owners, self._members))

    @property
    def has_members(self) -> bool:
        """Whether any of the definitions is a member."""
        return bool(self._members)

    def tells_keys(self, asked: WrittenUse) -> bool:
        """Whether a key may name one of the definitions: a member, or a value where keys may be values."""
        return bool(self._members) or customs_of(asked.language).keyed_by_values

    def verdict(self, asked: WrittenUse, meaning: Meaning) -> UseJudgement | None:
        """What a use is that means so much; None where it is proven to be something else."""
        key = (id(asked), id(meaning))
        known = self._verdicts.get(key)
        if known is None:
            known = self._verdicts[key] = (asked, meaning, self._verdict(asked, meaning))
        return known[2]

    def _verdict(self, asked: WrittenUse, meaning: Meaning) -> UseJudgement | None:
        if asked.key and not meaning.indexed and not meaning:
            return BY_NAME if self.tells_keys(asked) and self._is_kin(asked) else None
        keys = [key_of(item) for item in meaning.targets] if meaning.tier != NAME else []
        hit = next((self._wanted[key] for key in keys if key in self._wanted), None)
        if hit is not None:
            # Which of several is meant makes no difference to who asks for all of them.
            closed = not meaning.open and all(key in self._wanted for key in keys)
            return UseJudgement(PROVEN if closed else meaning.tier, hit)
        below = next((self._above[key] for key in keys if key in self._above), None) if meaning.dispatched else None
        if below is not None:
            return UseJudgement(LIKELY, below, dispatch=True)
        return None if self.is_other(asked, meaning) else BY_NAME

    def is_other(self, asked: WrittenUse, meaning: Meaning) -> bool:
        """Whether something that means none of the definitions, as far as is known, is proven to be something else."""
        if not self._is_kin(asked):
            return True  # another language's
        if meaning.outside or (meaning and meaning.tier != NAME):
            return not meaning.open and not self._is_promise(meaning)
        apart = asked.link == "." and customs_of(asked.language).values_apart
        return apart and not self._members and not self._macros

    def _is_kin(self, asked: WrittenUse) -> bool:
        return family(asked.language) in self._families

    def _is_promise(self, meaning: Meaning) -> bool:
        """Whether what has the member may stand behind what it is asked of without saying so.

        Behind an interface anything may, and what has no name behind any type.
        """
        if not meaning.dispatched or not self._members:
            return False
        return self._has_nameless or any(
            owner.kind in PROMISES or "Protocol" in owner.signature
            for item in meaning.targets
            for owner in self._resolver.world.scope(item.path).named(item.symbol.container)
        )
