"""Where semantic facts have some definitions: implements the graph's `Known`."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from cairn.graph.semantics import Sighting, Tied
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.semantic.servedfacts import FactPlaces, ServedFacts
from cairn.store import SemanticFacts, SemanticOccurrence
from cairn.store.semantics import WRITE


class KnownUses:
    """The places of some definitions, looked up when they are first needed."""

    def __init__(self, world: World, served: ServedFacts, definitions: Sequence[Definition]) -> None:
        self._served = served
        self._definitions = definitions
        self._places = FactPlaces(world, served)
        self._heads = {(item.path, item.symbol.name_line) for item in definitions}

    @property
    def tied(self) -> Tied:
        """The definitions that the index knows, and files of which it has only older facts."""
        keys = frozenset(self._tied)
        paths = dict.fromkeys(item.path for item in self._definitions if key_of(item) not in keys)
        return Tied(keys, tuple(filter(self._served.is_older, paths)))

    def symbols(self) -> list[tuple[SemanticFacts, list[int]]]:
        """The symbols of each definition that the index knows, in its own context."""
        return list(self._tied.values())

    def sightings(self) -> Mapping[str, Sequence[Sighting]]:
        found: dict[str, list[Sighting]] = {}
        for facts in self._served.facts():
            own = [number for home, numbers in self._tied.values() if home is facts for number in numbers]
            for path, place in facts.occurrences_of([*own, *self._namesakes(facts)]):
                if place.end_line != place.line or place.column == place.end_column:
                    continue
                if self._served.facts_of(path) is facts and not self._is_head(path, place):
                    said = Sighting(place.line, place.column, place.end_column, _role(place))
                    found.setdefault(path, []).append(said)
        return found

    @cached_property
    def _tied(self) -> dict[Key, tuple[SemanticFacts, list[int]]]:
        """The symbols of each definition in its own context."""
        found: dict[Key, tuple[SemanticFacts, list[int]]] = {}
        for item in self._definitions:
            facts = self._served.facts_of(item.path)
            if facts is None:
                continue
            numbers = self._places.defined(facts, item.path, item.symbol)
            if numbers and not any(self._places.is_shared(facts, number) for number in numbers):
                found[key_of(item)] = facts, numbers
        return found

    def _namesakes(self, facts: SemanticFacts) -> Iterable[int]:
        """Symbols by which another context knows a definition that it doesn't define itself."""
        for item in self._definitions:
            home, numbers = self._tied.get(key_of(item), (facts, []))
            if home is facts:
                continue
            texts = {each.symbol for each in home.symbols(numbers).values() if not each.home}
            for symbol in facts.symbols_named(item.symbol.name) if texts else ():
                if symbol.symbol in texts and not facts.occurrences_of([symbol.number], defining=True):
                    yield symbol.number

    def _is_head(self, path: str, place: SemanticOccurrence) -> bool:
        """Whether a place is the definition itself, which is no use."""
        return place.defines and ((path, place.line) in self._heads or bool(self._places.heads(path, place)))


def _role(place: SemanticOccurrence) -> str:
    if place.imports:
        return "import"
    return "write" if place.defines or place.roles & WRITE else "read"
