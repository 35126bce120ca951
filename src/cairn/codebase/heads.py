"""The head of a definition and what is said of it, as they stand in the source: an index keeps both in one line."""

import re
from collections.abc import Mapping, Sequence
from textwrap import dedent
from typing import Any

_MOST_HEAD, _MOST_DOC = 12, 20
_WIDEST = 300
"""No line of source that a person reads is wider."""
_KEPT_HEAD, _KEPT_DOC = 300, 600
"""How much of each an index keeps: what has this length may go on."""
_ABOVE, _BELOW = 60, 80
"""How far from its first line a definition's text is looked for."""
_WHITE = re.compile(r"\s+")
_SIGNS = re.compile(r"\W+")
_BEGIN = re.compile(r"""^\s*(?:[rRuU]?(?:"{3}|'{3})|/\*+!?|//+!?|\*+/?|#+!?|;+|%+|--+ ?\|?|\{-)?\s*""")
_END = re.compile(r"""\s*(?:"{3}|'{3}|\*+/|-\})?\s*$""")


def head_of(lines: Sequence[str], row: Mapping[str, Any]) -> str:
    """The source's own lines of a definition's head; what the index has of it where they are not found."""
    wanted = _WHITE.sub("", row["signature"])
    for first in range(row["start_line"], row["line"] + 1):
        text = _WHITE.sub("", "".join(lines[first - 1 : first]))
        at = text.find(wanted[: len(text)]) if wanted and text else -1
        # An `export` or a modifier may stand before what the index takes for the head.
        if at < 0 and (common := _overlap(text, wanted)):
            at = len(text) - common
        if at >= 0 and (found := _whole(lines[first - 1 :], wanted, at, is_cut=len(row["signature"]) >= _KEPT_HEAD)):
            return found
    return _unbroken(row["signature"] or row["qualified_name"], _KEPT_HEAD)


def _overlap(text: str, wanted: str) -> int:
    """How many letters at the end of one are those at the start of the other."""
    return next((size for size in range(min(len(text), len(wanted)), 0, -1) if text.endswith(wanted[:size])), 0)


def _whole(lines: Sequence[str], wanted: str, at: int, *, is_cut: bool) -> str:
    """Whole lines that hold a head; empty where they hold something else or nobody could read them."""
    kept: list[str] = []
    seen, depth = "", 0
    for line in lines:
        if len(line) > _WIDEST:
            return ""
        if len(kept) == _MOST_HEAD:
            return dedent("\n".join(kept)).rstrip() + "\n..."
        kept.append(line)
        seen += _WHITE.sub("", line)
        depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
        said = seen[at:]
        if not (said.startswith(wanted) or wanted.startswith(said)):
            return ""
        if len(said) >= len(wanted) and not (is_cut and depth > 0):
            return dedent("\n".join(kept)).rstrip()
    return ""


def doc_of(lines: Sequence[str], row: Mapping[str, Any]) -> list[str]:
    """What is said of a definition, line by line, with empty ones between paragraphs."""
    wanted = _SIGNS.sub("", row["doc"])
    first = max(0, row["start_line"] - 1 - _ABOVE)
    for start in range(first, min(row["end_line"], row["start_line"] + _BELOW)):
        found = _said(lines[start:], wanted)
        if found:
            return found if len(found) <= _MOST_DOC else [*found[:_MOST_DOC], "..."]
    return [_unbroken(row["doc"], _KEPT_DOC)] if row["doc"] else []


def _said(lines: Sequence[str], wanted: str) -> list[str]:
    kept: list[str] = []
    for line in lines:
        words = _SIGNS.sub("", line)
        if not wanted:
            break
        if wanted.startswith(words) and (words or kept):
            kept.append(_END.sub("", _BEGIN.sub("", line)) if words else "")
            wanted = wanted[len(words) :]
        elif kept and words.startswith(wanted):  # The index has only the first half of this line.
            return [*kept, _END.sub("", _BEGIN.sub("", line)), "..."]
        else:
            return []
    return kept if not wanted else []


def _unbroken(text: str, most: int) -> str:
    """A text that ends with a word, also where it was cut in one."""
    return f"{text.rpartition(' ')[0]} ..." if len(text) >= most and " " in text else text
