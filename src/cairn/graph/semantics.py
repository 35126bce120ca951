"""What a compiler's index adds to names, as far as the graph needs it: who knows it stands above."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from cairn.base.values import dataclass, replace
from cairn.graph.meaning import LIKELY, MOST_TARGETS, PROVEN, Meaning
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.store import SymbolRow
from cairn.syntax.uses import Use

SEMANTIC = "semantic"
Leanings = Mapping[str, Sequence[tuple[frozenset[str], int]]]
"""By file: the files that define a thing which it uses, and how often it does."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A place that an index has for what was asked about; lines count from 1, columns are bytes."""

    line: int
    column: int
    end_column: int
    role: str


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

    def sightings(self) -> Mapping[str, Sequence[Sighting]]:
        """Their places by file, in order; their definitions aside."""
        ...


class Semantics(Protocol):
    """An index over one snapshot, where it may be believed."""

    def named(self, name: str) -> list[Definition]:
        """Definitions of a name that no syntax tells: attributes that a method gives a value."""
        ...

    def defined_in(self, path: str) -> list[SymbolRow]:
        """Definitions of a file that no syntax tells, in order."""
        ...

    def leanings(self) -> Leanings:
        """What files use of others; only those whose whole content the index knows are there."""
        ...

    def meanings(self, path: str, uses: Sequence[Use]) -> list[Meaning | None]:
        """What each of some uses of a file is; None where the index doesn't tell."""
        ...

    def overridden(self, item: Definition) -> frozenset[Key]:
        """What a definition stands in the place of, near and far."""
        ...

    def overriders(self, items: Sequence[Definition]) -> list[Definition]:
        """What stands in the place of some definitions, near and far."""
        ...

    def edited_lines(self, path: str) -> int | None:
        """How many lines of an edited file are new to the index, which serves the others; None for other files."""
        ...

    def known(self, definitions: Sequence[Definition]) -> Known:
        """Where some definitions are seen."""


def agreed(written: Meaning, by_index: Meaning, *, both: bool = False) -> Meaning:
    """What a use means by syntax and by an index.

    A proof of either stands, and of two that differ it is the index's that does. That an index knows nothing here for a
    use takes away no proof. Two guesses are both told. Where one word is a key and a variable, the index tells of one
    of them and syntax of the other: `both` are meant. So they are where the index alone knows of a definition: an
    attribute that a method gives a value is also the field that its class inherits.
    """
    both = both or (written.tier == PROVEN and all(item.symbol.layer == SEMANTIC for item in by_index.targets))
    keys = {key_of(item) for item in by_index.targets}
    same = any(key_of(item) in keys for item in written.targets)
    if by_index.targets and by_index.tier == PROVEN:
        if not same and not both:
            return by_index
        if written.tier != PROVEN:
            return by_index if same else replace(by_index, open=True)
        # Syntax may know that a value is of the very type, and of none that is derived from it.
        return replace(by_index, targets=_all(by_index.targets, written.targets), dispatched=written.dispatched)
    if written and written.tier == PROVEN:
        return replace(written, indexed=same)
    if not by_index.targets:
        return by_index
    if written.targets and written.tier == LIKELY:
        dispatched = written.dispatched or by_index.dispatched
        return replace(by_index, targets=_all(by_index.targets, written.targets), dispatched=dispatched)
    return by_index


def _all(first: Sequence[Definition], more: Sequence[Definition]) -> tuple[Definition, ...]:
    found: dict[Key, Definition] = {}
    for item in (*first, *more):
        found.setdefault(key_of(item), item)
    return tuple(found.values())[:MOST_TARGETS]


def layered(definitions: Sequence[Definition], tied: Tied) -> tuple[Definition, ...]:
    """Definitions with the layer that tells of them."""
    return tuple(
        replace(item, symbol=item.symbol._replace(layer=SEMANTIC)) if key_of(item) in tied.keys else item
        for item in definitions
    )


@dataclass(frozen=True, slots=True)
class Unseen:
    """Uses of one word that nobody looked for."""

    uses: Sequence[Use]
    """Every use of the word in the file."""
    wanted: Sequence[Use]
    """Those that an index has."""
    written: bool = True
    """False for what only the index takes for a name, as in a string."""


def unseen(world: World, path: str, sightings: Sequence[Sighting], seen: Sequence[Use]) -> Iterator[Unseen]:
    """Places of a file that an index has, and that are under none of the names that were looked for."""
    places: dict[int, list[int]] = {}
    for use in seen:
        places.setdefault(use.line, []).append(use.column)
    left = [each for each in sightings if not any(_holds(each, at) for at in places.get(each.line, ()))]
    lines = (world.view.rows.whole_text_of(path) or b"").split(b"\n") if left else []
    words: dict[str, list[Sighting]] = {}
    for each in left:
        word = lines[each.line - 1][each.column : each.end_column].decode("utf-8", "replace")
        words.setdefault(word, []).append(each)
    for word, each_of_it in words.items():
        uses = world.uses(path, word)
        read = {(use.line, use.column): use for use in uses}
        found = [read.get((each.line, each.column)) for each in each_of_it]
        yield Unseen(uses, [use for use in found if use is not None and use.role != "definition"])
        for each, known in zip(each_of_it, found, strict=True):
            if known is None and not lines[each.line - 1][: each.column].rstrip().endswith(b"."):
                within = _around(world, path, each.line)
                made = (Use(each.line, each.column, word, each.role, "", within, local=False),)
                yield Unseen(made, made, written=False)


def _holds(each: Sighting, column: int) -> bool:
    return each.column <= column < each.end_column


def _around(world: World, path: str, line: int) -> str:
    around = [
        symbol
        for symbol in world.scope(path).symbols
        if symbol.kind in FUNCTIONS | TYPES and symbol.start_line <= line <= symbol.end_line
    ]
    return max(around, key=lambda symbol: symbol.start_line).qualified_name if around else ""
