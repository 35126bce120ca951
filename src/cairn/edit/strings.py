"""Whether a program, rather than people, may read a word in a string as a name."""

import re
from typing import Any

_REFERENCE = re.compile(r"[\w$./:\\#\-]+")
_QUOTES = "\"'`rbuRBU"
_TEMPLATE = re.compile(rb"\{\{|\{%|<%")
_FIELD = re.compile(rb"(?:\{[^{}\s]*|%\()\Z")
_CODE = re.compile(rb"[;=\n]|\bimport\b|\blambda\b|\breturn\b")
_USED = re.compile(rb"(?:[\w$\])}][.:]|\bimport\b[^;\n]*)\Z")
_CALLED = re.compile(rb"[\w$]+\s*\(")
_CALL = re.compile(rb"[\w$.]+\(\)")
_CALLED_WITH = re.compile(rb"[\w$]+\([^)\s]")
_RUNNERS = frozenset({b"eval", b"exec", b"compile", b"timeit", b"repeat", b"query", b"Function"})


def may_name(string: Any, data: bytes, start: int) -> bool:
    """Whether a program may look up the word at `start` in a string: if it is the whole string, a field of a format,
    anything in a template, or part of what may be code."""
    content = data[string.start_byte : string.end_byte]
    if _REFERENCE.fullmatch(content.decode("utf-8", "replace").strip(_QUOTES)) is not None:
        return True
    before = data[string.start_byte : start]
    if _is_prose(string):
        # doctest runs the examples in documentation, with their continuation lines.
        line = before.rpartition(b"\n")[2]
        return b">>>" in line or line.lstrip().startswith(b"...")
    if _CALL.fullmatch(content.strip(_QUOTES.encode())):
        return True
    if before.endswith((b"'", b'"', b"$")) or _is_split(string) or _is_run(string):
        return True
    if _TEMPLATE.search(content) or is_field(before):
        return True
    # After an interpolation the rest of a string may begin with a dot.
    used = _USED.search(data, max(0, string.start_byte - 1), start) or _CALLED.match(data, start, string.end_byte)
    if used is None:
        return False
    return bool(_CODE.search(content) or _CALLED_WITH.match(data, start, string.end_byte)) or _is_piece(content)


def is_field(before: bytes) -> bool:
    """Whether what stands before a word opens a field of a format: `{`, `{user.`, `%(`."""
    return _FIELD.search(before) is not None


def _is_piece(content: bytes) -> bool:
    """Whether brackets are left open, as in code that is composed of several strings; prose closes them."""
    return any(content.count(opens) != content.count(closes) for opens, closes in (b"()", b"[]"))


def _is_split(string: Any) -> bool:
    """`"a b".split()`: words that a program takes apart."""
    whole = string.parent if string.type == "string_content" else string
    return whole is not None and whole.parent is not None and whole.parent.type in ("attribute", "member_expression")


def _is_run(string: Any) -> bool:
    """`eval("name + 1")`: an argument of what runs texts."""
    whole = string.parent if string.type in ("string_content", "string_fragment") else string
    given = whole.parent if whole is not None else None
    call = given.parent if given is not None and given.type in ("argument_list", "arguments") else None
    function = (call.child_by_field_name("function") or call.child_by_field_name("constructor")) if call else None
    return function is not None and (function.text or b"").rpartition(b".")[2] in _RUNNERS


def _is_prose(string: Any) -> bool:
    """Python's documentation, a string that is a statement; and a pattern."""
    whole = string.parent if string.type == "string_content" else string
    above = whole.parent if whole is not None else None
    return "regex" in string.type or (above is not None and above.type == "expression_statement")
