"""Code that reads the name of a class or function: `__name__` in Python, `name` in JavaScript."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.source.file import SourceFile

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


def above(node: Any) -> Iterator[Any]:
    """A node and all nodes around it, innermost first."""
    while node is not None:
        yield node
        node = node.parent


def decorators(node: Any) -> Iterator[str]:
    """The decorators of a definition that may register it by its name."""
    for written in _written(node):
        if written not in _HARMLESS and not written.endswith((".setter", ".getter", ".deleter")):
            yield written


def _written(node: Any) -> Iterator[str]:
    own = next((each for each in above(node) if "definition" in each.type or "declaration" in each.type), None)
    if own is None or own.child_by_field_name("name") != node:
        return
    holders = (own, own.parent) if own.parent is not None and own.parent.type == "decorated_definition" else (own,)
    found = [child for holder in holders for child in holder.children if child.type == "decorator"]
    sibling = own.prev_named_sibling
    while sibling is not None and sibling.type == "decorator":
        found.append(sibling)
        sibling = sibling.prev_named_sibling
    for decorator in found:
        yield decorator.text.decode("utf-8", "replace").lstrip("@").partition("(")[0].strip()[:80]


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


def asked_in(source: SourceFile) -> Iterator[OwnNameRead]:
    """Where a Python file reads such a name, other than to show it to people."""
    for match in re.finditer(rb"\.\s*(?:__name__|__qualname__)\b", source.data):
        node = source.node(match.end() - 1, match.end())
        holder: Any = node.parent if node is not None else None
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
