"""Code that a language allows and its grammar can't read, as it reads it: in a text of the same length and lines."""

from functools import lru_cache
from typing import Any

from cairn.languages.registry import record_of
from cairn.syntax.grammar import load


@lru_cache(maxsize=8)
def mended(grammar: str, data: bytes) -> Any | None:
    """The tree of a file that its grammar reads less of as it stands; None where it need not be mended, or can't be."""
    record, text = record_of(grammar).grammar, data
    for pattern, instead in record.mends if record is not None else ():
        text = pattern.sub(instead, text)
    loaded = load(grammar) if text != data else None
    if loaded is None:
        return None
    unread = _unread(loaded.parser.parse(data).root_node)
    tree = loaded.parser.parse(text) if unread else None
    return tree if tree is not None and _unread(tree.root_node) < unread else None


def _unread(root: Any) -> int:
    """How many bytes a tree has no meaning for."""
    found, waiting = 0, [root] if root.has_error else []
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR" or node.is_missing:
            found += 1 + node.end_byte - node.start_byte
        elif node.has_error:
            waiting += node.children
    return found
