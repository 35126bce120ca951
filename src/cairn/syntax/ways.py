"""The way through a syntax tree to each name in it.

No function here calls itself: a tree may be as deep as a file is long.
"""

import re
from collections.abc import Iterator
from typing import Any

from cairn.syntax import kinds
from cairn.syntax.roles import typed
from cairn.syntax.scopes import Frame, Scopes

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


def _frame(scopes: Scopes, above: list[Frame], node: Any, field: str) -> Frame:
    parent = above[-1]
    kind = node.type
    imported = parent.imported or kind in kinds.IMPORTS
    if kind == "export_statement" and node.child_by_field_name("source") is not None:
        imported = True
    return Frame(node, kind, field, scopes.inside(above, field), imported, typed(parent.typed, kind, field))


def _top(scopes: Scopes, root: Any) -> Frame:
    return Frame(root, root.type, "", scopes.root, False, False)


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
            path.append(_frame(scopes, path, node, cursor.field_name or ""))
        if (
            len(path) > 1
            and path[-1].node.start_byte == at
            and _end_of_name(path[-1], data, scopes.rules.templates) == at + size
        ):
            yield path, at + size


def all_ways(scopes: Scopes, root: Any, data: bytes) -> Iterator[tuple[list[Frame], int]]:
    """For each name of a tree, the frames around it from the root on, and where it ends."""
    cursor = root.walk()
    path = [_top(scopes, root)]
    if not cursor.goto_first_child():
        return
    while True:
        node = cursor.node
        if node.is_named:
            path.append(_frame(scopes, path, node, cursor.field_name or ""))
            if cursor.goto_first_child():
                continue
            end = _end_of_name(path[-1], data, scopes.rules.templates)
            if end:
                yield path, end
            path.pop()
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent() or len(path) == 1:
                return
            path.pop()


def _end_of_name(frame: Frame, data: bytes, templates: bool) -> int:
    """Where the name ends that a leaf is; 0 for a leaf that is none."""
    node = frame.node
    start: int = node.start_byte
    end: int = node.end_byte
    if node.child_count or node.is_missing or start == end:
        return 0
    if frame.type == "string_content":
        # Kotlin's `"$name"`, which its grammar leaves a text.
        if not templates or data[start - 1 : start] != b"$" or data[start - 2 : start - 1] == b"\\":
            return 0
        match = _WORD.match(data, start, end)
        return match.end() if match else 0
    return end if frame.type.endswith("identifier") or frame.type in kinds.NAMES else 0
