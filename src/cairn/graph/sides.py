"""The three things that one name of TypeScript may be at once: a value, a type, and a namespace.

An interface, a function and a namespace of one name share nothing but the name where the namespace holds no value; a
class is a value and a type, and is one thing with an interface as well as with a namespace that holds values.
"""

import re
from typing import Any

from cairn.base.values import replace
from cairn.graph.customs import customs_of
from cairn.graph.meaning import Meaning
from cairn.graph.occurrences import tree_in
from cairn.graph.places import NamedPlace
from cairn.graph.scopes import FileScope
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.syntax.uses import Use

_VALUE, _TYPE, _SPACE = "value", "type", "namespace"
_BOTH = frozenset({_VALUE, _TYPE})
_SIDES = {
    "class": _BOTH,
    "enum": _BOTH,
    "interface": frozenset({_TYPE}),
    "type": frozenset({_TYPE}),
    "module": frozenset({_SPACE}),
}
_HANDS_ON = frozenset({"export_specifier", "import_specifier", "import_clause", "export_statement"})
"""What stands for all that a name is."""
_OF_A_VALUE = re.compile(rb"\b(?:typeof|decltype)\b[\s(]*[\w$.:]*$")


def sides_of(world: World, item: Definition) -> frozenset[str]:
    """What a definition is."""
    found = _SIDES.get(item.symbol.kind, frozenset({_VALUE}))
    if item.symbol.kind != "module":
        return found
    members = world.scope(item.path).members.get(item.symbol.qualified_name, {})
    inside = (Definition(item.path, each) for named in members.values() for each in named)
    # Namespaces of one name share their members: those between its own lines count.
    first, last = item.symbol.start_line, item.symbol.end_line
    own = (each for each in inside if first <= each.symbol.start_line <= last and each.symbol != item.symbol)
    return found | {_VALUE} if any(_VALUE in sides_of(world, each) for each in own) else found


def on_side(world: World, scope: FileScope, use: NamedPlace, found: Meaning) -> Meaning:
    """Of what a name may mean what it is at its place: only some of several that are different things."""
    if not customs_of(scope.language).merged or not isinstance(use, Use):
        return found
    path = scope.path
    sides = {item: sides_of(world, item) for item in found.targets}
    if len(set(sides.values())) < 2:
        return found
    if use.role == "definition":
        own = [item for item in sides if item.path == path and item.symbol.name_line == use.line]
        wanted = frozenset[str]().union(*map(sides_of, [world] * len(own), own))
    else:
        wanted = _wanted(world, path, use)
    fitting = tuple(item for item, own_sides in sides.items() if own_sides & wanted)
    return replace(found, targets=fitting) if fitting else found


def _wanted(world: World, path: str, use: Use) -> frozenset[str]:
    data = world.view.rows.whole_text_of(path)
    tree = tree_in(world.view, path, data) if data is not None else None
    if tree is None:
        return _BOTH | {_SPACE}
    at = tree.lines[use.line - 1] + use.column
    leaf: Any = tree.root_node.descendant_for_byte_range(at, at + 1)
    above = leaf.parent
    while above is not None and above.type in ("nested_identifier", "member_expression") and use.role != "call":
        if above.parent is None or above.parent.type not in (
            *_HANDS_ON,
            "import_alias",
            "type_query",
            "nested_identifier",
        ):
            break
        above = above.parent
    kind = above.type if above is not None else ""
    if kind in _HANDS_ON:
        return _BOTH | {_SPACE}
    if kind == "import_alias":
        return frozenset({_SPACE})
    if kind == "nested_type_identifier":
        return frozenset({_TYPE if above.child_by_field_name("name") == leaf else _SPACE})
    if kind == "extends_clause":
        return _BOTH
    is_type = use.role == "type" and kind != "type_query"
    return frozenset({_TYPE if is_type else _VALUE})


def is_of_namespace(world: World, scope: FileScope, use: Use) -> bool:
    """Whether a type is asked of a package or namespace, and of no variable: `typeof it.kind` asks a value."""
    if not customs_of(scope.language).types_apart:
        return False
    before = world.lines(scope.path)[use.line - 1].encode()[: use.column]
    return _OF_A_VALUE.search(before) is None
