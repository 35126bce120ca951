"""Python: code that reads the name of a class or function of its own scope, and decorators that may."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.edit.gate.table import table_of
from cairn.edit.source.file import SourceFile
from cairn.edit.source.written import above, shown_to_people, written_decorators

_ASKED = re.compile(rb"\.\s*(?:__name__|__qualname__)\b")


def decorators(node: Any, language: str) -> Iterator[str]:
    """The decorators of a definition that may register it by its name."""
    own = next((each for each in above(node) if "definition" in each.type or "declaration" in each.type), None)
    if own is None or own.child_by_field_name("name") != node:
        return
    plain = table_of(language).plain_decorators
    yield from (each[:80] for each in written_decorators(own) if each.rpartition(".")[2] not in plain)


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
