"""Matches the occurrences of an index with the places that syntax finds."""

from collections.abc import Sequence

from cairn.graph.world import World
from cairn.semantic.servedfacts import ServedFacts
from cairn.store import SemanticFacts, SemanticOccurrence, SemanticSymbol, SymbolRow
from cairn.syntax.uses import Use


class FactPlaces:
    """Looks up places for one query, and caches what it reads of each file."""

    def __init__(self, world: World, served: ServedFacts) -> None:
        self._world = world
        self._served = served
        self._lines: dict[str, list[bytes]] = {}
        self._found: dict[tuple[str, int], list[SemanticOccurrence]] = {}
        self._symbols: dict[tuple[str, int], SemanticSymbol] = {}

    def at(self, path: str, use: Use) -> list[int]:
        """The symbols at a use, by the narrowest range around it, without those that can't be right."""
        facts = self._served.facts_of(path)
        if facts is None:
            return []
        around = [each for each in self._on(facts, path, use.line) if _holds(each, use)]
        narrowest = min((each.end_column - each.column for each in around), default=0)
        numbers = [each.symbol for each in around if each.end_column - each.column == narrowest]
        return numbers if not numbers or self._is_believed(facts, path, use, numbers) else []

    def heads(self, path: str, place: SemanticOccurrence) -> list[SymbolRow]:
        """The definitions at a place, by syntax."""
        written = self.text(path, place)
        symbols = self._world.scope(path).symbols
        return [each for each in symbols if each.name_line == place.line and each.name == written]

    def defined(self, facts: SemanticFacts, path: str, symbol: SymbolRow) -> list[int]:
        """The index's symbols for a definition that syntax found."""
        places = [
            each
            for each in self._on(facts, path, symbol.name_line)
            if each.defines and self.text(path, each) == symbol.name
        ]
        # A parameter of the same name may follow on the line.
        first = min((each.column for each in places), default=0)
        return [each.symbol for each in places if each.column == first]

    def is_shared(self, facts: SemanticFacts, number: int) -> bool:
        """Whether an index gives one symbol to several things, as scip-python does to functions inside of functions."""
        places = facts.occurrences_of([number], defining=True)
        return len({row.qualified_name for path, place in places for row in self.heads(path, place)}) > 1

    def text(self, path: str, place: SemanticOccurrence) -> str:
        """The text of a place; empty if it spans lines or the file is shorter."""
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = (self._world.view.rows.whole_text_of(path) or b"").split(b"\n")
        line = lines[place.line - 1] if place.line <= len(lines) and place.end_line == place.line else b""
        return line[place.column : place.end_column].decode("utf-8", "replace")

    def read_ahead(self, facts: SemanticFacts, path: str, lines: Sequence[int]) -> None:
        """Look at several lines of a file at once, which is cheaper than one by one."""
        wanted = [line for line in dict.fromkeys(lines) if (path, line) not in self._found]
        for line in wanted:
            self._found[path, line] = []
        for each in facts.occurrences_on(path, wanted):
            self._found[path, each.line].append(each)

    def symbols(self, facts: SemanticFacts, numbers: Sequence[int]) -> list[SemanticSymbol]:
        """Symbols by their numbers, in the same order."""
        context = facts.ref.context
        unknown = [number for number in numbers if (context, number) not in self._symbols]
        for number, symbol in facts.symbols(unknown).items() if unknown else ():
            self._symbols[context, number] = symbol
        return [self._symbols[context, number] for number in numbers]

    def _on(self, facts: SemanticFacts, path: str, line: int) -> list[SemanticOccurrence]:
        if (path, line) not in self._found:
            self.read_ahead(facts, path, [line])
        return self._found[path, line]

    def _is_believed(self, facts: SemanticFacts, path: str, use: Use, numbers: Sequence[int]) -> bool:
        """Whether a member's name agrees with the index; scip-python is wrong about `__slots__`, for example."""
        if not use.receiver or use.role == "import" or use.name in self._world.scope(path).bound:
            return True
        return any(symbol.name == use.name for symbol in self.symbols(facts, numbers))


def _holds(place: SemanticOccurrence, use: Use) -> bool:
    return place.line == place.end_line and place.column <= use.column < place.end_column
