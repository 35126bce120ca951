"""Python: types that are called without their names: as values, and as the type of some value."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.edit.gate.reach import OTHER, MemberReach
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.texts import FileText
from cairn.edit.source.values import Construct
from cairn.graph.binding import ChainPlace
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition

CLASS_OF = re.compile(r"type\(([\w.]+)\)|([\w.]+)\.__class__")
_ONLY_ASKED = frozenset({"isinstance", "issubclass", "super", "type", "len", "hash", "id", "raises"})
_LEFT = frozenset({"except_clause", "raise_statement", "comparison_operator", "type", "subscript", "case_clause"})


def is_value(node: Any) -> bool:
    """Whether a name that is read is a value there, which others may get and call."""
    above = node.parent
    while above is not None and above.type == "attribute" and above.child_by_field_name("attribute") == node:
        node, above = above, above.parent
    if above is None or above.type in ("attribute", *_LEFT):
        return False
    if above.type in ("tuple", "as_pattern"):
        above = above.parent
    if above is not None and above.type == "argument_list" and above.parent is not None:
        function = above.parent.child_by_field_name("function")
        return function is not None and function.said.rpartition(".")[2] not in _ONLY_ASKED
    return above is None or above.type not in _LEFT


def handed_on(resolver: Resolver, sources: SourceFiles, called: Sequence[Definition]) -> Iterator[Construct]:
    """Places where functions or types are values: whoever gets one may call it."""
    for use in find_uses(resolver, called).items if called else ():
        source = sources.of(use.path)
        node = source.at(use.line, use.column)
        if use.role == "read" and (source.language != "python" or (node is not None and is_value(node))):
            yield _construct(use.path, use.line, source.data, f"{use.name}: hands it on to whoever calls it")


def made_unnamed(resolver: Resolver, sources: SourceFiles, types: Sequence[Definition]) -> Iterator[Construct]:
    """Places that may make values of some types as that of another value: `type(it)(1)`."""
    reach = MemberReach(resolver, types)
    for word in ("type", "__class__") if types else ():
        for source in sources.holding(word):
            for asked in source.uses(word, quoted=False) if source.language == "python" else ():
                node = source.at(asked.line, asked.column)
                said = _called(node.parent) if node is not None and node.parent is not None else None
                if said is None or said == "self":  # What a class calls itself is known where that stands.
                    continue
                place = ChainPlace(source.path, asked.within, asked.line, asked.column)
                if reach.of(resolver.evaluator.at(place, said)) != OTHER:
                    yield _construct(source.path, asked.line, source.data, "makes a value of the type of another")


def _called(node: Any) -> str | None:
    """The value whose type is called by a call of what a node is."""
    said = CLASS_OF.fullmatch(node.said)
    call = node.parent
    is_called = call is not None and call.type == "call" and call.child_by_field_name("function") == node
    return (said[1] or said[2]) if said is not None and is_called else None


def _construct(path: str, line: int, data: bytes, why: str) -> Construct:
    shown = FileText(data).shown(line)
    return Construct(path, line, "handed_on", shown, why, f"handed_on {path} {shown}")
