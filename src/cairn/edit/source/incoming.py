"""How a function gives its variables values, and which function a place stands in."""

from collections.abc import Iterator
from typing import Any

from cairn.edit.source.written import parameter_place


def is_bound_again(name: Any) -> bool:
    """Whether a function gives a variable of its more than one value."""
    function = _function(name)
    found = [left for left, _ in _bindings(function)] if function is not None else []
    bound = [left for left in found if left.text == name.text]
    return len(bound) > (0 if parameter_place(name, name.said) is not None else 1)


def _function(node: Any) -> Any:
    """The function around a node."""
    while node is not None and not (node.child_by_field_name("parameters") or node.child_by_field_name("parameter")):
        node = node.parent
    return node


def is_nested(node: Any, line: int) -> bool:
    """Whether the function around a node stands in another one, which begins at a line or below it."""
    own = _function(node)
    outer = _function(own.parent) if own is not None else None
    return outer is not None and outer.start_point[0] + 1 >= line


def _bindings(function: Any) -> Iterator[tuple[Any, Any]]:
    """What is given a value in a function, and the value."""
    waiting = [function]
    while waiting:
        node = waiting.pop()
        left, right = (node.child_by_field_name(each) for each in ("left", "right"))
        if left is None or right is None:
            left, right = (node.child_by_field_name(each) for each in ("name", "value"))
        if left is None and node.type == "as_pattern":
            left, right = node.child_by_field_name("alias"), node.named_children[0]
        if left is not None and right is not None:
            yield left, right
        waiting += node.named_children
