"""What lets somebody outside of the code's own references ask for a thing by its name."""

import builtins
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from cairn.edit.group import Group, numbers_at
from cairn.edit.texts import Text
from cairn.edit.values import Doubt, Spot
from cairn.semantic.scip import ScipError, parse_symbol
from cairn.store import SemanticFacts
from cairn.syntax.parse import tree_of

_CLASSES = frozenset(
    {"class_definition", "class_declaration", "abstract_class_declaration", "class", "interface_declaration"}
)
_HERITAGE = frozenset({"argument_list", "class_heritage", "extends_clause", "implements_clause", "extends_type_clause"})
_HARMLESS = frozenset(
    """
    staticmethod classmethod property abstractmethod abc.abstractmethod overload typing.overload dataclass
    dataclasses.dataclass contextmanager contextlib.contextmanager asynccontextmanager contextlib.asynccontextmanager
    cache functools.cache lru_cache functools.lru_cache cached_property functools.cached_property wraps functools.wraps
    override typing.override final typing.final unique enum.unique total_ordering functools.total_ordering
    singledispatch functools.singledispatch no_type_check
    """.split()
)
"""Decorators that register nothing under a name."""
_LOOKED_INTO = frozenset({"builtins", "abc", "typing", "enum", "collections", "collections.abc"})
"""Modules of the standard library whose classes tell which names they have."""
_SOURCE = Mapping[str, tuple[str, bytes]]


def doubts_about(group: Group, facts: SemanticFacts, sources: _SOURCE, spots: tuple[Spot, ...]) -> Iterator[Doubt]:
    """`sources` holds (language, content) of the files that define it."""
    name = group.name
    if group.home:
        return
    if name.startswith("__") and name.endswith("__"):
        yield Doubt("special_name", f"{name} has a meaning to the language.", "another name", "leave it")
    defined = {(path, each.line, each.column) for path, each in group.definitions}
    if all((spot.path, spot.line, spot.column) in defined for spot in spots):
        yield Doubt(
            "unreferenced",
            f"Nothing in the tree uses {name}: who calls it?",
            "somebody who uses it, or that nobody does",
            "look for a framework that finds it by its name",
        )
    if any(spot.provenance != "semantic" for spot in spots):
        yield Doubt(
            "exported", f"{name} is listed as public: who uses it outside of this tree?", "its users", "ask them"
        )
    for path, each in group.definitions:
        language, data = sources.get(path, ("", b""))
        tree = tree_of(path, language, data)
        if tree is None:
            continue
        yield from _of_definition(group, facts, path, data, tree.root_node, Text(data).offset(each.line, each.column))


def _of_definition(group: Group, facts: SemanticFacts, path: str, data: bytes, root: Any, at: int) -> Iterator[Doubt]:
    node = root.descendant_for_byte_range(at, at + len(group.name.encode()))
    if node is None:
        return
    for decorator in _decorators(node):
        yield Doubt(
            "decorated",
            f"{group.name} is decorated with {decorator}: does that make it known by its name?",
            "what the decorator does",
            "read the decorator",
        )
    if group.member:
        holder = next((above for above in _above(node) if above.type in _CLASSES), None)
        if holder is not None:
            yield from _unknown_bases(group, facts, path, data, holder)


def _above(node: Any) -> Iterator[Any]:
    while node is not None:
        yield node
        node = node.parent


def _decorators(node: Any) -> Iterator[str]:
    own = next((above for above in _above(node) if "definition" in above.type or "declaration" in above.type), None)
    if own is None or own.child_by_field_name("name") != node:
        return
    holders = (own, own.parent) if own.parent is not None and own.parent.type == "decorated_definition" else (own,)
    found = [child for holder in holders for child in holder.children if child.type == "decorator"]
    sibling = own.prev_named_sibling
    while sibling is not None and sibling.type == "decorator":
        found.append(sibling)
        sibling = sibling.prev_named_sibling
    for decorator in found:
        written = decorator.text.decode("utf-8", "replace").lstrip("@").partition("(")[0].strip()
        if written not in _HARMLESS and not written.endswith((".setter", ".getter", ".deleter")):
            yield written[:80]


def _unknown_bases(group: Group, facts: SemanticFacts, path: str, data: bytes, holder: Any) -> Iterator[Doubt]:
    """Bases that may have a member of that name themselves, which it would override."""
    places = numbers_at(facts, path)
    for base in _bases(holder):
        line, column = base.start_point[0] + 1, base.start_point[1]
        numbers = sorted(places.get((line, column), ()))
        if numbers and any(each.defines for _, each in facts.occurrences_of(numbers)):
            continue  # its own members are known
        known = [symbol.symbol for symbol in facts.symbols(numbers).values()]
        if any(_lacks(symbol, group.name) for symbol in known):
            continue
        told = data[base.start_byte : base.end_byte].decode("utf-8", "replace")[:80]
        yield Doubt(
            "unknown_base",
            f"{path}:{line} has a base outside of the tree, {told}: does it know {group.name}?",
            "the members of that base",
            "read its documentation",
        )


def _bases(holder: Any) -> Iterator[Any]:
    """The last name of each base: `Base` of `module.Base[T]`."""
    for heritage in holder.children:
        if heritage.type not in _HERITAGE:
            continue
        todo = list(heritage.named_children)
        while todo:
            node = todo.pop()
            if node.type in ("identifier", "type_identifier", "property_identifier"):
                yield node
            elif node.type in ("attribute", "member_expression", "nested_type_identifier"):
                todo.append(node.named_children[-1])
            elif node.type in ("subscript", "generic_type", "call"):
                todo.append(node.named_children[0])
            elif node.type in _HERITAGE:
                todo += node.named_children


def _lacks(symbol: str, name: str) -> bool:
    """Whether a class of Python's own is known not to have a member of a name."""
    try:
        parsed = parse_symbol(symbol)
    except ScipError:
        return False
    module, *inner = parsed.descriptors
    if parsed.package != "python-stdlib" or module.name not in _LOOKED_INTO or len(inner) != 1:
        return False
    home = builtins if module.name == "builtins" else importlib.import_module(module.name)
    found = getattr(home, inner[0].name, None)
    return isinstance(found, type) and not hasattr(found, name)
