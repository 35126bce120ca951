"""Occurrences of an index beside the places that syntax finds."""

from collections.abc import Sequence

from cairn.graph.world import World
from cairn.semantic.servedfacts import ServedFacts
from cairn.store import SemanticFacts, SemanticOccurrence, SemanticSymbol, SymbolRow
from cairn.syntax.uses import Use


class FactPlaces:
    """The places of one question; what was read of a file is kept."""

    def __init__(self, world: World, served: ServedFacts) -> None:
        self._world = world
        self._served = served
        self._lines: dict[str, list[bytes]] = {}
        self._found: dict[tuple[str, int], list[SemanticOccurrence]] = {}
        self._symbols: dict[tuple[str, int], SemanticSymbol] = {}

    def at(self, path: str, use: Use) -> list[int]:
        """The symbols that stand where a use does, by the narrowest range around it; none that can't be believed."""
        facts = self._served.facts_of(path)
        if facts is None:
            return []
        around = [each for each in self._on(facts, path, use.line) if _holds(each, use)]
        narrowest = min((each.end_column - each.column for each in around), default=0)
        numbers = [each.symbol for each in around if each.end_column - each.column == narrowest]
        return numbers if not numbers or self._is_believed(facts, path, use, numbers) else []

    def heads(self, path: str, place: SemanticOccurrence) -> list[SymbolRow]:
        """What syntax says to be defined at a place."""
        written = self.text(path, place)
        symbols = self._world.scope(path).symbols
        return [each for each in symbols if each.name_line == place.line and each.name == written]

    def defined(self, facts: SemanticFacts, path: str, symbol: SymbolRow) -> list[int]:
        """The symbols that a definition of syntax is for an index."""
        places = [
            each
            for each in self._on(facts, path, symbol.name_line)
            if each.defines and self.text(path, each) == symbol.name
        ]
        # Behind it on its line may stand a parameter of its name.
        first = min((each.column for each in places), default=0)
        return [each.symbol for each in places if each.column == first]

    def is_shared(self, facts: SemanticFacts, number: int) -> bool:
        """Whether an index gives one symbol to several things, as scip-python does to functions inside of functions."""
        places = facts.occurrences_of([number], defining=True)
        return len({row.qualified_name for path, place in places for row in self.heads(path, place)}) > 1

    def text(self, path: str, place: SemanticOccurrence) -> str:
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = (self._world.view.whole_text_of(path) or b"").split(b"\n")
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
        """A member has its own name: an index that calls it otherwise has lost its way (as with `__slots__`)."""
        if not use.receiver or use.role == "import" or use.name in self._world.scope(path).bound:
            return True
        return any(symbol.name == use.name for symbol in self.symbols(facts, numbers))


def _holds(place: SemanticOccurrence, use: Use) -> bool:
    return place.line == place.end_line and place.column <= use.column < place.end_column
