"""What semantic facts say about the uses of some definitions: implements the graph's `Known`."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from cairn.base.values import dataclass
from cairn.graph.meaning import LIKELY, TIERS
from cairn.graph.semantics import Sighting, Tied, UseVerdict
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.semantic.servedfacts import FactPlaces, ServedFacts, is_type
from cairn.store import SemanticFacts, SemanticOccurrence
from cairn.store.semantics import IMPLEMENTATION, WRITE
from cairn.syntax.uses import Use

_ELSEWHERE = UseVerdict(None)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The definition that a symbol means."""

    item: Definition
    certain: bool = True
    """False for a method that overrides it or is overridden, and for a namesake in another context."""


class KnownUses:
    """The uses of some definitions, looked up when they are first needed."""

    def __init__(self, world: World, served: ServedFacts, definitions: Sequence[Definition]) -> None:
        self._world = world
        self._served = served
        self._definitions = definitions
        self._places = FactPlaces(world, served)
        self._heads = {(item.path, item.symbol.name_line) for item in definitions}
        self._defined: dict[tuple[str, int], bool] = {}

    @property
    def tied(self) -> Tied:
        """The definitions that the index knows, and files of which it has only older facts."""
        keys = frozenset(self._tied)
        paths = dict.fromkeys(item.path for item in self._definitions if key_of(item) not in keys)
        return Tied(keys, tuple(filter(self._served.is_older, paths)))

    def judged(self, path: str, uses: Sequence[Use]) -> list[UseVerdict | None]:
        facts = self._served.facts_of(path)
        if facts is None:
            return [None] * len(uses)
        said = [self._exact.get((path, use.line, use.column, use.name)) for use in uses]
        left = [use.line for use, verdict in zip(uses, said, strict=True) if verdict is None]
        self._places.read_ahead(facts, path, left)
        return [verdict or self._judged(facts, path, use) for use, verdict in zip(uses, said, strict=True)]

    def _judged(self, facts: SemanticFacts, path: str, use: Use) -> UseVerdict | None:
        numbers = self._places.at(path, use)
        if not numbers:
            return None
        wanted = self._wanted.get(facts.ref.context, {})
        hits = [wanted[number] for number in numbers if number in wanted]
        if hits:
            return self._verdict(path, min(hits, key=lambda each: not each.certain))
        return _ELSEWHERE if self._is_other(facts, numbers) else None

    def sightings(self) -> Mapping[str, Sequence[Sighting]]:
        return self._sightings

    @cached_property
    def _exact(self) -> dict[tuple[str, int, int, str], UseVerdict]:
        """Verdicts by place and name, for ranges that are exactly the name: those are the most exact."""
        found: dict[tuple[str, int, int, str], UseVerdict] = {}
        for path, sightings in self._sightings.items():
            for each in sightings:
                name = each.verdict.target.symbol.name if each.verdict.target is not None else ""
                if len(name.encode()) == each.end_column - each.column:
                    key = (path, each.line, each.column, name)
                    found[key] = min(
                        found.get(key, each.verdict), each.verdict, key=lambda said: TIERS.index(said.tier)
                    )
        return found

    @cached_property
    def _sightings(self) -> dict[str, list[Sighting]]:
        found: dict[str, list[Sighting]] = {}
        for facts in self._served.facts():
            wanted = self._wanted.get(facts.ref.context, {})
            for path, place in facts.occurrences_of(list(wanted)):
                if place.end_line != place.line or place.column == place.end_column:
                    continue
                if self._served.facts_of(path) is not facts or self._is_head(path, place):
                    continue
                said = Sighting(
                    place.line, place.column, place.end_column, _role(place), self._verdict(path, wanted[place.symbol])
                )
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

    @cached_property
    def _wanted(self) -> dict[str, dict[int, _Wanted]]:
        """By context, then by the symbol's number in it."""
        found: dict[str, dict[int, _Wanted]] = {}
        for item in reversed(self._definitions):
            if key_of(item) in self._tied:
                facts, numbers = self._tied[key_of(item)]
                found.setdefault(facts.ref.context, {}).update(dict.fromkeys(numbers, _Wanted(item)))
        for facts in self._served.facts():
            own = found.setdefault(facts.ref.context, {})
            for number, item in self._namesakes(facts):
                own.setdefault(number, _Wanted(item, certain=False))
            for number, item in self._overriding(facts, {number: each.item for number, each in own.items()}):
                own.setdefault(number, _Wanted(item, certain=False))
        return found

    def _namesakes(self, facts: SemanticFacts) -> Iterable[tuple[int, Definition]]:
        """Symbols by which another context knows a definition that it doesn't define itself."""
        for item in self._definitions:
            home, numbers = self._tied.get(key_of(item), (facts, []))
            if home is facts:
                continue
            texts = {each.symbol for each in home.symbols(numbers).values() if not each.home}
            for symbol in facts.symbols_named(item.symbol.name) if texts else ():
                if symbol.symbol in texts and not _defines_elsewhere(facts, symbol.number, item.path):
                    yield symbol.number, item

    def _overriding(self, facts: SemanticFacts, items: Mapping[int, Definition]) -> Iterable[tuple[int, Definition]]:
        """Methods that override some, and those that they override, but not other methods that override the same."""
        methods = {number: each for number, each in facts.symbols(list(items)).items() if not is_type(each)}
        for up in (True, False):
            reached = {number: items[number] for number in methods}
            todo = list(reached)
            while todo:
                said = [each for each in facts.related(todo) if each[2] == IMPLEMENTATION]
                pairs = [(one, other) if up else (other, one) for one, other, _ in said]
                fresh = {to: reached[at] for at, to in pairs if at in reached and to not in reached}
                reached |= fresh
                todo = list(fresh)
            yield from ((number, item) for number, item in reached.items() if number not in items)

    def _is_other(self, facts: SemanticFacts, numbers: Sequence[int]) -> bool:
        """Whether symbols certainly mean none of the definitions.

        A symbol that the index has no definition of may be one that it failed to name, or that another context has.
        """
        named = not any(symbol.home for symbol in self._places.symbols(facts, numbers))
        if named and facts.ref.context in self._homes:
            return True
        for number in numbers:
            key = (facts.ref.context, number)
            if key not in self._defined:
                places = facts.occurrences_of([number], defining=True)
                lines = {(path, place.line) for path, place in places}
                self._defined[key] = bool(lines) and lines.isdisjoint(self._heads)
            if not self._defined[key]:
                return False
        return True

    @cached_property
    def _homes(self) -> frozenset[str]:
        """The context that has all of the definitions, if there is one."""
        homes = {self._tied[key][0].ref.context if key in self._tied else "" for key in map(key_of, self._definitions)}
        return frozenset(homes) if len(homes) == 1 else frozenset()

    def _is_head(self, path: str, place: SemanticOccurrence) -> bool:
        """Whether a place is the definition itself, which is no use."""
        return place.defines and ((path, place.line) in self._heads or bool(self._places.heads(path, place)))

    def _verdict(self, path: str, wanted: _Wanted) -> UseVerdict:
        return UseVerdict(wanted.item, self._served.tier(path) if wanted.certain else LIKELY)


def _defines_elsewhere(facts: SemanticFacts, number: int, path: str) -> bool:
    return any(each != path for each, _ in facts.occurrences_of([number], defining=True))


def _role(place: SemanticOccurrence) -> str:
    if place.imports:
        return "import"
    return "write" if place.defines or place.roles & WRITE else "read"
