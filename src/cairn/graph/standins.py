"""What may stand in the place of a definition of Python: a decorator's, a metaclass's or a `__new__`'s.

The name is the definition's all the same; what calling it does, and gives, is likely that of the definition.
"""

import re
from collections.abc import Callable, Iterator

from cairn.graph.binding import ChainPlace
from cairn.graph.flows import CALL
from cairn.graph.meaning import Circles
from cairn.graph.members import Members, types_in
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, key_of
from cairn.graph.values import Value
from cairn.graph.world import World

DECORATOR = re.compile(r"\s*@\s*((?:\w+\.)*\w+)\s*(\()?")
_KEEPS = re.compile(
    r"(?:\w+\.)*(?:\w*property|classmethod|staticmethod|abstract\w+|overload|override|final|cache|lru_cache"
    r"|(?:async)?contextmanager|getter|setter|deleter|wraps|deprecated|dataclass|total_ordering|runtime_checkable|unique"
    r"|no_type_check|singledispatch|expectedFailure|skip|skipIf|skipUnless)|(?:\w+\.)*abc\.\w+\.register"
    r"|(?:attrs?\.)?(?:s|attrs|define|frozen|mutable)|(?:\w+\.)*mark\.\w+"
)
"""Decorators that leave in its place what they decorate, or what calls it."""
_PASSES = re.compile(r"\b(?:wraps|update_wrapper)\s*\(")
METACLASS = re.compile(r"\bmetaclass\s*=\s*([\w.]+)")
_PLAIN = re.compile(r"(?:\w+\.)*(?:ABCMeta|EnumMeta|EnumType|type)")
_NEW = f".__new__{CALL}"


def decorators_of(world: World, item: Definition) -> Iterator[tuple[int, re.Match[str]]]:
    """The decorators of a definition: the number of the line, and what is called there."""
    for number in range(item.symbol.start_line, item.symbol.name_line):
        if said := DECORATOR.match(world.lines(item.path)[number - 1]):
            yield number, said


class StandIns:
    """The stand-ins of one world; `at` tells what a chain is at a place."""

    def __init__(
        self, world: World, circles: Circles, members: Members, at: Callable[[ChainPlace, str], Value]
    ) -> None:
        self._world = world
        self._circles = circles
        self._members = members
        self._at = at

    def may_replace(self, item: Definition) -> bool:
        """Whether something else may be called by the name of a definition."""
        if self._world.languages.get(item.path) != "python" or item.symbol.kind not in FUNCTIONS | TYPES:
            return False
        return self._circles.answer(("replaced", key_of(item)), lambda: self._is_replaced(item), False)

    def _is_replaced(self, item: Definition) -> bool:
        if not all(self._keeps(item, said[1], called=bool(said[2])) for _, said in decorators_of(self._world, item)):
            return True
        line = self._members.line(item) if item.symbol.kind in TYPES else ()
        return any(self._is_made_otherwise(each) for each, _ in line if each is not None)

    def _keeps(self, item: Definition, name: str, *, called: bool) -> bool:
        if _KEEPS.fullmatch(name):
            return True
        functions = self._named(item, name).things.targets
        return bool(functions) and all(self._passes(each, called=called) for each in functions)

    def _named(self, item: Definition, name: str) -> Value:
        symbol = item.symbol
        return self._at(ChainPlace(item.path, symbol.container, symbol.start_line, 0, True), name)

    def _passes(self, item: Definition, *, called: bool) -> bool:
        """Whether a decorator, or what calling it gives, gives back what it is given, or what calls that."""
        symbol = item.symbol
        if symbol.kind not in FUNCTIONS:
            return False
        if any(map(_PASSES.search, self._world.lines(item.path)[symbol.start_line - 1 : symbol.end_line])):
            return True
        own = symbol.qualified_name
        given = [row.value for row in self._world.flows(item.path).leaving(own, symbol.start_line, symbol.end_line)]
        if not called:
            return bool(given) and all(re.search(rf"\(.*\b{re.escape(each)}\b", symbol.signature) for each in given)
        scope = self._world.scope(item.path)
        inner = [Definition(item.path, each) for name in given for each in scope.named(f"{own}.{name}")]
        return len(inner) == len(given) > 0 and all(self._passes(each, called=False) for each in inner)

    def _is_made_otherwise(self, item: Definition) -> bool:
        """Whether calling a type may give something else than a value of it."""
        said = METACLASS.search(item.symbol.signature)
        if said is not None and not _PLAIN.fullmatch(said[1]):
            types = types_in(self._named(item, said[1]).things.targets)
            if not types or any(self._members.of(each, "__call__").targets for each in types):
                return True
        return not all(map(self._gives_new, self._members.own(item, "__new__").targets))

    def _gives_new(self, maker: Definition) -> bool:
        """Whether a `__new__` gives what that of a base made."""
        symbol, flows = maker.symbol, self._world.flows(maker.path)
        given = flows.leaving(symbol.qualified_name, symbol.start_line, symbol.end_line)
        for row in given:
            made = [each for each in flows.of(row.value) if each.within == row.within]
            if not all(each.value.endswith(_NEW) for each in made or [row]):
                return False
        return bool(given)

    def is_decorated(self, item: Definition, pattern: re.Pattern[str]) -> bool:
        """Whether a decorator of a function is as a pattern says."""
        symbol = item.symbol
        lines = self._world.lines(item.path)[symbol.start_line - 1 : symbol.name_line - 1]
        return any(map(pattern.search, lines))
