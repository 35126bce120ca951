"""Dynamic lookups in Python, where the name is not written out: `getattr(it, word)`, `vars(it)`."""

import re
from functools import lru_cache
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.decorators import above
from cairn.edit.reading import NO_CODE
from cairn.syntax.parse import tree_of

_LISTING = frozenset({b"vars", b"dir", b"getmembers", b"getmembers_static", b"get_type_hints", b"get_annotations"})
_BY_NAME = frozenset({b"getattr", b"setattr", b"hasattr", b"delattr"})
_INSIDES = frozenset(
    {b"__dict__", b"__members__", b"_member_map_", b"_member_names_", b"__getitem__", b"__annotations__"}
)


def is_taken_apart(node: Any) -> bool:
    """Whether a use of a Python class or module reads its names: `vars(it)`, `getattr(it, word)`."""
    holder = node.parent if node is not None else None
    if holder is not None and holder.type == "attribute" and holder.child_by_field_name("attribute") == node:
        node, holder = holder, holder.parent
    if holder is None:
        return False
    if holder.type == "attribute":
        return holder.child_by_field_name("attribute").text in _INSIDES
    call = holder.parent if holder.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    if function is None or holder.named_children[0] != node:
        return False
    called = (function.text or b"").rpartition(b".")[2]
    # A name in a string literal is found as a string.
    asked = holder.named_children[1] if len(holder.named_children) > 1 else None
    return called in _LISTING or (called in _BY_NAME and asked is not None and asked.type != "string")


@dataclass(frozen=True, slots=True)
class DynamicLookup:
    """A lookup of a member whose name is computed: `getattr(it, word)`."""

    at: int
    node: Any
    of: Any
    """The object that is asked; None if it is unknown."""


_ASKING = re.compile(rb"\b(?:(?:get|set|has|del)attr|attrgetter|methodcaller|__(?:get|set)attr(?:ibute)?__)\b")
_FIRST = frozenset({b"attrgetter", b"methodcaller"})


@lru_cache(maxsize=512)
def asked_by_word(path: str, data: bytes) -> tuple[DynamicLookup, ...]:
    """The dynamic lookups in a Python file, without those whose name is partly a literal."""
    tree = tree_of(path, "python", data) if _ASKING.search(data) else None
    found = []
    if tree is None:
        return ()
    for match in _ASKING.finditer(data):
        node = tree.root_node.descendant_for_byte_range(match.start(), match.end())
        around = [outer.type for outer in above(node)]
        if any(kind in NO_CODE for kind in around) or around[1:2] == ["function_definition"]:
            continue
        function = node.parent if node.parent is not None and node.parent.type == "attribute" else node
        call = function.parent
        if call is None or call.type != "call" or call.child_by_field_name("function") != function:
            found.append(DynamicLookup(match.start(), node, None))  # `getattr` itself is passed on.
            continue
        given = [each for each in call.child_by_field_name("arguments").named_children if each.type != "comment"]
        own = (
            function.type == "attribute" and match[0].startswith(b"__") and function.named_children[0].text != b"object"
        )
        at = 0 if match[0] in _FIRST or own else 1
        if len(given) > at and not _is_written(given[at]):
            of = None if match[0] in _FIRST else function.named_children[0] if own else given[0]
            found.append(DynamicLookup(match.start(), node, of))
    return tuple(found)


def _is_written(word: Any) -> bool:
    """Whether a name is a literal, or partly one: the search in strings finds those."""
    if word.type in ("string", "concatenated_string"):
        parts = [child.type for child in word.children]
        return word.type != "string" or "string_content" in parts or "interpolation" not in parts
    if word.type in ("binary_operator", "parenthesized_expression"):
        return any(map(_is_written, word.named_children))
    if word.type == "call":  # "a_{}".format(x)
        function = word.child_by_field_name("function")
        return function is not None and function.type == "attribute" and _is_written(function.named_children[0])
    return False
