"""A regular expression of Python's for an engine whose time grows with the text alone.

It is read as Python's own parser has read it, and for lines of ASCII alone: there both mean the same by every class,
case and boundary. What looks around, refers back or repeats what may be empty has no such form: Python's engine is
asked then.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

_ASCII = range(128)
_NEWLINE = 10
_ANCHORS = {
    "AT_BEGINNING": "(?m:^)",
    "AT_BEGINNING_STRING": "(?m:^)",
    "AT_END": "(?m:$)",
    "AT_END_STRING": "(?m:$)",
    "AT_BOUNDARY": r"\b",
}
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_REPEATS = {"MAX_REPEAT": "", "MIN_REPEAT": "?"}
_MOST_REPEATS = 1_000


class _UnlikeError(Exception):
    """A part of the expression has no such form."""


def linear_form(tree: Any, flags: int) -> str:
    """The expression that finds the same places in a line of ASCII; empty where there is none."""
    try:
        return _sequence(tree, flags)
    except _UnlikeError:
        return ""


def _sequence(tree: Any, flags: int) -> str:
    return "".join(_part(str(operator), value, flags) for operator, value in tree)


def _part(name: str, value: Any, flags: int) -> str:
    if name in ("LITERAL", "NOT_LITERAL"):
        return _one_of(_cased([value], flags), without=name == "NOT_LITERAL")
    if name == "ANY":
        return _one_of([], without=True)
    if name == "IN":
        return _class(value, flags)
    if name == "AT" and str(value) in _ANCHORS:
        return _ANCHORS[str(value)]
    if name == "BRANCH":
        return f"(?:{'|'.join(_sequence(branch, flags) for branch in value[1])})"
    if name == "SUBPATTERN":
        _, more, fewer, inside = value
        return f"(?:{_sequence(inside, (flags | more) & ~fewer)})"
    if name in _REPEATS:
        return _repeated(value, _REPEATS[name], flags)
    raise _UnlikeError(name)


def _repeated(value: tuple[int, Any, Any], greed: str, flags: int) -> str:
    least, most, inside = value
    endless = str(most) == "MAXREPEAT"
    if not inside.getwidth()[0] or least > _MOST_REPEATS or (not endless and most > _MOST_REPEATS):
        raise _UnlikeError("a repeat of what may be empty, or of too many")
    return f"(?:{_sequence(inside, flags)}){{{least},{'' if endless else most}}}{greed}"


def _class(items: Any, flags: int) -> str:
    without, held = False, set[int]()
    for operator, value in items:
        name = str(operator)
        if name == "NEGATE":
            without = True
        elif name == "LITERAL":
            held.update(_cased([value], flags))
        elif name == "RANGE":
            low, high = value
            held.update(_cased((*range(low, min(high + 1, len(_ASCII))), high), flags))
        elif name == "CATEGORY" and str(value) in _CATEGORIES:
            held.update(_of_category(_CATEGORIES[str(value)]))
        else:
            raise _UnlikeError(name)
    return _one_of(held, without=without)


def _cased(codes: Iterable[int], flags: int) -> set[int]:
    """The characters of ASCII that some stand for; a few beyond it are other cases of letters within."""
    found = set(codes)
    if flags & re.IGNORECASE:
        if any(code not in _ASCII for code in found):
            raise _UnlikeError("the cases of a character beyond ASCII")
        found |= {ord(form) for code in found for form in (chr(code).lower(), chr(code).upper())}
    return {code for code in found if code in _ASCII}


@cache
def _of_category(text: str) -> frozenset[int]:
    return frozenset(code for code in _ASCII if re.match(text, chr(code)))


def _one_of(codes: Iterable[int], *, without: bool) -> str:
    """A class of the characters of ASCII that are, or are not, some; never a line break."""
    held = set(_ASCII).difference(codes) if without else set(codes)
    held.discard(_NEWLINE)
    # Beyond ASCII there is nothing: a class that is never met.
    return "[" + "".join(f"\\x{code:02x}" for code in sorted(held) or [len(_ASCII)]) + "]"
