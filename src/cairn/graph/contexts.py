"""What stands around an object, a pattern or a function that is written out, and says what it is."""

from typing import Any

from cairn.base.values import dataclass
from cairn.syntax.chains import chain_of, first_named, last_named, sign_of, type_text
from cairn.syntax.trees import StoredTree

CALL, ELEMENT = "()", "[]"
_OBJECTS = frozenset({"object", "object_pattern"})
_SAME = frozenset(
    {"parenthesized_expression", "non_null_expression", "assignment_pattern", "object_assignment_pattern"}
)
_CASTS = frozenset({"as_expression", "satisfies_expression"})
_DECLARES = frozenset(
    {"variable_declarator", "required_parameter", "optional_parameter", "public_field_definition", "field_definition"}
)
_BODIES = frozenset({"return_statement", "arrow_function"})
_CLOSURES = frozenset({"arrow_function", "function_expression", "method_definition"})
_FUNCTIONS = _CLOSURES | {"function_declaration", "generator_function", "generator_function_declaration"}
_CALLS = frozenset({"call_expression", "new_expression"})
_ELEMENTS = frozenset({"jsx_opening_element", "jsx_self_closing_element"})
_EITHER = ("??", "||", "&&")
_DEEPEST = 30


@dataclass(frozen=True, slots=True)
class WrittenContext:
    """What something stands for: a chain at a node, or one of the arguments of what a node names."""

    node: Any
    chain: str
    argument: int = -1
    steps: tuple[str | int, ...] = ()
    """From there to it: members, elements, what a call gives, and parameters by their numbers."""


def context_of_key(tree: StoredTree, at: int) -> WrittenContext | None:
    """What a key at a byte is asked of."""
    data = tree.data
    leaf = tree.root_node.descendant_for_byte_range(at, at + 1)
    leaf = leaf.parent if leaf.parent is not None and leaf.parent.type == "string" else leaf
    if leaf.type == "string" and leaf.parent is not None and leaf.parent.type == "computed_property_name":
        leaf = leaf.parent  # `["name"]: 1`
    holder = leaf.parent
    if holder is None:
        return None
    if holder.type == "jsx_attribute":
        element = holder.parent
        name = element.child_by_field_name("name") if element is not None and element.type in _ELEMENTS else None
        return WrittenContext(name, chain_of(name, data), 0) if name is not None else None
    if holder.type == "member_expression":  # a member that an assignment defines
        owner = holder.child_by_field_name("object")
        return WrittenContext(owner, chain_of(owner, data)) if owner is not None and owner != leaf else None
    node = holder if holder.type in _OBJECTS else holder.parent
    key = holder.child_by_field_name("key") or holder.child_by_field_name("name") or holder.child_by_field_name("left")
    if node is None or node.type not in _OBJECTS or (holder != node and key != leaf):
        return None
    return _around(node, data, [])


def context_of_parameter(tree: StoredTree, at: int) -> WrittenContext | None:
    """What tells what the parameter is whose name stands at a byte, where it has no type of its own."""
    data = tree.data
    node = tree.root_node.descendant_for_byte_range(at, at + 1)
    steps: list[str | int] = []
    if node.type == "shorthand_property_identifier_pattern":
        steps.append(_text(node, data))
    for _ in range(_DEEPEST):
        above = node.parent
        if above is None:
            return None
        if above.type in ("required_parameter", "optional_parameter"):
            if above.child_by_field_name("type") is not None:
                return None
        elif above.type == "pair_pattern":
            key = above.child_by_field_name("key")
            if key is None or key == node or key.type != "property_identifier":
                return None
            steps.append(_text(key, data))
        elif above.type == "arrow_function" and above.child_by_field_name("parameter") == node:
            return _around(above, data, [*steps, 0])
        elif above.type == "formal_parameters":
            inside = [each for each in above.named_children if not each.is_extra]
            number = next(at for at, each in enumerate(inside) if each == node)
            function = above.parent
            known = function is not None and function.type in _CLOSURES
            return _around(function, data, [*steps, number]) if known else None
        elif above.type not in ("object_pattern", "assignment_pattern", "object_assignment_pattern"):
            return None
        node = above
    return None


def _around(node: Any, data: bytes, steps: list[str | int]) -> WrittenContext | None:
    """What the nodes around one say that it is, given the steps from it on, the last one first."""
    for _ in range(_DEEPEST):
        above = node.parent if node is not None else None
        if above is None:
            return None
        kind = above.type
        if node.type == "method_definition" or (
            kind in ("pair", "pair_pattern") and above.child_by_field_name("value") == node
        ):
            held = node if node.type == "method_definition" else above
            named = held.child_by_field_name("name") or held.child_by_field_name("key")
            if named is None or named.type != "property_identifier" or held.parent.type == "class_body":
                return None
            steps.append(_text(named, data))
            node = held.parent
        elif kind in _SAME or _is_choice(above, node, data):
            node = above
        elif kind == "array":
            steps.append(ELEMENT)
            node = above
        elif kind in _BODIES and above.child_by_field_name("parameter") != node:
            function = above
            while function is not None and function.type not in _FUNCTIONS:
                function = function.parent
            said = function.child_by_field_name("return_type") if function is not None else None
            if said is not None:
                return WrittenContext(said, type_text(said, data), steps=tuple(reversed(steps)))
            if function is None or function.type not in _CLOSURES:
                return None
            steps.append(CALL)
            node = function
        else:
            return _said(above, node, data, tuple(reversed(steps)))
    return None


def _said(above: Any, node: Any, data: bytes, steps: tuple[str | int, ...]) -> WrittenContext | None:
    """What the node around an object or a pattern says that it is."""
    kind = above.type
    if kind in _CASTS:
        said = last_named(above)
        return WrittenContext(said, type_text(said, data), steps=steps)
    if kind in _DECLARES:
        said = above.child_by_field_name("type")
        if said is not None:
            return WrittenContext(said, type_text(said, data), steps=steps)
        value = above.child_by_field_name("value") if node.type == "object_pattern" else None
        return WrittenContext(value, chain_of(value, data), steps=steps) if value is not None else None
    if kind == "assignment_expression":
        left, right = above.child_by_field_name("left"), above.child_by_field_name("right")
        other = right if left == node else left
        return WrittenContext(other, chain_of(other, data), steps=steps) if other is not None else None
    if kind == "for_in_statement" and above.child_by_field_name("left") == node and sign_of(above, data) == "of":
        over = above.child_by_field_name("right")
        return WrittenContext(over, chain_of(over, data), steps=(ELEMENT, *steps)) if over is not None else None
    if kind == "arguments" and above.parent is not None and above.parent.type in _CALLS:
        inside = [each for each in above.named_children if not each.is_extra]
        number = next(at for at, each in enumerate(inside) if each == node)
        named = first_named(above.parent)
        plain = named is not None and not any(each.type == "spread_element" for each in inside[:number])
        return WrittenContext(named, chain_of(named, data), number, steps) if plain else None
    return None


def _is_choice(above: Any, node: Any, data: bytes) -> bool:
    """Whether a node is one of the values that the one above it may have."""
    if above.type == "ternary_expression":
        return bool(above.child_by_field_name("condition") != node)
    return above.type == "binary_expression" and sign_of(above, data) in _EITHER and bool(last_named(above) == node)


def _text(node: Any, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")
