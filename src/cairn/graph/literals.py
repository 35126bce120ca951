"""Objects that are written out, and patterns that take values apart: whose members the names in them are.

`const x: T = { name: 1 }` gives T's `name` a value, `const { name } = x` asks x for its own, and a method in such an
object stands in the place of T's. It is read from the trees that segments keep, of files alone that have such names.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from cairn.graph.binding import ChainPlace
from cairn.graph.contexts import CALL, ELEMENT, WrittenContext, context_of_key, context_of_parameter
from cairn.graph.customs import family
from cairn.graph.evaluate import Evaluator
from cairn.graph.meaning import NAME, UNKNOWN, Circles, Meaning
from cairn.graph.occurrences import tree_in
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.typed import Typed
from cairn.graph.values import OPEN, Value, WrittenType, as_sure_as
from cairn.graph.world import World
from cairn.store import NamePlace
from cairn.syntax.chains import chain_of, first_named
from cairn.syntax.trees import StoredTree

_FAMILY = "javascript"
_MOST_TREES = 64


class Literals:
    """The written objects and patterns of one world."""

    def __init__(self, world: World, circles: Circles, evaluator: Evaluator, typed: Typed) -> None:
        self._world = world
        self._circles = circles
        self._evaluator = evaluator
        self._typed = typed
        evaluator.variables.expected = self.parameter
        self._tree: Callable[[str], StoredTree | None] = lru_cache(maxsize=_MOST_TREES)(self._read)

    def meaning(self, path: str, name: str, line: int, column: int, within: str) -> Meaning:
        """What a name in an object or a pattern is; nothing where no type of it is known."""
        if family(self._world.languages.get(path, "")) != _FAMILY:
            return UNKNOWN
        key = ("key", path, line, column)
        return self._circles.answer(key, lambda: self._meaning(path, name, line, column, within), UNKNOWN, once=True)

    def overridden(self, item: Definition) -> frozenset[Key]:
        """Members of types in whose place one of a written object stands."""
        symbol, scope = item.symbol, self._world.scope(item.path)
        if family(scope.language) != _FAMILY or symbol.kind not in ("method", "property"):
            return frozenset()
        if any(each.kind in TYPES for each in scope.named(symbol.container)):
            return frozenset()
        places = (use for use in self._world.uses(item.path, symbol.name) if use.line == symbol.name_line)
        head = next((use for use in places if use.role == "definition"), None)
        if head is None:
            return frozenset()
        meant = self.meaning(item.path, symbol.name, head.line, head.column, symbol.container)
        return frozenset(map(key_of, meant.targets)) - {key_of(item)}

    def _read(self, path: str) -> StoredTree | None:
        data = self._world.view.rows.whole_text_of(path)
        return tree_in(self._world.view, path, data) if data is not None else None

    def _meaning(self, path: str, name: str, line: int, column: int, within: str) -> Meaning:
        tree = self._tree(path)
        context = context_of_key(tree, tree.lines[line - 1] + column) if tree is not None else None
        if tree is None or context is None:
            return UNKNOWN
        value = self._value(path, tree, context, within)
        if not value.answers:
            return UNKNOWN
        found = self._evaluator.member_of(value, name, self._world.scope(path).language)
        return found if found.tier != NAME else UNKNOWN

    def parameter(self, path: str, row: NamePlace) -> Value:
        """What the parameter of a function without types is, by the type that stands around the function."""
        if family(self._world.languages.get(path, "")) != _FAMILY:
            return OPEN
        key = ("parameter", path, row.line, row.column)
        return self._circles.answer(key, lambda: self._parameter(path, row), OPEN, once=True)

    def _parameter(self, path: str, row: NamePlace) -> Value:
        tree = self._tree(path)
        context = context_of_parameter(tree, tree.lines[row.line - 1] + row.column) if tree is not None else None
        return self._value(path, tree, context, row.within) if tree is not None and context is not None else OPEN

    def _value(self, path: str, tree: StoredTree, context: WrittenContext, within: str) -> Value:
        evaluator, scripts = self._evaluator, self._typed.scripts
        if context.argument < 0:
            value = self._at(path, tree, context.node, context.chain, within)
        else:
            called = self._called(path, tree, context.node, context.chain, within)
            given = self._arguments(path, tree, context.node.parent, within)
            value = scripts.parameter(called, context.argument, given)
        for step in context.steps:
            if isinstance(step, int):
                value = scripts.parameter(value, step)
            else:
                given_on = {ELEMENT: evaluator.element, CALL: scripts.result}.get(step)
                value = as_sure_as(given_on(value) if given_on else evaluator.member(value, step), value)
        return value

    def _called(self, path: str, tree: StoredTree, node: Any, chain: str, within: str) -> Value:
        """What is called by a node, whose own calls may name types."""
        arguments = self._arguments(path, tree, node, within) if node.type == "call_expression" else ()
        if not arguments:
            return self._at(path, tree, node, chain, within)
        function = first_named(node)
        return self._typed.scripts.result(
            self._called(path, tree, function, chain_of(function, tree.data), within), arguments
        )

    def _arguments(self, path: str, tree: StoredTree, call: Any, within: str) -> tuple[WrittenType, ...]:
        """The types that a call names."""
        named = call.child_by_field_name("type_arguments")
        inside = [each for each in named.named_children if not each.is_extra] if named is not None else []
        return tuple(WrittenType(path, each.text.decode("utf-8", "replace"), within) for each in inside)

    def _at(self, path: str, tree: StoredTree, node: Any, chain: str, within: str) -> Value:
        place = node.start_point
        return self._evaluator.at(ChainPlace(path, within, place.row + 1, place.column), chain)
