"""Objects that are written out, and patterns that take values apart: whose members the names in them are.

`const x: T = { name: 1 }` gives T's `name` a value, `const { name } = x` asks x for its own, and a method in such an
object stands in the place of T's. It is read from the trees that segments keep, of files alone that have such names.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from cairn.base.values import dataclass
from cairn.graph.annotations import written_parameters
from cairn.graph.binding import ChainPlace
from cairn.graph.customs import family
from cairn.graph.evaluate import Evaluator
from cairn.graph.meaning import NAME, UNKNOWN, Circles, Meaning
from cairn.graph.occurrences import tree_in
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.typed import Typed
from cairn.graph.values import OPEN, Value, as_sure_as, either
from cairn.graph.world import World
from cairn.store import SymbolRow
from cairn.syntax.chains import chain_of, first_named, last_named, sign_of, type_text
from cairn.syntax.trees import StoredTree

_FAMILY = "javascript"
_OBJECTS = frozenset({"object", "object_pattern"})
_SAME = frozenset(
    {"parenthesized_expression", "non_null_expression", "assignment_pattern", "object_assignment_pattern"}
)
_CASTS = frozenset({"as_expression", "satisfies_expression"})
_DECLARES = frozenset(
    {"variable_declarator", "required_parameter", "optional_parameter", "public_field_definition", "field_definition"}
)
_BODIES = frozenset({"return_statement", "arrow_function"})
_FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_declaration",
        "function_expression",
        "method_definition",
        "generator_function",
        "generator_function_declaration",
    }
)
_CALLS = frozenset({"call_expression", "new_expression"})
_ELEMENTS = frozenset({"jsx_opening_element", "jsx_self_closing_element"})
_ELEMENT = "[]"
_EITHER = ("??", "||", "&&")
_DEEPEST = 30
_MOST_TREES = 64


@dataclass(frozen=True, slots=True)
class _Source:
    """What an object stands for: a chain at a node, or one of the arguments of what a node names."""

    node: Any
    chain: str
    argument: int = -1
    steps: tuple[str, ...] = ()


class Literals:
    """The written objects and patterns of one world."""

    def __init__(self, world: World, circles: Circles, evaluator: Evaluator, typed: Typed) -> None:
        self._world = world
        self._circles = circles
        self._evaluator = evaluator
        self._typed = typed
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
        source = _source(tree, tree.lines[line - 1] + column) if tree is not None else None
        if tree is None or source is None:
            return UNKNOWN
        value = self._value(path, tree, source, within)
        if not value.answers:
            return UNKNOWN
        found = self._evaluator.member_of(value, name, self._world.scope(path).language)
        return found if found.tier != NAME else UNKNOWN

    def _value(self, path: str, tree: StoredTree, source: _Source, within: str) -> Value:
        row = tree.data.count(b"\n", 0, source.node.start_byte)
        column = source.node.start_byte - tree.lines[row]
        value = self._evaluator.at(ChainPlace(path, within, row + 1, column), source.chain)
        if source.argument >= 0:
            value = self._given(value, source.argument)
        for step in source.steps:
            given = self._evaluator.element(value) if step == _ELEMENT else self._evaluator.member(value, step)
            value = as_sure_as(given, value)
        return value

    def _given(self, called: Value, number: int) -> Value:
        """What the parameter of a number is, of what is called."""
        found = []
        for item in called.things.targets:
            if item.symbol.kind in FUNCTIONS:
                found.append(self._parameter(item.path, item.symbol, number))
            elif item.symbol.kind in TYPES:
                makers = self._world.scope(item.path).members.get(item.symbol.qualified_name, {}).get("constructor", ())
                found += [self._parameter(item.path, each, number) for each in makers]
        return as_sure_as(either(found), called) if found else OPEN

    def _parameter(self, path: str, function: SymbolRow, number: int) -> Value:
        written = list(written_parameters(self._world.scope(path).language, function.signature).values())
        said = written[number] if number < len(written) else ""
        return self._typed.value(path, said, function.qualified_name) if said else OPEN


def _source(tree: StoredTree, at: int) -> _Source | None:
    """What a key at a byte is asked of."""
    data = tree.data
    leaf = tree.root_node.descendant_for_byte_range(at, at + 1)
    holder = leaf.parent
    if holder is None:
        return None
    if holder.type == "jsx_attribute":
        element = holder.parent
        name = element.child_by_field_name("name") if element is not None and element.type in _ELEMENTS else None
        return _Source(name, chain_of(name, data), 0) if name is not None else None
    node = holder if holder.type in _OBJECTS else holder.parent
    key = holder.child_by_field_name("key") or holder.child_by_field_name("name") or holder.child_by_field_name("left")
    if node is None or node.type not in _OBJECTS or (holder != node and key != leaf):
        return None
    steps: list[str] = []
    for _ in range(_DEEPEST):
        above = node.parent if node is not None else None
        if above is None:
            return None
        kind = above.type
        if kind in _SAME or _is_choice(above, node, data):
            node = above
        elif kind in ("pair", "pair_pattern") and above.child_by_field_name("value") == node:
            named = above.child_by_field_name("key")
            if named is None or named.type != "property_identifier":
                return None
            steps.append(data[named.start_byte : named.end_byte].decode("utf-8", "replace"))
            node = above.parent
        elif kind == "array":
            steps.append(_ELEMENT)
            node = above
        else:
            return _said(above, node, data, tuple(reversed(steps)))
    return None


def _said(above: Any, node: Any, data: bytes, steps: tuple[str, ...]) -> _Source | None:
    """What the node around an object or a pattern says that it is."""
    kind = above.type
    if kind in _CASTS:
        said = last_named(above)
        return _Source(said, type_text(said, data), steps=steps)
    if kind in _DECLARES:
        said = above.child_by_field_name("type")
        if said is not None:
            return _Source(said, type_text(said, data), steps=steps)
        value = above.child_by_field_name("value") if node.type == "object_pattern" else None
        return _Source(value, chain_of(value, data), steps=steps) if value is not None else None
    if kind == "assignment_expression":
        left, right = above.child_by_field_name("left"), above.child_by_field_name("right")
        other = right if left == node else left
        return _Source(other, chain_of(other, data), steps=steps) if other is not None else None
    if kind == "for_in_statement" and above.child_by_field_name("left") == node and sign_of(above, data) == "of":
        over = above.child_by_field_name("right")
        return _Source(over, chain_of(over, data), steps=(_ELEMENT, *steps)) if over is not None else None
    if kind in _BODIES:
        function = above
        while function is not None and function.type not in _FUNCTIONS:
            function = function.parent
        said = function.child_by_field_name("return_type") if function is not None else None
        return _Source(said, type_text(said, data), steps=steps) if said is not None else None
    if kind == "arguments" and above.parent is not None and above.parent.type in _CALLS:
        inside = [each for each in above.named_children if not each.is_extra]
        number = next(at for at, each in enumerate(inside) if each == node)
        named = first_named(above.parent)
        plain = named is not None and not any(each.type == "spread_element" for each in inside[:number])
        return _Source(named, chain_of(named, data), number, steps) if plain else None
    return None


def _is_choice(above: Any, node: Any, data: bytes) -> bool:
    """Whether a node is one of the values that the one above it may have."""
    if above.type == "ternary_expression":
        return bool(above.child_by_field_name("condition") != node)
    return above.type == "binary_expression" and sign_of(above, data) in _EITHER and bool(last_named(above) == node)
