"""What an expression may be: values of types, or things that it names itself, and how sure that is."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cairn.base.values import dataclass, replace
from cairn.graph.library import ANYTHING
from cairn.graph.meaning import LIKELY, PROVEN, TIERS, UNKNOWN, Meaning, joined, weaker
from cairn.graph.symbols import Definition


class WrittenType(NamedTuple):
    """A type as written, with the file and the definition in which it stands."""

    path: str
    text: str
    within: str
    given: tuple[tuple[str, "WrittenType"], ...] = ()
    """What type parameters stand for in it."""


Given = tuple[tuple[str, WrittenType], ...]
_MOST = 8
"""Types that one value may be of; where there are more, it may be of others too."""


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression may be."""

    types: tuple[Definition, ...] = ()
    """It is a value of one of these."""
    things: Meaning = UNKNOWN
    """It is one of these itself: classes, functions, modules."""
    tier: str = PROVEN
    exact: bool = False
    """Whether it is of these very types, and of none that are derived from them."""
    open: bool = False
    """Whether it may be something else as well."""
    outside: bool = False
    """Whether it may be something that the snapshot doesn't define."""
    literal: bool = False
    """Whether it may be a value of the language itself."""
    inherited: bool = False
    """Whether it is asked as what its type is derived from."""
    written: tuple[WrittenType, ...] = ()
    """The types as written, whose arguments tell what it holds."""
    enters: tuple["Value", ...] = ()
    """What a `with` gives of it, where that isn't a member's."""
    selves: tuple[Definition, ...] = ()
    """The types of what its functions were asked of."""
    given: Given = ()
    """What the type parameters of these stand for."""
    wrapped: bool = False
    """Whether it may still be in something that has members of its own: a promise, a pointer."""
    library: str = ""
    """What it is of the language's own library, where that is known."""

    @property
    def known(self) -> bool:
        """Whether anything is known of it, if only what it holds."""
        return self.answers or bool(self.enters or self.written)

    @property
    def answers(self) -> bool:
        """Whether it is known what its members are asked of."""
        return bool(self.types or self.things or self.outside or self.literal)


OPEN = Value(open=True)
LITERAL = Value(literal=True, exact=True)
BEYOND = Value(outside=True, open=True)


def either(values: Sequence[Value]) -> Value:
    """What is one of several values; no literal counts where there is anything else."""
    counted = [each for each in values if each != LITERAL]
    if len(counted) < 2:
        return counted[0] if counted else (LITERAL if values else OPEN)
    types = _once(item for each in counted for item in each.types)
    named = [each.things for each in counted if each.things]
    return Value(
        types[:_MOST],
        joined(named) if named else UNKNOWN,
        max((each.tier for each in counted), key=TIERS.index),
        all(each.exact for each in counted),
        any(each.open for each in counted) or len(types) > _MOST,
        any(each.outside for each in counted),
        any(each.literal for each in counted),
        all(each.inherited for each in counted),
        _once(item for each in counted for item in each.written),
        _once(item for each in counted for item in each.enters),
        _once(item for each in counted for item in each.selves),
        next((each.given for each in counted if each.given), ()),
        any(each.wrapped for each in counted),
        _alike([each.library for each in counted]),
    )


def _alike(ways: Sequence[str]) -> str:
    """What all of some values are of the library; of more than one thing nothing more is known."""
    return ways[0] if len(set(ways)) == 1 else ANYTHING


def unsure(value: Value, because: bool = True) -> Value:
    """A value that there is a guess about."""
    return replace(value, tier=LIKELY, open=True) if because and not (value.open and value.tier == LIKELY) else value


def as_sure_as(value: Value, base: Value) -> Value:
    """What was asked of something: no surer than that."""
    if base.tier == PROVEN and not base.open:
        return value
    return replace(value, tier=max(value.tier, base.tier, key=TIERS.index), open=value.open or base.open)


def member_meaning(value: Value, found: Meaning) -> Meaning:
    """What a member of a value is, given what its types say: no surer than the value."""
    several = len({(item.path, item.symbol.qualified_name) for item in found.targets}) > 1
    return weaker(found, LIKELY if several or value.open or value.tier != PROVEN else "")


def _once(items: Iterable[object]) -> tuple:  # type: ignore[type-arg]
    return tuple(dict.fromkeys(items))
