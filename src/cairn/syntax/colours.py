"""What each piece of a text is, for whoever colours it: from its syntax tree, by one rule for all languages.

A grammar says most of it by the kinds of its nodes: what is named after a comment, a string or a number is one, and a
word that has no name of its own is a word of the language. Definitions are those that the index takes for such. What is
left over are names, which stand for themselves, and signs.

The nodes are painted over each other, the inner over the outer, so a place has one colour whatever a tree looks like.
"""

import re
from bisect import bisect_right
from functools import cache
from typing import Any

from cairn.syntax.parse import grammar_name, parse_file, tree_of

KINDS = ("", "comment", "string", "number", "keyword", "definition", "type", "call")
"""By their numbers. A word that has none of them is a name."""
_NONE, _COMMENT, _STRING, _NUMBER, _KEYWORD, _DEFINITION, _TYPE, _CALL = range(len(KINDS))
_HOLE, _WRAPS_TYPE = -1, -2
"""Code within a string; a node of which a lone word within it is a type."""
_ROLES = (
    (_COMMENT, r"comment"),
    (
        _KEYWORD,
        r"^keyword_|(^|_)(boolean|null|nil)(_literal|_scalar)?$|(^|_)(modifier|specifier|directive)$|^tag_name$",
    ),
    (_KEYWORD, r"heading$|^(self|this|super|true|false|none|null|nil|undefined|crate|iota)(_expression|_literal)?$"),
    (_STRING, r"(^|_)(string|str|char|character|charlist|rune|regex|regexp|heredoc|sigil|quoted)(_|$)"),
    (_STRING, r"_quote_scalar$|^block_scalar$|^template_literal$|^code_(span|fence_content)$"),
    (_NUMBER, r"(^|_)(number|integer|float|int|decimal|real|imaginary|numeric)(_literal|_value|_scalar)?$"),
    (_TYPE, r"^(type_identifier|primitive_type|predefined_type|builtin_type|void_type)$"),
    (_WRAPS_TYPE, r"(^|_)type$|^type_(arguments|parameters?|list)$"),
)
_HOLES = re.compile(r"interpolation|substitution|expansion|^interpolated_(expression|identifier)$")
_WORDY = re.compile(r"[#@%]?[A-Za-z][\w ]*[?!]?")
_WORD = re.compile(rb"[$@]{0,2}[A-Za-z_\x80-\xff][\w\x80-\xff$-]*[?!]?")
_DIGITS = re.compile(rb"[+-]?\.?[0-9][\w.]*")
_QUOTED = re.compile(rb"(['\"`]).*\1", re.DOTALL)
_RUNS = re.compile(rb"|".join(b"%c+" % kind for kind in range(1, len(KINDS))))
_NAMING = ("name", "declarator")
_TYPING = re.compile(r"(^|_)type$")
_LEAST_CHUNK = 1_000_000


def colours_of(path_key: str, language: str, data: bytes, first: int = 1, last: int | None = None) -> list[int]:
    """Four numbers a piece, for some lines of a file: lines since the piece before, where it starts, its length, kind.

    The first line counts from `first`; the start counts from that of the piece before where both stand on one line.
    Places are those of a browser's strings. Empty where there is no grammar, or no text that all would read alike.
    """
    if grammar_name(path_key, language, data) is None or not _is_text(data):
        return []
    starts = [0, *(found.end() for found in re.finditer(rb"\n", data))]
    last = min(last or len(starts), len(starts))
    if first > last:
        return []
    begin, end = starts[first - 1], starts[last] if last < len(starts) else len(data)
    paint = bytearray(len(data))
    _Painter(data, paint, begin, end).walk(tree_of(path_key, language, data), _named(path_key, language, data, starts))
    return _pieces(data, paint, starts, first, end)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _named(path_key: str, language: str, data: bytes, starts: list[int]) -> dict[int, list[bytes]]:
    """What is defined, by the start of its line."""
    found: dict[int, list[bytes]] = {}
    for symbol in parse_file(path_key, language, data, _LEAST_CHUNK, 1).symbols:
        if 0 < symbol.name_line <= len(starts):
            found.setdefault(starts[symbol.name_line - 1], []).append(symbol.name.encode())
    return found


