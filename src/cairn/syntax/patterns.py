"""Names that get a value, each with its own part of it, however the pattern around them is written.

No function here calls itself: a tree may be as deep as a file is long.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from cairn.syntax import kinds
from cairn.syntax import valuekinds as table
from cairn.syntax.chains import LITERAL, UNKNOWN, chain_of, chains_of, field_of, last_named, only_in, sign_of, stepped
from cairn.syntax.extract import text_of

NOTHING_KNOWN = (UNKNOWN,)
_Part = tuple[Any, Any, tuple[str, ...]]
"""A pattern, and what flows to it: an expression, or chains where there is none."""


class Flow(NamedTuple):
    """One value that flows to one place."""

    at: int
    target: str
    value: str
    around: int = -1
    """Where the function begins that the one begins in that gives it back; -1 for none."""
    end: int = 0
    """Where the code ends in which a test says what a value is; 0 for a value that flows."""


def bound(data: bytes, target: Any, value: Any, given: tuple[str, ...] = ()) -> Iterator[Flow]:
    """The flows to all names of a pattern, given an expression or else its chains."""
    todo: list[_Part] = [(target, value, given)]
    while todo:
        target, value, given = todo.pop()
        if target is None:
            continue
        if value is not None and not given:
            given = tuple(chains_of(value, data))
        parts = _parts(data, target, value, given)
        if parts is not None:
            todo += reversed(parts)
        elif (named := _named(data, target)) is not None:
            name = chain_of(target, data).removesuffix("()")
            if name != UNKNOWN and not name.endswith(("]", ")", '"')) and not name.startswith(":"):
                for each in given:
                    yield Flow(named, name, each)


def _parts(data: bytes, target: Any, value: Any, given: tuple[str, ...]) -> list[_Part] | None:
    """The parts of a pattern with what flows to each; None for a name."""
    kind = target.type
    inside = [child for child in target.named_children if not child.is_extra]
    if kind in table.WRAPS and (len(inside) == 1 or target.child_by_field_name("bound_identifier") is not None):
        return [(field_of(target, ("bound_identifier",)) or inside[0], value, given)]
    if kind in table.DECLARATORS and inside:
        return [(target.child_by_field_name("declarator") or inside[-1], value, given)]
    if kind == "variable_declaration":
        return [(inside[0], value, given)] if inside else []
    if kind in table.LISTS or kind == "pattern":
        inner = only_in(target)
        if inner is not None and kind == "expression_list":
            return [(inner, value, given)]
        return paired(data, inside, value)
    if kind in ("object_pattern", "struct_pattern"):
        return [_picked(data, child, given) for child in inside if child.type not in table.PATHS]
    if kind == "tuple_struct_pattern":
        name = target.child_by_field_name("type")
        rest = [child for child in inside if name is None or child.start_byte != name.start_byte]
        opened = len(rest) == 1 and name is not None and text_of(data, name) in table.OPENED
        return [(child, None, given if opened else NOTHING_KNOWN) for child in rest]
    if kind in ("assignment_pattern", "object_assignment_pattern"):
        right = target.child_by_field_name("right")
        more = tuple(chains_of(right, data)) if right is not None else ()
        return [(target.child_by_field_name("left"), None, tuple(dict.fromkeys((*given, *more))))]
    forbidden = kinds.THROUGH.get(kind)
    if forbidden is None or kind == "variable_name":
        return None
    return [
        (child, None, NOTHING_KNOWN)
        for index, child in enumerate(target.children)
        if child.is_named and target.field_name_for_child(index) not in forbidden
    ]


def paired(data: bytes, names: list[Any], value: Any) -> list[_Part]:
    """The names of a list, each with its value."""
    inner = value
    if inner is not None and inner.type == "expression_list" and only_in(inner) is not None:
        inner = only_in(inner)
    if inner is not None and inner.type in table.SEQUENCES:
        values = [child for child in inner.named_children if not child.is_extra]
        spread = any(each.type in table.SPREADS for each in (*names, *values))
        if len(values) == len(names) and not spread:
            return [(name, each, ()) for name, each in zip(names, values, strict=True)]
    if value is not None and value.type == "expression_list" and inner.type == "call_expression":
        # Go's functions may give back several values: the first is what the call is known by.
        return [(names[0], inner, ()), *((name, None, NOTHING_KNOWN) for name in names[1:])]
    if value is not None and value.type == "expression_list" and len(names) == 2:
        received = inner.type == "unary_expression" and sign_of(inner, data) == "<-"
        if received or inner.type in ("type_assertion_expression", "index_expression"):
            return [(names[0], inner, ()), (names[1], None, (LITERAL,))]  # Go's `v, ok := m[k]`
    return [(name, None, NOTHING_KNOWN) for name in names]


def _picked(data: bytes, part: Any, given: tuple[str, ...]) -> _Part:
    """A part of a pattern that takes members by their names."""
    key = field_of(part, ("key", "name", "left")) if part.named_child_count else part
    target = field_of(part, ("value", "pattern")) or part
    if part.type == "field_pattern" and target is part:
        target = key
    if key is None or part.type == "rest_pattern" or len(given) != 1:
        return target, None, NOTHING_KNOWN
    chain = stepped(given[0], "." + text_of(data, key)) if not key.named_child_count else UNKNOWN
    return target, None, (chain,)


def _named(data: bytes, target: Any) -> int | None:
    """Where the name of a target begins."""
    for _ in range(8):
        rule = table.CHAINS.get(target.type)
        if rule is None:
            break
        if rule[0] not in ("member", "call"):
            return None
        inner = field_of(target, rule[2]) or (last_named(target) if rule[0] == "member" else None)
        if inner is None:
            return None
        target = inner
    if target.type in ("variable_name", "navigation_suffix"):
        target = last_named(target)
    return int(target.start_byte) if target is not None else None
