"""Types that Python's annotations write in quotes: names that are code though they stand in a string."""

from collections.abc import Iterator
from typing import Any

from cairn.syntax.grammar import Loaded
from cairn.syntax.marks import marks
from cairn.syntax.occurrences import find
from cairn.syntax.parse import grammar_for, tree_of
from cairn.syntax.uses import Use
from cairn.syntax.ways import places_of

_CONTENT = frozenset({"string", "string_content"})
_WRITTEN = frozenset(
    "type generic_type type_parameter subscript union_type binary_operator list tuple member_type".split()
)
"""What may stand between a type in quotes and the annotation that it is in."""


def quoted_types(path_key: str, language: str, data: bytes, name: str) -> Iterator[Use]:
    """Uses of a name in annotations that are strings, in order."""
    if language != "python" or not name.isidentifier():
        return
    written = name.encode()
    loaded = grammar_for(path_key, language, data) if written in data else None
    if loaded is None:
        return
    root = tree_of(path_key, language, data).root_node
    hits = []
    for at in places_of(data, written, broken=False):
        node = root.descendant_for_byte_range(at, at + len(written))
        if node is not None and node.type == "string_content" and _is_annotation(node):
            receiver = _asked_of(loaded, data[node.start_byte : node.end_byte], at - node.start_byte, written)
            if receiver is not None:
                hits.append((at, receiver))
    if not hits:
        return
    places = [at for at, _ in hits]
    found = find(path_key, language, data, name)
    around = marks(loaded, root, data, places).within(places)
    for (at, receiver), within in zip(hits, around, strict=True):
        line = data.count(b"\n", 0, at) + 1
        hidden = found is not None and not receiver and found.scopes.hides(name, at)
        yield Use(line, at - data.rfind(b"\n", 0, at) - 1, name, "type", receiver, within, local=hidden)


def _asked_of(loaded: Loaded, content: bytes, at: int, name: bytes) -> str | None:
    """What a name is asked of in a type in quotes, empty for nothing; None where it is no name there."""
    root = loaded.parser.parse(content).root_node
    node = root.descendant_for_byte_range(at, at + len(name))
    if root.has_error or node is None or node.type != "identifier" or node.text != name:
        return None
    above = node.parent
    if above is not None and above.type == "attribute" and above.child_by_field_name("attribute") == node:
        asked = above.child_by_field_name("object")
        return asked.text.decode("utf-8", "replace") if asked is not None and asked.text else None
    return ""


def _is_annotation(node: Any) -> bool:
    """Whether a place is in a string, and the string a type or a part of one."""
    at: int = node.start_byte
    if node.child_count:
        return False  # it has escapes
    while node is not None and node.type in _CONTENT:
        if node.type == "string" and (len(node.children) != 3 or node.children[0].text.strip(b"rRuU\"'")):
            return False  # it has parts that are computed
        node = node.parent
    in_type = False
    while node is not None and node.type in _WRITTEN:
        if not _takes(node, at):
            return False
        in_type = in_type or node.type == "type"
        node = node.parent
    return in_type


def _takes(node: Any, at: int) -> bool:
    """Whether what is around a place in a type takes what stands there for a type."""
    if node.type not in ("generic_type", "subscript"):
        return True
    head, *given = node.named_children
    if node.type == "generic_type" and given:
        given = given[0].named_children
    word = (head.text or b"").rpartition(b".")[2]
    return word != b"Literal" and (word != b"Annotated" or (bool(given) and at < int(given[0].end_byte)))
