"""Whether a word in a string may be read as a name by a program, rather than by people."""

import re
from typing import Any

_REFERENCE = re.compile(r"[\w$./:\\#\-]+")
_QUOTES = "\"'`rbuRBU"
_TEMPLATE = re.compile(rb"\{\{|\{%|<%")
_FIELD = re.compile(rb"(?:\{[^{}\s]*|%\()\Z")
_OF = re.compile(rb"[\w$\])]\.\Z")


def may_name(string: Any, data: bytes, start: int) -> bool:
    """Whether the word that begins at `start`, in a string, may be asked for: as all that the string holds, as a member
    of something, as a field of a format, or as anything in a template."""
    content = data[string.start_byte : string.end_byte]
    if _REFERENCE.fullmatch(content.decode("utf-8", "replace").strip(_QUOTES)) is not None:
        return True
    if _is_prose(string):
        return False
    before = data[string.start_byte : start]
    return any(found.search(text) for found, text in ((_TEMPLATE, content), (_FIELD, before), (_OF, before)))


def _is_prose(string: Any) -> bool:
    """Python's documentation: a string that is a statement."""
    whole = string.parent if string.type == "string_content" else string
    return whole is not None and whole.parent is not None and whole.parent.type == "expression_statement"
