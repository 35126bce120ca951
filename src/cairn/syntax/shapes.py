"""Where a node stands, by kinds alone: one shape for all nodes that have the same kinds and fields close above them.

A tree has few shapes for its nodes. What kinds and fields decide is therefore asked once a shape and not for each
name, by the same rules: they are given the shapes of a way instead of its frames, and a rule that then asks for a node,
or for what is further up, depends on more than the shape.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar

from cairn.languages.registry import record_of
from cairn.languages.scoping import NONE, Scoping
from cairn.syntax import kinds
from cairn.syntax.macros import BODY

T = TypeVar("T")

_REACH = 4
"""How many nodes make a shape. Fewer make fewer shapes; few rules look further up."""
_MOST = 50_000
"""Beyond so many shapes a language's are forgotten: they are kept for speed alone."""
_EXPORT = -1
"""What stands for the kind of an export, which is an import where it names its source."""


class OnWay(Protocol):
    """One node of a way, as the rules about names see it: a frame, or a shape."""

    @property
    def type(self) -> str:
        """Its kind."""

    @property
    def field(self) -> str:
        """The field of the node above that it is in; empty for none."""

    @property
    def imported(self) -> bool:
        """Whether it is in an import."""

    @property
    def typed(self) -> bool:
        """Whether it stands where types do."""

    @property
    def node(self) -> Any:
        """The node itself, which a shape has none of."""


Way = Sequence[OnWay]
_Key = tuple[int | str, int | str | None]


class _AsksForMoreError(Exception):
    pass


class _Beyond:
    """What stands for all nodes that are too far up to be of a shape."""

    def __getattr__(self, _: str) -> Any:
        raise _AsksForMoreError


_BEYOND: Any = _Beyond()


class NodeShape:
    """The kind and field of a node and of those close above it, and what holds inside of them."""

    __slots__ = ("enters", "field", "imported", "inner", "is_name", "is_text", "quotes", "said", "type", "typed", "way")

    def __init__(self, above: "NodeShape | None", kind: str, field: str, given: bool, rules: Scoping) -> None:
        self.type, self.field = kind, field
        self.imported: bool = above is not None and (above.imported or kind in kinds.IMPORTS or given)
        self.typed: bool = above is not None and _typed(above.typed, kind, field)
        self.is_name = kind.endswith("identifier") or kind in kinds.NAMES
        self.enters = above is not None and _enters(above.type, field, rules)
        """Whether it may stand in another scope than the node above it."""
        self.quotes: bool = above is not None and (above.quotes if kind in kinds.STRINGS else _annotates(above, kind))
        """Whether it is a type in an annotation of Python, or in a string that is one, for all that kinds tell."""
        self.is_text = kind == BODY or (self.quotes and kind == "string_content")
        """Whether a leaf may have names in it."""
        way = (*(above.way if above is not None else ()), self)
        self.way: tuple[OnWay, ...] = way if len(way) <= _REACH else (_BEYOND, *way[-_REACH:])
        self.inner: dict[_Key, NodeShape] = {}
        self.said: Any = None
        """For those who ask about names: what the shape says of them."""

    @property
    def node(self) -> Any:
        """None: whoever asks for it asks for more than a shape tells."""
        raise _AsksForMoreError

    @property
    def is_cut(self) -> bool:
        """Whether there are nodes above that are not of the shape."""
        return self.way[0] is _BEYOND

    def key(self) -> tuple[object, ...]:
        """The same for shapes that need not be told apart: of nodes above only kind and field are asked for."""
        near = (text for step in self.way[self.is_cut :] for text in (step.type, step.field))
        return (self.is_cut, self.imported, self.typed, self.quotes, *near)


class Shapes:
    """The shapes of a language, made as they are met."""

    def __init__(self, rules: Scoping) -> None:
        self.rules = rules
        self._known: dict[tuple[object, ...], NodeShape] = {}

    def top(self, root: Any) -> NodeShape:
        """The shape of the root of a tree."""
        if len(self._known) > _MOST:
            self._known = {}
        return self._one(NodeShape(None, root.type, "", False, self.rules))

    def below(self, above: NodeShape, node: Any, cursor: Any) -> NodeShape:
        """The shape of the node that a cursor is at, given that of the node above it."""
        key = (node.kind_id, cursor.field_id)
        return above.inner.get(key) or self._below(above, node, cursor.field_name or "", key)

    def stored(self, above: NodeShape, node: Any) -> NodeShape:
        """The same for a node of a stored tree, which has no numbers for its kind and field."""
        return self._below(above, node, node.field, (node.type, node.field))

    def _below(self, above: NodeShape, node: Any, field: str, key: _Key) -> NodeShape:
        kind = node.type
        exports = kind == "export_statement"
        given = exports and node.child_by_field_name("source") is not None
        if exports:  # never found by its kind alone
            key = (_EXPORT - given, key[1])
        found = above.inner.get(key)
        if found is None:
            found = above.inner[key] = self._one(NodeShape(above, kind, field, given, self.rules))
        return found

    def _one(self, made: NodeShape) -> NodeShape:
        return self._known.setdefault(made.key(), made)


@cache
def shapes_of(language: str) -> Shapes:
    """The shapes of a language that has a grammar."""
    return Shapes(record_of(language).scoping or NONE)


def by_shape(ask: Callable[..., T], *given: Any) -> T | None:
    """What a rule says of a way of shapes; None where that depends on more."""
    try:
        return ask(*given)
    except _AsksForMoreError:
        return None


def _typed(before: bool, kind: str, field: str) -> bool:
    """Whether a node stands where types do, given that of its parent."""
    if kind in kinds.TYPES or field in kinds.TYPE_FIELDS:
        return True
    return before and kind not in kinds.VALUES and (field not in kinds.VALUE_FIELDS or kind.endswith("identifier"))


def _enters(above: str, field: str, rules: Scoping) -> bool:
    return (
        above in rules.functions
        or above in rules.spaces
        or above in rules.blocks
        or above in rules.prototypes
        or (above, field) in rules.outside
    )


def _annotates(above: NodeShape, kind: str) -> bool:
    return kind in kinds.IN_ANNOTATIONS and (kind == "type" or above.quotes)
