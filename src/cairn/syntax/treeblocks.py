"""The syntax tree of a file as a segment keeps it, so that whoever asks for the syntax around a place parses nothing.

A block is how many bytes its shapes take, the shapes, how many nodes there are, and four columns of a byte a node, the
outer before the inner: shape, children, gap, tail; then every value from 255 on, column by column. Numbers are
little-endian uint32. A shape is a digit, the kind, a 0x1f and the field; a zero byte stands between two shapes. The
digit is the sum of 1 for a node that is more than a sign or keyword, 2 for what is missing in the text (at the root:
for a tree with any fault), and 4 for what may stand anywhere, such as comments.

Most places follow from the text. A gap of 2n is one of n characters that are no white space, from the end of the node
before, or the start of the one around, to the node; a tail of 2n is the same from the last child to the node's end. Odd
ones are bytes, 2n + 1. The tail of a leaf is 0 for one word, or for a sign's own text; 1 for the rest of the line; else
its bytes and 2.

No function here calls itself: a tree may be as deep as a file is long.
"""

import re
import struct
from collections.abc import Sequence
from typing import Any

_NUMBER = struct.Struct("<I")
_MANY = 255
_BETWEEN, FIELD = "\0", "\x1f"
NAMED, BROKEN, EXTRA = 1, 2, 4
_SPACES = b" \t\r\n\x0b\x0c"
_SPACE = re.compile(rb"[ \t\r\n\x0b\x0c]*")
_WORD = re.compile(rb"[0-9A-Za-z_\x80-\xff]*")
Columns = tuple[list[int], list[int], list[int], list[int]]


def tree_block(root: Any, data: bytes) -> bytes:
    """The block of a tree, by the reference."""
    shapes: dict[str, int] = {}
    columns: Columns = ([], [], [], [])
    kinds, counts, gaps, tails = columns
    around: list[int] = []
    cursor = root.walk()
    at = 0
    while True:
        node = cursor.node
        broken = node.is_missing or (not kinds and node.has_error)
        bits = NAMED * node.is_named | BROKEN * broken | EXTRA * node.is_extra
        kinds.append(shapes.setdefault(f"{bits}{node.type}{FIELD}{cursor.field_name or ''}", len(shapes)))
        gaps.append(_gap(data, at, node.start_byte))
        counts.append(0)
        tails.append(0)
        if around:
            counts[around[-1]] += 1
        if cursor.goto_first_child():
            around.append(len(kinds) - 1)
            at = node.start_byte
            continue
        tails[-1] = _leaf(data, node)
        at = node.end_byte
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return _joined([*shapes], columns)
            end = cursor.node.end_byte
            tails[around.pop()] = _tail(data, at, end)
            at = end


def split_block(block: bytes) -> tuple[tuple[str, ...], bytes]:
    """The shapes of a block, and its columns."""
    if not block:
        return (), b""
    start = _NUMBER.size + _NUMBER.unpack_from(block)[0]
    return tuple(block[_NUMBER.size : start].decode().split(_BETWEEN)), block[start:]


def columns_in(joined: bytes) -> Columns:
    """Shapes, children, gaps and tails of a tree's nodes; ValueError or struct.error for what is none."""
    (nodes,) = _NUMBER.unpack_from(joined)
    first, last = _NUMBER.size, _NUMBER.size + 4 * nodes
    small = joined[first:last]
    large = [value for (value,) in _NUMBER.iter_unpack(joined[last:])]
    if not nodes or len(small) != 4 * nodes or small.count(_MANY) != len(large):
        raise ValueError(f"a tree without its {nodes} nodes")
    rest = iter(large)
    values = [next(rest) if value == _MANY else value for value in small] if large else [*small]
    return values[:nodes], values[nodes : 2 * nodes], values[2 * nodes : 3 * nodes], values[3 * nodes :]


def _joined(shapes: Sequence[str], columns: Columns) -> bytes:
    said = _BETWEEN.join(shapes).encode()
    small = (bytes(min(value, _MANY) for value in column) for column in columns)
    large = (_NUMBER.pack(value) for column in columns for value in column if value >= _MANY)
    return b"".join((_NUMBER.pack(len(said)), said, _NUMBER.pack(len(columns[0])), *small, *large))


def _counted(data: bytes, start: int, end: int) -> tuple[int, int]:
    """How many characters of a stretch are no white space, and where the last of them ends."""
    said = data[start:end].rstrip(_SPACES)
    return len(said.translate(None, _SPACES)), start + len(said)


def _gap(data: bytes, start: int, end: int) -> int:
    count, last = _counted(data, start, end)
    return 2 * count if over_space(data, last) == end else 2 * (end - start) + 1


def _tail(data: bytes, start: int, end: int) -> int:
    count, last = _counted(data, start, end)
    return 2 * count if last == end else 2 * (end - start) + 1


def _leaf(data: bytes, node: Any) -> int:
    start, end = node.start_byte, node.end_byte
    if end == (word_end(data, start) if node.is_named else start + len(node.type.encode())):
        return 0
    return 1 if end == line_end(data, start) else 2 + end - start


def over_space(data: bytes, at: int) -> int:
    """Behind the white space at a place."""
    found = _SPACE.match(data, at)
    return found.end() if found else at


def word_end(data: bytes, at: int) -> int:
    """Behind the word at a place."""
    found = _WORD.match(data, at)
    return found.end() if found else at


def line_end(data: bytes, at: int) -> int:
    """Where the line of a place ends."""
    end = data.find(b"\n", at)
    return end if end >= 0 else len(data)


def behind(data: bytes, at: int, code: int) -> int:
    """Behind as much as a gap or tail says."""
    if code & 1:
        return at + (code >> 1)
    for _ in range(code >> 1):
        at = over_space(data, at) + 1
    return at
