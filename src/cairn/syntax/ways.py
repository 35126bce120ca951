"""The way through a syntax tree to each name in it.

No function here calls itself: a tree may be as deep as a file is long.
"""

import re
from collections.abc import Iterator
from typing import Any

from cairn.syntax.scopes import Frame, Scopes
from cairn.syntax.shapes import NodeShape

_WORD = re.compile(rb"[A-Za-z_][0-9A-Za-z_]*")
_LETTERS = frozenset(bytes([code]) for code in b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_COMMENT = "comment"
_TEXTS = (_COMMENT, "string_content", "string_fragment", "escape_sequence")


def places_of(data: bytes, name: bytes, broken: bool) -> list[int]:
    """Where the bytes of a name stand as a word; anywhere in broken code, whose words may be torn."""
    before = not broken and name[:1] in _LETTERS
    after = not broken and name[-1:] in _LETTERS
    found = []
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        if not (before and _follows_word(data, at)) and not (after and data[end : end + 1] in _LETTERS):
            found.append(at)
        at = data.find(name, at + 1)
    return found


def _follows_word(data: bytes, at: int) -> bool:
    """Whether a place goes on a word; a number before a name may be its factor, as in Julia's `2pi`."""
    start = at
    while data[start - 1 : start] in _LETTERS:
        start -= 1
    return start < at and not data[start : start + 1].isdigit()


def is_code(root: Any, at: int, size: int) -> bool:
    """Whether a place is code, and not in a comment or a string."""
    leaf = root.descendant_for_byte_range(at, at + size)
    return leaf is not None and not leaf.type.endswith(_TEXTS)


def is_comment(root: Any, at: int, size: int) -> bool:
    """Whether a place is in a comment."""
    leaf = root.descendant_for_byte_range(at, at + size)
    return leaf is None or bool(leaf.type.endswith(_COMMENT))


def _frame(scopes: Scopes, above: list[Frame], node: Any, cursor: Any) -> Frame:
    parent = above[-1]
    shape = scopes.shapes.below(parent.shape, node, cursor)
    return Frame(node, shape, scopes.inside(above, shape.field) if shape.enters else parent.scope)


def _top(scopes: Scopes, root: Any) -> Frame:
    return Frame(root, scopes.shapes.top(root), scopes.root)


def ways_to(scopes: Scopes, root: Any, data: bytes, places: list[int], size: int) -> Iterator[tuple[list[Frame], int]]:
    """For each of some places with a name, the frames around it from the root on, and where it ends."""
    for at in places:
        cursor = root.walk()
        path = [_top(scopes, root)]
        while cursor.goto_first_child_for_byte(at) is not None:
            node = cursor.node
            if node.start_byte > at or not node.is_named:
                path.clear()
                break
            path.append(_frame(scopes, path, node, cursor))
        if (
            len(path) > 1
            and path[-1].node.start_byte == at
            and not path[-1].node.child_count
            and _end_of_name(path[-1].shape, path[-1].node, data, scopes.rules.templates) == at + size
        ):
            yield path, at + size


def all_ways(scopes: Scopes, root: Any, data: bytes, quoting: list[Any]) -> Iterator[tuple[list[Frame], int]]:
    """For each name of a tree, the frames around it from the root on, and where it ends.

    Contents of strings that may be types are put down beside.
    """
    cursor = root.walk()
    first, following, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    path = [_top(scopes, root)]
    below, templates = scopes.shapes.below, scopes.rules.templates
    if not first():
        return
    while True:
        node = cursor.node
        if node.is_named:
            above = path[-1]
            shape = above.shape.inner.get((node.kind_id, cursor.field_id)) or below(above.shape, node, cursor)
            scope = scopes.inside(path, shape.field) if shape.enters else above.scope
            if shape.quotes and shape.type == "string_content":
                quoting.append(node)
            if first():
                path.append(Frame(node, shape, scope))
                continue
            if (shape.is_name or templates) and (end := _end_of_name(shape, node, data, templates)):
                path.append(Frame(node, shape, scope))
                yield path, end
                path.pop()
        while not following():
            if not up() or len(path) == 1:
                return
            path.pop()


def _end_of_name(shape: NodeShape, node: Any, data: bytes, templates: bool) -> int:
    """Where the name ends that a leaf is; 0 for a leaf that is none."""
    if not shape.is_name and not (templates and shape.type == "string_content"):
        return 0
    start: int = node.start_byte
    end: int = node.end_byte
    if start == end:
        return 0  # it is missing
    if not shape.is_name:
        # Kotlin's `"$name"`, which its grammar leaves a text.
        if data[start - 1 : start] != b"$" or data[start - 2 : start - 1] == b"\\":
            return 0
        match = _WORD.match(data, start, end)
        return match.end() if match else 0
    return end
