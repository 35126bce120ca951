"""Values that come into a function from elsewhere: its parameters, what its object has, and parts of these."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.source.written import parameter_place

_WORD = re.compile(r"\w+")
_SELVES = frozenset(("self", "cls", "this"))
_LITERALS = ("dictionary", "object", "string", "template_string", "lambda", "arrow_function", "function_expression")
"""What is made where it stands."""
_COPYING = (b"Object.assign", b"Object.values", b"Object.entries", b"structuredClone")
_FILLED = ("list", "dictionary", "set", "array", "object")


def comes_in(node: Any) -> bool:
    """Whether what stands at a node is, or is a part of, what callers give a function around it, or its object has.

    What a collection of the module holds comes in, too: it is filled by others.
    """
    words, function = set(_parts(node)), _function(node)
    while function is not None:
        words = _sources(words, function)
        lists = filter(None, map(function.child_by_field_name, ("receiver", "parameters", "parameter")))
        given = [each for listed in lists for each in listed.named_children or [listed]]
        if words & _SELVES or words & {name for each in given for name in _first(each)}:
            return True
        node, function = function, _function(function.parent)
    while node.parent is not None:
        node = node.parent
    if any(each.type == "var_declaration" and _words(each) & words for each in node.named_children):
        return True
    kept = (each.named_children[0] for each in node.named_children if each.type == "expression_statement")
    sides = ((each.child_by_field_name("left"), each.child_by_field_name("right")) for each in kept)
    return any(left and right and right.type in _FILLED and _words(left) & words for left, right in sides)


def _sources(words: set[str], function: Any) -> set[str]:
    """Some variables, and those that they have their values from in a function."""
    bound = [(_words(left), set(_parts(right))) for left, right in _bindings(function)]
    found, waiting = set[str](), words
    while waiting:
        found |= waiting
        waiting = set[str]().union(*(right for left, right in bound if waiting & left)) - found
    return found


def is_bound_again(name: Any) -> bool:
    """Whether a function gives a variable of its more than one value."""
    function = _function(name)
    found = [left for left, _ in _bindings(function)] if function is not None else []
    bound = [left for left in found if left.text == name.text]
    return len(bound) > (0 if parameter_place(name, name.text.decode("utf-8", "replace")) is not None else 1)


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


def _parts(node: Any) -> Iterator[str]:
    """The variables that a value may be, or be a part of; what a call answers is a part of what it is asked of."""
    if node.type in ("identifier", "shorthand_property_identifier", "this", "self"):
        yield node.text.decode("utf-8", "replace")
        return
    if node.type in _LITERALS:
        for each in node.named_children if node.type == "object" else ():  # `{ ...it }` has all that it has.
            yield from _parts(each) if each.type == "spread_element" else ()
        return
    inner = node.child_by_field_name("object") or node.child_by_field_name("operand")
    inner = inner or (node.child_by_field_name("value") if node.type == "subscript" else None)
    if inner is None and "call" in node.type:
        inner = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        if given is not None and inner is not None and (inner.type == "identifier" or inner.text in _COPYING):
            yield from (word for each in given.named_children for word in _parts(each))
    for each in [inner] if inner is not None else node.named_children:
        yield from _parts(each)


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


def _words(node: Any) -> set[str]:
    return set(_WORD.findall((node.text or b"").decode("utf-8", "replace")))


def _first(parameter: Any) -> Iterator[str]:
    """What a parameter is called; all that a pattern binds, or that one type is written for."""
    if parameter.type == "parameter_declaration":
        yield from (name for each in parameter.named_children if each.type == "identifier" for name in _words(each))
        return
    names = parameter.child_by_field_name("name") or parameter.child_by_field_name("pattern") or parameter
    found = _WORD.findall((names.text or b"").decode("utf-8", "replace"))
    yield from found if "pattern" in names.type else found[:1]
