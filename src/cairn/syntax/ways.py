"""The way through a syntax tree to each name in it.

No function here calls itself: a tree may be as deep as a file is long.
"""

import re
from collections.abc import Iterator
from typing import Any

from cairn.syntax.scopes import Frame, Scopes
from cairn.syntax.shapes import NodeShape
from cairn.syntax.trees import StoredNode

_WORD = re.compile(rb"[A-Za-z_][0-9A-Za-z_]*")


def _top(scopes: Scopes, root: Any) -> Frame:
    return Frame(root, scopes.shapes.top(root), scopes.root)


def way_to(scopes: Scopes, root: StoredNode, data: bytes, at: int) -> tuple[list[Frame], int] | None:
    """The frames around the name at a place from the root on, and where it ends; None where no name begins."""
    path = [_top(scopes, root)]
    node = root.inner(at)
    while node is not None and node.is_named:
        above = path[-1]
        shape = scopes.shapes.stored(above.shape, node)
        path.append(Frame(node, shape, scopes.inside(path, shape.field) if shape.enters else above.scope))
        node = node.inner(at)
    leaf = path[-1].node
    if len(path) == 1 or leaf.start_byte != at or leaf.child_count:
        return None
    end = _end_of_name(path[-1].shape, leaf, data, scopes.rules.templates)
    return (path, end) if end else None


def all_ways(scopes: Scopes, root: Any, data: bytes, quoting: list[Any]) -> Iterator[tuple[list[Frame], int]]:
    """For each name of a tree, the frames around it from the root on, and where it ends.

    Contents of strings that may be types, and bodies of macros, are put down beside.
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
            if shape.is_text:
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
