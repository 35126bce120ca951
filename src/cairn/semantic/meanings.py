"""What names mean by the semantic facts of one snapshot: the graph's `Semantics`."""

from collections.abc import Iterator, Sequence

from cairn.graph.semantics import SEMANTIC, Known
from cairn.graph.symbols import Definition, is_of_owner, last_part
from cairn.graph.world import World
from cairn.semantic.ground import Ground
from cairn.semantic.known import KnownUses
from cairn.semantic.spots import Spots
from cairn.semantic.states import Records
from cairn.semantic.symbolrows import row_of
from cairn.store import SemanticFacts, SemanticSymbol
from cairn.syntax.uses import Use


class Meanings:
    """For one snapshot, over whichever view of it the world has at hand."""

    def __init__(self, world: World, records: Records) -> None:
        self._world = world
        self._ground = Ground(world, records)

    def named(self, name: str) -> list[Definition]:
        """By the exact name: what syntax knows too is left to it."""
        found: set[Definition] = set()
        for facts in self._ground.facts():
            symbols = {symbol.number: symbol for symbol in facts.symbols_named(last_part(name))}
            found |= {
                item
                for item in self._definitions(facts, symbols)
                if item.symbol.layer == SEMANTIC and is_of_owner(name, item.symbol)
            }
        return sorted(found, key=lambda item: (item.path, item.symbol.name_line, item.symbol.qualified_name))

    def at(self, path: str, use: Use) -> list[Definition]:
        facts = self._ground.facts_of(path)
        if facts is None:
            return []
        spots = Spots(self._world, self._ground)
        numbers = spots.at(path, use)
        if any(spots.is_shared(facts, number) for number in numbers):
            return []
        return list(self._definitions(facts, facts.symbols(numbers)))

    def known(self, definitions: Sequence[Definition]) -> Known:
        return KnownUses(self._world, self._ground, definitions)

    def _definitions(self, facts: SemanticFacts, symbols: dict[int, SemanticSymbol]) -> Iterator[Definition]:
        """Where some symbols are defined, each as syntax has it, else at the first of its places."""
        seen: set[int] = set()
        spots = Spots(self._world, self._ground)
        for path, place in facts.occurrences_of(list(symbols), defining=True):
            if self._ground.facts_of(path) is not facts:
                continue
            rows = spots.heads(path, place)
            if rows:
                seen.add(place.symbol)
                yield from (Definition(path, row) for row in rows)
            elif place.symbol not in seen and (made := row_of(symbols[place.symbol], place.line)) is not None:
                seen.add(place.symbol)
                yield Definition(path, made)
