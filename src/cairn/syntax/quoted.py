"""Types that Python's annotations write in quotes: names that are code though they stand in a string."""

import re
from collections.abc import Iterator
from typing import Any

from cairn.syntax.parse import grammar_for
from cairn.syntax.uses import Use

_CONTENT = frozenset({"string", "string_content", "concatenated_string"})


def quoted_types(path_key: str, language: str, data: bytes, name: str) -> Iterator[Use]:
    """Uses of a name in annotations that are strings, in order."""
    if language != "python" or not name.isidentifier():
        return
    hits = list(re.finditer(rb"[\"'][\w\s.,|\[\]]*?(?<![\w.])(%s)(?!\w)" % re.escape(name.encode()), data))
    loaded = grammar_for(path_key, language, data) if hits else None
    if loaded is None:
        return
    root = loaded.parser.parse(data).root_node
    for hit in hits:
        at = hit.start(1)
        if _is_annotation(root.descendant_for_byte_range(at, hit.end(1))):
            line = data.count(b"\n", 0, at) + 1
            yield Use(line, at - data.rfind(b"\n", 0, at) - 1, name, "type", "", "", local=False)


def _is_annotation(node: Any) -> bool:
    """Whether a place is in a string, and the string in a type."""
    in_string = False
    while node is not None:
        if node.type in _CONTENT:
            in_string = True
        elif node.type == "interpolation":
            return False
        elif node.type == "type":
            return in_string
        node = node.parent
    return False
