"""What a line of Python says that chains leave out: casts, what is unpacked, and the clause that catches an error."""

import re
from collections.abc import Sequence
from itertools import takewhile

from cairn.graph.annotations import divided, enclosed
from cairn.store import FlowRow

CAST = "cast()"
UNKNOWN = "?"
_CAST = re.compile(r"(?:=|\breturn)\s*([\w.]*\bcast)\(\s*(?:\"([^\"]+)\"|'([^']+)'|([\w.]+(?:\[[\w., |\[\]]*\])?))\s*,")
_UNPACKED = re.compile(r"\s*(\w+(?:\s*,\s*\w+)+)\s*=\s*([A-Za-z_][\w.]*)\(")
_CAUGHT = re.compile(r"\s*except\b.*\bas\s+(\w+)\s*:")
_TUPLE = re.compile(r"(?:[\w.]*\.)?[tT]uple\[")


def cast_to(line: str) -> tuple[str, str]:
    """What casts the value of a line, and to which type; both empty where none is cast."""
    said = _CAST.search(line)
    return (said[1], said[2] or said[3] or said[4]) if said is not None else ("", "")


def unpacked(line: str, column: int) -> tuple[str, int]:
    """The call whose value a line unpacks, and which of its parts a column gets; an empty one where it does not."""
    said = _UNPACKED.match(line)
    if (
        said is None
        or not line.rstrip().endswith(")")
        or enclosed(line, said.end() - 1) != line.rstrip()[said.end() : -1]
    ):
        return "", 0
    return f"{said[2]}()", line[said.start(1) : column].count(",")


def part_of(written: str, number: int) -> str:
    """The type of one of the values of a tuple, as written; empty where that isn't told."""
    text = written.strip().strip("\"'").strip()
    said = _TUPLE.match(text)
    inside = enclosed(text, said.end() - 1) if said is not None else ""
    if said is None or text[said.end() + len(inside) + 1 :].strip():
        return ""
    parts = [each.strip() for each in divided(inside, ",")]
    return parts[number] if number < len(parts) and "..." not in parts else ""


def catches(line: str) -> bool:
    """Whether a line begins a clause that catches an error: what that is says nothing of what is bound later."""
    return _CAUGHT.match(line) is not None


def caught(lines: Sequence[str], flows: Sequence[FlowRow], word: str, line: int) -> int:
    """The number of the flow by which an `except` clause around a line binds a word; -1 where others may bind it."""
    last = max((number for number, flow in enumerate(flows) if flow.line <= line), default=-1)
    head = flows[last].line if last >= 0 else 0
    said = _CAUGHT.match(lines[head - 1]) if head else None
    if said is None or said[1] != word:
        return -1
    depth = _depth(lines[head - 1])
    inner = takewhile(lambda each: not each.strip() or _depth(each) > depth, lines[head:])
    after = head + 1 + sum(1 for _ in inner)
    # What is bound further down in the clause may come round again.
    alone = not any(head < flow.line < after for flow in flows)
    return last if alone and line < after else -1


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
