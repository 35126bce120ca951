"""The meaning of names by the semantic facts of a snapshot: implements the graph's `Semantics`."""

from collections.abc import Sequence

from cairn.base.values import dataclass
from cairn.graph.entities import one_thing
from cairn.graph.makers import types_made
from cairn.graph.meaning import LIKELY, MOST_TARGETS, PROVEN, Meaning
from cairn.graph.semantics import SEMANTIC, Known, Leanings
from cairn.graph.symbols import Definition, Key, is_of_owner, key_of, last_part
from cairn.graph.world import World
from cairn.semantic.servedfacts import FactPlaces, ServedFacts, is_type, row_of
from cairn.semantic.states import FactRecords
from cairn.semantic.uses import KnownUses
from cairn.store import SemanticFacts, SemanticSymbol, SymbolRow
from cairn.store.semantics import IMPLEMENTATION
from cairn.syntax.uses import Use

_INNER = frozenset({"local", "parameter", "type_parameter"})
"""Kinds of what nobody else can name."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """What a symbol stands for in the snapshot."""

    definitions: tuple[Definition, ...] = ()
    """None for a library's, and for what a function keeps to itself."""
    certain: bool = True
    """False where only another context defines a symbol of that name."""


class Meanings:
    """Answers from the semantic facts of one snapshot."""

    def __init__(self, world: World, records: FactRecords) -> None:
        self._world = world
        self._served = ServedFacts(world, records)
        self._things: dict[tuple[str, int], _Thing | None] = {}
        self._meanings: dict[tuple[str, tuple[int, ...], str, bool], Meaning | None] = {}
        self._owned: dict[tuple[str, str], bool] = {}

    def named(self, name: str) -> list[Definition]:
        """Definitions with exactly this name that syntax doesn't know."""
        found: set[Definition] = set()
        for facts in self._served.facts():
            for symbol in facts.symbols_named(last_part(name)):
                thing = self._thing(facts, symbol)
                found |= {
                    item
                    for item in (thing.definitions if thing is not None and thing.certain else ())
                    if item.symbol.layer == SEMANTIC and is_of_owner(name, item.symbol)
                }
        return sorted(found, key=lambda item: (item.path, item.symbol.name_line, item.symbol.qualified_name))

    def defined_in(self, path: str) -> list[SymbolRow]:
        facts = self._served.facts_of(path)
        if facts is None:
            return []
        places = FactPlaces(self._world, self._served)
        unknown = [each for each in facts.occurrences_in(path) if each.defines and not places.heads(path, each)]
        found: set[SymbolRow] = set()
        for symbol in places.symbols(facts, [each.symbol for each in unknown]):
            thing = self._thing(facts, symbol) if not symbol.home else None
            for item in thing.definitions if thing is not None else ():
                if item.path == path and item.symbol.layer == SEMANTIC:
                    found.add(item.symbol)
        return sorted(found, key=lambda row: (row.name_line, row.qualified_name))

    def leanings(self) -> Leanings:
        found: dict[str, list[tuple[frozenset[str], int]]] = {}
        for facts in self._served.facts():
            known = (file.path for file in facts.files() if self._served.facts_of(file.path) is facts)
            found |= {path: [] for path in known if facts.is_exact(path)}
            for path, owners, times in facts.leanings():
                if path in found and self._served.facts_of(path) is facts:
                    found[path].append((frozenset(owners), times))
        return found

    def meanings(self, path: str, uses: Sequence[Use]) -> list[Meaning | None]:
        facts = self._served.facts_of(path)
        if facts is None:
            return [None] * len(uses)
        places = FactPlaces(self._world, self._served)
        places.read_ahead(facts, path, [use.line for use in uses])
        return [self._meaning(facts, places, path, use) for use in uses]

    def overridden(self, item: Definition) -> frozenset[Key]:
        return frozenset(key_of(each) for each in self._across([item], up=True))

    def overriders(self, items: Sequence[Definition]) -> list[Definition]:
        return self._across(items, up=False)

    def edited_lines(self, path: str) -> int | None:
        carried = self._served.carried(path)
        return carried.changed if carried is not None else None

    def known(self, definitions: Sequence[Definition]) -> Known:
        """Where the facts have some definitions."""
        return KnownUses(self._world, self._served, definitions)

    def _meaning(self, facts: SemanticFacts, places: FactPlaces, path: str, use: Use) -> Meaning | None:
        numbers = places.at(path, use)
        if not numbers:
            return None
        # One value for what means the same: who gathers uses by their meanings has few of them.
        key = (facts.ref.context, tuple(numbers), self._served.tier(path, use.line), bool(use.receiver))
        if key not in self._meanings:
            self._meanings[key] = self._joined(facts, places, numbers, key[2], asked=key[3])
        return self._meanings[key]

    def _joined(
        self, facts: SemanticFacts, places: FactPlaces, numbers: Sequence[int], tier: str, *, asked: bool
    ) -> Meaning | None:
        """What some symbols mean together, `asked` of a value or by themselves; None where that isn't known."""
        found = [self._thing(facts, symbol) for symbol in places.symbols(facts, numbers)]
        things = [thing for thing in found if thing is not None]
        if not things:
            return None
        if not all(thing.certain for thing in things):
            tier = LIKELY
        targets = tuple({key_of(item): item for thing in things for item in thing.definitions}.values())
        if not targets and (tier != PROVEN or len(things) < len(found)):
            return None
        return Meaning(
            targets[:MOST_TARGETS],
            tier if targets else "",
            outside=not targets,
            open=tier != PROVEN or len(things) < len(found),
            dispatched=asked and any(item.symbol.container for item in targets),
            indexed=True,
        )

    def _thing(self, facts: SemanticFacts, symbol: SemanticSymbol) -> _Thing | None:
        """What a symbol stands for; None where that isn't known."""
        key = (facts.ref.context, symbol.number)
        if key not in self._things:
            self._things[key] = self._look_up(facts, symbol)
        return self._things[key]

    def _look_up(self, facts: SemanticFacts, symbol: SemanticSymbol) -> _Thing | None:
        places = FactPlaces(self._world, self._served)
        defining = [
            (path, place)
            for path, place in facts.occurrences_of([symbol.number], defining=True)
            if self._served.facts_of(path) is facts
        ]
        if not defining:
            return None if symbol.home else self._foreign(facts, symbol)
        if places.is_shared(facts, symbol.number):
            return None
        if symbol.kind in _INNER and not any(places.heads(*each) for each in defining):
            return _Thing()
        found: dict[Key, Definition] = {}
        for path, place in defining:
            rows = places.heads(path, place)
            made = row_of(symbol, place.line) if not rows and not found else None
            for row in rows or ((made,) if made is not None else ()):
                # A tool names one of the stubs of an overload, or a declaration: all of them are one thing.
                for item in one_thing(self._world, Definition(path, row)):
                    found.setdefault(key_of(item), item)
        items = tuple(found.values())
        # Whoever calls a constructor names its class.
        types = [made.type for made in types_made(self._world, items).values()]
        return _Thing((*types, *items)) if items else None

    def _foreign(self, facts: SemanticFacts, symbol: SemanticSymbol) -> _Thing | None:
        """A symbol that its context doesn't define: that of another context, or a library's."""
        if facts.definers([symbol.symbol]):
            return None  # in a file that has changed since
        for other in self._served.facts():
            if other is not facts:
                alike = [each for each in other.symbols_named(symbol.name) if each.symbol == symbol.symbol]
                found = [thing for each in alike if (thing := self._own(other, each)) is not None]
                if found:
                    return _Thing(tuple(item for thing in found for item in thing.definitions), certain=False)
        # A definition that the index hasn't seen may be the one that it names.
        return _Thing() if self._has_all(facts, symbol.name) else None

    def _own(self, facts: SemanticFacts, symbol: SemanticSymbol) -> _Thing | None:
        """What a context itself has for a symbol."""
        if not facts.occurrences_of([symbol.number], defining=True):
            return None
        thing = self._thing(facts, symbol)
        return thing if thing is not None and thing.definitions else None

    def _has_all(self, facts: SemanticFacts, name: str) -> bool:
        """Whether a context has every definition of a name, so that a symbol without one is none of them."""
        key = (facts.ref.context, name)
        if key not in self._owned:
            items = self._world.namesakes(name)
            self._owned[key] = self.known(items).tied.keys.issuperset(map(key_of, items)) and all(
                self._served.facts_of(item.path) is facts for item in items
            )
        return self._owned[key]

    def _across(self, items: Sequence[Definition], *, up: bool) -> list[Definition]:
        """What overrides some methods, or is overridden by them, near and far."""
        found: dict[Key, Definition] = {}
        for facts, numbers in KnownUses(self._world, self._served, items).symbols():
            methods = [number for number, each in facts.symbols(numbers).items() if not is_type(each)]
            reached, todo = set(methods), methods
            while todo:
                said = [each for each in facts.related(todo) if each[2] == IMPLEMENTATION]
                pairs = [(one, other) if up else (other, one) for one, other, _ in said]
                todo = list({to for at, to in pairs if at in reached and to not in reached})
                reached.update(todo)
            for symbol in facts.symbols(sorted(reached.difference(methods))).values():
                thing = self._thing(facts, symbol)
                for item in thing.definitions if thing is not None and thing.certain else ():
                    found.setdefault(key_of(item), item)
        return list(found.values())
