"""Code that reads the name of a class or function: `__name__` in Python, `name` in JavaScript."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.decorators import above
from cairn.syntax.parse import tree_of

WORDS = ("__name__", "__qualname__")
SELF = rb"(?:self|cls|type\(self\)|self\.__class__)"
"""What a method calls its own object or class."""
_BY_SELF = re.compile(SELF)
_SHOWN = frozenset({"raise_statement", "assert_statement", "throw_statement"})
_SPOKEN = frozenset({"__repr__", "__str__", "__format__"})
_SAYING = frozenset("print warn debug info warning error exception critical log fail echo".split())
_LOOKED_AT = frozenset({"call", "decorator", "attribute", "type", "class_pattern", "except_clause", "as_pattern"})


@dataclass(frozen=True, slots=True)
class OwnNameRead:
    """One place that reads the name of a class or function."""

    at: int
    node: Any
    of: str
    """What is asked, as it is written."""

    def is_of(self, name: str) -> bool:
        """Whether the thing that is asked is written with this name."""
        return self.of == name or self.of.endswith(f".{name}")

    @property
    def by_self(self) -> bool:
        """Whether a method asks its own object or class."""
        return _BY_SELF.fullmatch(self.of.encode()) is not None

    @property
    def of_an_object(self) -> bool:
        """Whether it asks the class of an object."""
        return self.of.startswith("type(") or self.of.endswith(".__class__")

    @property
    def of_a_value(self) -> bool:
        """Whether it asks a value that the code was given, such as `function` in `function.__name__`."""
        return not self.by_self and not self.of_an_object


def asked_in(path: str, data: bytes) -> Iterator[OwnNameRead]:
    """Where a Python file reads such a name, other than to show it to people."""
    tree = tree_of(path, "python", data) if any(word.encode() in data for word in WORDS) else None
    if tree is None:
        return
    for match in re.finditer(rb"\.\s*(?:__name__|__qualname__)\b", data):
        node = tree.root_node.descendant_for_byte_range(match.end() - 1, match.end())
        holder = node.parent if node is not None else None
        if holder is None or holder.type != "attribute" or holder.child_by_field_name("attribute") != node:
            continue
        of = (holder.child_by_field_name("object").text or b"").decode("utf-8", "replace")
        if not is_shown(holder):
            yield OwnNameRead(match.start(), holder, of)


def is_shown(node: Any) -> bool:
    """Whether something is only shown to people: in an error, a log or the text of an object."""
    for outer in above(node):
        if outer.type in _SHOWN:
            return True
        if outer.type == "call":
            function = outer.child_by_field_name("function")
            said = (function.text or b"").decode("utf-8", "replace").rpartition(".")[2] if function is not None else ""
            if said in _SAYING:
                return True
        if outer.type == "function_definition":
            name = outer.child_by_field_name("name")
            return name is not None and (name.text or b"").decode("utf-8", "replace") in _SPOKEN
    return False


def is_value(node: Any) -> bool:
    """Whether a use passes a function or class on as a value."""
    holder = node.parent
    if holder is None or holder.type in _LOOKED_AT:
        return False
    return bool(holder.child_by_field_name("name") != node)
