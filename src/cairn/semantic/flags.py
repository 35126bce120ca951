"""Ambiguity flags, and helpers to find them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from cairn.syntax.grammar import compiled, load

DYNAMIC_IMPORT = "dynamic_import"
STAR_IMPORT = "star_import"
MONKEY_PATCH = "monkey_patch"
CONDITIONAL_DEFINITION = "conditional_definition"
MULTIPLE_DEFINITIONS = "multiple_definitions"
UNRESOLVED_RECEIVER = "unresolved_receiver"


class Flag(NamedTuple):
    """One place where a name may mean several things; lines are counted from 1."""

    line: int
    kind: str
    what: str


Flags = Iterator[Flag]


def flag(node: Any, kind: str, what: str) -> Flag:
    """A flag at the line of a node."""
    return Flag(node.start_point[0] + 1, kind, what)


def text(node: Any) -> str:
    """A node as written; empty for none."""
    return node.text.decode("utf-8", "replace") if node is not None else ""


def captured(root: Any, language: str, query: str) -> Mapping[str, Sequence[Any]]:
    """The nodes of a tree that a query names, by the names it gives them.

    A walk in Python over every node of a tree takes several times as long as the parse.
    """
    import tree_sitter

    found: Mapping[str, Sequence[Any]] = tree_sitter.QueryCursor(_compiled(language, query)).captures(root)
    return found


@cache
def _compiled(language: str, query: str) -> Any:
    loaded = load(language)
    if loaded is None:
        raise ValueError(f"{language} has no grammar")
    return compiled(loaded.parser.language, query)


def leftmost(node: Any, part: str) -> Any:
    """What a chain of members begins with: `a` of `a.b.c`."""
    while (inner := node.child_by_field_name(part)) is not None:
        node = inner
    return node
