"""Where in a chunk a definition stands, and which of several the query means."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

from cairn.base import lazy
from cairn.kernel.tokens import tokens
from cairn.search.signals import name_match

_COMMENT = ("#", "//", "/*", "*", "--", ";", '"""', "'''")
_NAME_SHARE = 0.5
_DEFINES = lazy.expression(
    r"\b(?:class|const|def|defp|defmodule|enum|fn|fun|func|function|impl|interface|let|macro|module|object|proc|protocol"
    r"|record|static|struct|sub|trait|type|val|var|void)\b[^=(]*$"
)


def head_line(lines: Sequence[str], name: str) -> int | None:
    """The line that seems to define a name; else the first line outside of comments that mentions it."""
    return _head_in("\n".join(lines), lines, _starts_of(lines), name)


def _starts_of(lines: Sequence[str]) -> list[int]:
    """Where each line begins in the text that they make, and where a further one would."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def _head_in(text: str, lines: Sequence[str], starts: Sequence[int], name: str) -> int | None:
    last = name.rpartition(".")[2]
    first = None
    # One search through the whole text skips the many lines without the word.
    found = text.find(last) if last else -1
    while found >= 0:
        at = bisect_right(starts, found) - 1
        line = lines[at]
        place = _word_in(line, last)
        if place >= 0 and not line.lstrip().startswith(_COMMENT):
            # It may be used above the line that defines it.
            if _DEFINES.search(line[:place]):
                return at
            first = at if first is None else first
        found = text.find(last, starts[at + 1])
    return first


def meant(text: str, names: Sequence[str], worth: Mapping[str, float]) -> str:
    """Of the names that a chunk defines, the one whose lines and words share most with the query."""
    if len(names) < 2:
        return names[0] if names else ""
    total = sum(worth.values())
    best, choice = -1.0, names[0]
    for name, held in _defined(text, tuple(names)):
        score = sum(weight for term, weight in worth.items() if term in held)
        score += _NAME_SHARE * total * name_match(worth, [name])
        if score > best:
            best, choice = score, name
    return choice


@lru_cache(maxsize=1024)
def _defined(text: str, names: tuple[str, ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each name that a chunk defines, with the words of its own lines. Cached: good chunks answer many queries."""
    lines = text.split("\n")
    starts = _starts_of(lines)
    heads = sorted((at, name) for name in names if (at := _head_in(text, lines, starts, name)) is not None)
    found = []
    ends = [*(at for at, _ in heads[1:]), len(lines)]
    for (at, name), end in zip(heads, ends, strict=False):
        # Comments above the next definition belong to it.
        own = lines[with_comments(lines, at) : max(with_comments(lines, end), at + 1)]
        found.append((name, frozenset(tokens("\n".join(own)))))
    return tuple(found)


def _word_in(line: str, word: str) -> int:
    """The position of a whole word in a line, or -1. Cheaper than a regular expression for each word."""
    at = line.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and _is_letter(line[at - 1])) and not (end < len(line) and _is_letter(line[end])):
            return at
        at = line.find(word, at + 1)
    return -1


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"


def with_comments(lines: Sequence[str], at: int) -> int:
    """The first of the comment lines right above a line; the line itself where there are none."""
    while 0 < at <= len(lines) and lines[at - 1].lstrip().startswith(_COMMENT):
        at -= 1
    return at
