"""Decorators, which may register a definition under its name."""

from collections.abc import Iterator
from typing import Any

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
_TRANSPARENT = frozenset(
    """
    staticmethod classmethod property abstractmethod abc.abstractmethod overload typing.overload override
    typing.override final typing.final no_type_check
    """.split()
)
"""Decorators that return the function itself, so that its calls are visible."""


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


def is_wrapped(node: Any) -> bool:
    """Whether a decorator replaces the definition with a wrapper, which may still accept its keywords."""
    return any(written not in _TRANSPARENT for written in _written(node))


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
