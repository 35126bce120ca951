"""What a compiler's index adds to names, as far as the graph needs it: who knows it stands above."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from cairn.base.values import dataclass, replace
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.syntax.uses import Use

SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class UseVerdict:
    """What an index says that a use is; without a target it is surely none of what was asked about."""

    target: Definition | None
    tier: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A place that an index has for what was asked about; lines count from 1, columns are bytes."""

    line: int
    column: int
    end_column: int
    role: str
    verdict: UseVerdict


@dataclass(frozen=True, slots=True)
class Tied:
    """Which of some definitions an index has."""

    keys: frozenset[Key] = frozenset()
    older: tuple[str, ...] = ()
    """Files of the others whose facts were made from another content than they have now."""


class Known(Protocol):
    """What is known of some definitions."""

    @property
    def tied(self) -> Tied:
        """Which of the definitions the index has."""

    def judged(self, path: str, uses: Sequence[Use]) -> list[UseVerdict | None]:
        """What each of some uses of a file is; None where the index doesn't tell."""
        ...

    def sightings(self) -> Mapping[str, Sequence[Sighting]]:
        """Their uses by file, in order of place."""
        ...


class Semantics(Protocol):
    """An index over one snapshot, where it may be believed."""

    def named(self, name: str) -> list[Definition]:
        """Definitions of a name that no syntax tells: attributes that a method gives a value."""
        ...

    def at(self, path: str, use: Use) -> list[Definition]:
        """The definitions of what is used at a place; none where the index doesn't tell."""
        ...

    def known(self, definitions: Sequence[Definition]) -> Known:
        """What the facts say of some definitions."""


def layered(definitions: Sequence[Definition], tied: Tied) -> tuple[Definition, ...]:
    """Definitions with the layer that tells of them."""
    return tuple(
        replace(item, symbol=item.symbol._replace(layer=SEMANTIC)) if key_of(item) in tied.keys else item
        for item in definitions
    )


def unseen(
    world: World, known: Known, path: str, sightings: Sequence[Sighting], seen: Sequence[Use]
) -> Iterator[tuple[Use, UseVerdict]]:
    """Uses of a file that an index has under names that nobody looked for."""
    places: dict[int, list[int]] = {}
    for use in seen:
        places.setdefault(use.line, []).append(use.column)
    left = [each for each in sightings if not any(_holds(each, at) for at in places.get(each.line, ()))]
    lines = (world.view.rows.whole_text_of(path) or b"").split(b"\n") if left else []
    read: dict[str, dict[tuple[int, int], Use]] = {}
    for each in left:
        line = lines[each.line - 1]
        name = line[each.column : each.end_column].decode("utf-8", "replace")
        if name not in read:
            read[name] = {(use.line, use.column): use for use in world.uses(path, name)}
        found = read[name].get((each.line, each.column))
        if found is not None:
            # With what it is asked of known, the index may be doubted after all.
            (verdict,) = known.judged(path, [found])
            if verdict is not None and found.role != "definition":
                yield found, verdict
        elif not line[: each.column].rstrip().endswith(b"."):
            within = _around(world, path, each.line)
            yield Use(each.line, each.column, name, each.role, "", within, local=False), each.verdict


def _holds(each: Sighting, column: int) -> bool:
    return each.column <= column < each.end_column


def _around(world: World, path: str, line: int) -> str:
    around = [
        symbol
        for symbol in world.scope(path).symbols
        if symbol.kind in FUNCTIONS | TYPES and symbol.start_line <= line <= symbol.end_line
    ]
    return max(around, key=lambda symbol: symbol.start_line).qualified_name if around else ""
