"""Descriptors: values in a class body that are told their member's name, such as `size = Field()`."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.decorators import above
from cairn.edit.lineage import CLASSES, Lineage
from cairn.edit.reading import Program

_SET_NAME = re.compile(rb"\b__set_name__\b")
_OWN = " python-stdlib "
"""Python's own descriptors use the name only as the key under which they store the value."""
_NAMES = frozenset({"identifier", "attribute"})


def keeps_name(path: str, assignment: Any, program: Program) -> bool:
    """Whether a member's value is, or may be, an object that is told the member's name."""
    value = assignment.child_by_field_name("right")
    scopes = (node for node in above(assignment) if node.type in CLASSES or node.type == "function_definition")
    inside = next(scopes, None)
    if value is None or inside is None or inside.type not in CLASSES:
        return False
    return _may_be_named(path, value, program, program.lineage, depth=2)


def _may_be_named(path: str, value: Any, program: Program, lineage: Lineage, depth: int) -> bool:
    if any(_makes_one(path, call, program, lineage) for call in _calls(value)):
        return True
    if value.type not in _NAMES or not depth:
        return False
    # A variable holds the value from its definition.
    numbers = lineage.numbers(path, _last(value))
    for home, each in program.facts.occurrences_of(sorted(numbers), defining=True) if numbers else ():
        node = program.node(home, each)
        given = next((outer for outer in above(node) if outer.type == "assignment"), None)
        right = given.child_by_field_name("right") if given is not None else None
        if right is not None and _may_be_named(home, right, program, lineage, depth - 1):
            return True
    return False


def _makes_one(path: str, call: Any, program: Program, lineage: Lineage) -> bool:
    numbers = lineage.numbers(path, _last(call.child_by_field_name("function")))
    known = program.facts.symbols(sorted(numbers)).values()
    if known and all(_OWN in each.symbol for each in known):
        return False
    classes = numbers.union(*(lineage.kin(number) for number in numbers))
    bodies = list(program.bodies(classes))
    return not bodies or any(body.has(_SET_NAME) for body in bodies)


def _calls(node: Any) -> Iterator[Any]:
    """The calls whose results a value may be, rather than be made of."""
    if node.type == "call":
        yield node
    elif node.type not in ("lambda", "binary_operator", "comparison_operator", "subscript", "attribute"):
        for child in node.named_children:
            yield from _calls(child)


def _last(function: Any) -> Any:
    return function.named_children[-1] if function.type == "attribute" else function
