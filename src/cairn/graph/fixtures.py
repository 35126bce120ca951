"""pytest's fixtures: a parameter of a test is what the nearest fixture of its name gives."""

import re
from collections.abc import Callable, Iterator, Sequence

from cairn.graph.meaning import Circles
from cairn.graph.symbols import Definition, key_of
from cairn.graph.values import OPEN, Value
from cairn.graph.world import World
from cairn.store import FlowRow, SymbolRow

_FIXTURE = re.compile(r"\s*@(?:\w+\.)*fixture\b")
_CONFTEST = "conftest.py"


class Runners:
    """What a runner gives the tests of one world."""

    def __init__(
        self,
        world: World,
        circles: Circles,
        flown: Callable[[str, Sequence[FlowRow]], Value],
        returned: Callable[[Definition], Value],
    ) -> None:
        self._world = world
        self._circles = circles
        self._flown = flown
        self._returned = returned

    def given(self, path: str, function: SymbolRow, name: str) -> Value:
        """What a test, or another fixture, gets for a parameter."""
        item = self._fixture(path, function, name)
        if item is None:
            return OPEN
        return self._circles.answer(("fixture", key_of(item)), lambda: self._gives(item), OPEN, once=True)

    def _gives(self, item: Definition) -> Value:
        symbol = item.symbol
        span = (symbol.qualified_name, symbol.start_line, symbol.end_line)
        yields = self._world.flows(item.path).leaving(*span, "yield")
        return self._flown(item.path, yields) if yields else self._returned(item)

    def _fixture(self, path: str, function: SymbolRow, name: str) -> Definition | None:
        """The nearest fixture of a name; None where it isn't known, or something else gives the parameter."""
        heads = self._world.lines(path)[function.start_line - 1 : function.name_line - 1]
        runs = function.name.startswith("test") or any(map(_FIXTURE.match, heads))
        if not runs or any(re.search(rf"[\"'](?:[^\"']*\W)?{name}\b", line) for line in heads):
            return None
        for place in _seen_from(path):
            if place == path or self._world.languages.get(place) == "python":
                symbols = self._world.scope(place).symbols
                found = [each for each in symbols if each.name == name and self._is_fixture(place, each)]
                if found:
                    # One that is given what another of its name gives has that from further up.
                    plain = len(found) == 1 and not found[0].container and found[0] != function
                    return Definition(place, found[0]) if plain else None
        return None

    def _is_fixture(self, path: str, symbol: SymbolRow) -> bool:
        lines = self._world.lines(path)[symbol.start_line - 1 : symbol.name_line - 1]
        return any(map(_FIXTURE.match, lines))


def _seen_from(path: str) -> Iterator[str]:
    """A file, and the files of fixtures for its folder and those above."""
    yield path
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        place = f"{folder}/{_CONFTEST}" if folder else _CONFTEST
        if place != path:
            yield place
