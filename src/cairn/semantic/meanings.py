"""The meaning of names by the semantic facts of a snapshot: implements the graph's `Semantics`."""

from collections.abc import Iterator, Sequence

from cairn.graph.semantics import SEMANTIC, Known
from cairn.graph.symbols import Definition, is_of_owner, last_part
from cairn.graph.world import World
from cairn.semantic.servedfacts import FactPlaces, ServedFacts, row_of
from cairn.semantic.states import FactRecords
from cairn.semantic.uses import KnownUses
from cairn.store import SemanticFacts, SemanticSymbol
from cairn.syntax.uses import Use


class Meanings:
    """Answers from the semantic facts of one snapshot."""

    def __init__(self, world: World, records: FactRecords) -> None:
        self._world = world
        self._served = ServedFacts(world, records)

    def named(self, name: str) -> list[Definition]:
        """Definitions with exactly this name that syntax doesn't know."""
        found: set[Definition] = set()
        for facts in self._served.facts():
            symbols = {symbol.number: symbol for symbol in facts.symbols_named(last_part(name))}
            found |= {
                item
                for item in self._definitions(facts, symbols)
                if item.symbol.layer == SEMANTIC and is_of_owner(name, item.symbol)
            }
        return sorted(found, key=lambda item: (item.path, item.symbol.name_line, item.symbol.qualified_name))

    def at(self, path: str, use: Use) -> list[Definition]:
        facts = self._served.facts_of(path)
        if facts is None:
            return []
        places = FactPlaces(self._world, self._served)
        numbers = places.at(path, use)
        if any(places.is_shared(facts, number) for number in numbers):
            return []
        return list(self._definitions(facts, facts.symbols(numbers)))

    def known(self, definitions: Sequence[Definition]) -> Known:
        """What the facts say about the uses of some definitions."""
        return KnownUses(self._world, self._served, definitions)

    def _definitions(self, facts: SemanticFacts, symbols: dict[int, SemanticSymbol]) -> Iterator[Definition]:
        """Where some symbols are defined, each as syntax has it, else at the first of its places."""
        seen: set[int] = set()
        places = FactPlaces(self._world, self._served)
        for path, place in facts.occurrences_of(list(symbols), defining=True):
            if self._served.facts_of(path) is not facts:
                continue
            rows = places.heads(path, place)
            if rows:
                seen.add(place.symbol)
                yield from (Definition(path, row) for row in rows)
            elif place.symbol not in seen and (made := row_of(symbols[place.symbol], place.line)) is not None:
                seen.add(place.symbol)
                yield Definition(path, made)
