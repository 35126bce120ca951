"""Names that are code though they stand in a text: types in the quotes of Python's annotations, bodies of macros."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cairn.syntax import kinds
from cairn.syntax.grammar import Loaded
from cairn.syntax.lines import line_starts
from cairn.syntax.macros import BODY, words_in
from cairn.syntax.occurrences import FileOccurrences
from cairn.syntax.parse import grammar_for
from cairn.syntax.uses import Use


class _TextName(NamedTuple):
    """A name in a text: its byte, the name, what it is there for and what it is asked of."""

    at: int
    name: str
    role: str
    receiver: str
    local: bool


def all_quoted(path_key: str, language: str, data: bytes, found: FileOccurrences) -> list[Use]:
    """Uses of all names in texts that are code, in order; the file's other occurrences are known."""
    loaded = grammar_for(path_key, language, data) if found.quoting else None
    if loaded is None:
        return []
    read = _in_annotation if language == "python" else _in_macro
    hits = [hit for node in found.quoting for hit in read(loaded, node, data, found)]
    return [*_uses(hits, found.marks.within(hit.at for hit in hits), data)]


def _uses(hits: Sequence[_TextName], around: Sequence[str], data: bytes) -> Iterator[Use]:
    lines = line_starts(data) if hits else ()
    for (at, name, role, receiver, local), within in zip(hits, around, strict=True):
        line = bisect_right(lines, at)
        yield Use(line, at - lines[line - 1], name, role, receiver, within, local=local)


def _in_macro(_: Loaded, node: Any, data: bytes, __: FileOccurrences) -> Iterator[_TextName]:
    return (_TextName(*word) for word in words_in(node, data)) if node.type == BODY else iter(())


def _in_annotation(loaded: Loaded, node: Any, data: bytes, found: FileOccurrences) -> Iterator[_TextName]:
    for at, name, receiver in _names_in(loaded, node, data):
        yield _TextName(at, name, "type", receiver, not receiver and found.scopes.hides(name, at))


def _names_in(loaded: Loaded, node: Any, data: bytes) -> Iterator[tuple[int, str, str]]:
    """The names in the content of a string, in order, where it is a type."""
    if not _is_annotation(node):
        return
    root = loaded.parser.parse(data[node.start_byte : node.end_byte]).root_node
    cursor = root.walk() if not root.has_error else None
    while cursor is not None:
        each = cursor.node
        if each.type == "identifier":
            receiver = _asked_of(each)
            if receiver is not None:
                yield node.start_byte + each.start_byte, each.text.decode("utf-8", "replace"), receiver
        elif cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _asked_of(node: Any) -> str | None:
    """What a name is asked of in a type in quotes, empty for nothing; None where that can't be told."""
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
    while node is not None and node.type in kinds.STRINGS:
        if node.type == "string" and (len(node.children) != 3 or node.children[0].text.strip(b"rRuU\"'")):
            return False  # it has parts that are computed
        node = node.parent
    in_type = False
    while node is not None and node.type in kinds.IN_ANNOTATIONS:
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