class _Painter:
    """One walk over a tree, from its root to each leaf that touches some bytes."""

    def __init__(self, data: bytes, paint: bytearray, begin: int, end: int) -> None:
        self._data = data
        self._paint = paint
        self._begin = begin
        self._end = end

    def walk(self, tree: Any, named: dict[int, list[bytes]]) -> None:
        """Paint what is to be seen; no function here calls itself: a tree may be as deep as a file is long."""
        data, begin, end = self._data, self._begin, self._end
        cursor = tree.walk()
        modes = [_NONE]
        """What holds within each node above: a string goes on within it, and a type's wrapper counts one level."""
        defined: dict[tuple[int, bytes], list[tuple[bool, int, int]]] = {}
        while True:
            node = cursor.node
            start, stop = node.start_byte, node.end_byte
            mode = modes[-1]
            if stop > begin and start < end and stop > start:
                inner = self._enter(node, mode, start, stop)
                if inner is not None and cursor.goto_first_child():
                    modes.append(inner)
                    continue
                if inner is not None and mode != _STRING:
                    kind = self._leaf(node, cursor.field_name, mode, data[start:stop], stop)
                    if kind:
                        self._fill(start, stop, kind)
                    if node.is_named and kind in (_NONE, _TYPE, _CALL, _KEYWORD):
                        line = data.rfind(b"\n", 0, start) + 1
                        if line in named and data[start:stop] in named[line]:
                            found = defined.setdefault((line, data[start:stop]), [])
                            found.append((cursor.field_name not in _NAMING, start, stop))
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    for (line, name), places in defined.items():
                        for _, start, stop in sorted(places)[: named[line].count(name)]:
                            self._fill(start, stop, _DEFINITION)
                    return
                modes.pop()

    def _enter(self, node: Any, mode: int, start: int, stop: int) -> int | None:
        """What holds within a node; None where nothing within it is looked at."""
        if not node.is_named:
            return mode if mode == _STRING else _NONE
        if mode == _STRING and _is_hole(node.type):
            self._fill(start, stop, _NONE)
            return _NONE
        role = _role(node.type)
        if role in (_COMMENT, _NUMBER) and mode != _STRING:
            self._fill(start, stop, role)
            return None
        if role == _STRING and mode != _STRING:
            self._fill(start, stop, role)
            return _STRING
        if mode == _STRING:
            return mode
        if role == _WRAPS_TYPE:
            return _TYPE if node.child_count == 1 else role
        return role if role == _TYPE else _NONE

    def _leaf(self, node: Any, field: str | None, mode: int, text: bytes, stop: int) -> int:
        if not node.is_named:
            if not _WORDY.fullmatch(node.type):
                return _NONE
            return _TYPE if mode == _TYPE else _KEYWORD
        role = _role(node.type)
        if role in (_KEYWORD, _TYPE):
            return role
        if text[:1].isdigit() or text[:1] in b"+-.":
            return _NUMBER if _DIGITS.fullmatch(text) else _NONE
        if not _WORD.fullmatch(text):
            return _STRING if len(text) > 1 and _QUOTED.fullmatch(text) else _NONE
        if mode in (_TYPE, _WRAPS_TYPE) or role == _WRAPS_TYPE or (field is not None and _TYPING.search(field)):
            return _TYPE
        return _CALL if self._data[stop : stop + 1] == b"(" else _NONE

    def _fill(self, start: int, stop: int, kind: int) -> None:
        start, stop = max(start, self._begin), min(stop, self._end)
        if start < stop:
            self._paint[start:stop] = bytes((kind,)) * (stop - start)


@cache
def _role(kind: str) -> int:
    return next((role for role, pattern in _ROLES if re.search(pattern, kind)), _NONE)


@cache
def _is_hole(kind: str) -> bool:
    return _HOLES.search(kind) is not None


def _pieces(data: bytes, paint: bytearray, starts: list[int], first: int, end: int) -> list[int]:
    found: list[int] = []
    line, at = first - 1, 0
    seen, units = -1, _Units(b"")
    for run in _RUNS.finditer(paint, starts[first - 1], end):
        start, stop = run.span()
        begun = bisect_right(starts, start, lo=max(line, 0)) - 1
        for row in range(begun, bisect_right(starts, stop - 1, lo=begun)):
            after = starts[row + 1] if row + 1 < len(starts) else len(data)
            if row != seen:
                seen, units = row, _Units(data[starts[row] : after])
            left, right = max(start, starts[row]) - starts[row], min(stop, after) - starts[row]
            if min(right, units.size) <= left:
                continue
            left, right = units.at(left), units.at(min(right, units.size))
            found += (row - line, left - (at if row == line and found else 0), right - left, paint[start])
            line, at = row, left
    return found


class _Units:
    """Places of a line, from bytes to what a browser counts: halves of characters beyond the first 65,536."""

    def __init__(self, line: bytes) -> None:
        self._line = line.rstrip(b"\r\n")
        self._is_plain = line.isascii()
        self.size = len(self._line)

    def at(self, byte: int) -> int:
        """Where a byte is."""
        return byte if self._is_plain else len(self._line[:byte].decode().encode("utf-16-le")) // 2
