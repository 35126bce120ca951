"""Python: code that reads the name of a class or function of its own scope, and decorators that may."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.gate.table import table_of
from cairn.edit.source.file import SourceFile
from cairn.edit.source.written import above, shown_to_people

_ASKED = re.compile(rb"\.\s*(?:__name__|__qualname__)\b")


def decorators(node: Any, language: str) -> Iterator[str]:
    """The decorators of a definition that may register it by its name."""
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
        written = decorator.said.lstrip("@").partition("(")[0].strip()[:80]
        if written.rpartition(".")[2] not in table_of(language).plain_decorators:
            yield written


def asked_in(source: SourceFile) -> Iterator[str]:
    """What a Python file reads such a name of, as it is written, other than to show it to people."""
    table = table_of("python")
    for match in _ASKED.finditer(source.data):
        node = source.node(match.end() - 1, match.end())
        holder: Any = node.parent if node is not None else None
        if holder is None or holder.type != "attribute" or holder.child_by_field_name("attribute") != node:
            continue
        if not shown_to_people(holder, table.shows, table.spoken):
            yield holder.child_by_field_name("object").said
