"""How values flow in one file, and the chains that say what an expression is.

chain := head step*, or `: TYPE` for a type as written
head  := a name | `""` for a literal
step  := `.name` a member | `()` what calling it gives | `[]` one of its elements
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from cairn.store import FlowRow
from cairn.syntax.receivers import plain_receiver

LITERAL = '""'
TYPED = ": "
CALL, ELEMENT = "()", "[]"
ENTERS = (".__enter__()", ".__aenter__()")
RETURN, YIELD = "return", "yield"
_HEAD = re.compile(r'""|super\(\)|\\|[@$]*[^\W\d][\w$]*')
_STEP = re.compile(
    r"\.(?:__a?enter__|at|find|first|get|getFirst|getLast|getOrDefault|getOrElse|last|next|peek|poll|pop|shift)\(\)"
    r"|\.[@$]*[^\W\d][\w$]*|\(\)|\[\]"
)
_QUOTED = re.compile(r"""[rbfuRBFU]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)""", re.DOTALL)
_PIECE = re.compile(
    rf"(?P<text>{_QUOTED.pattern})|(?P<joint>[?!]?\.|->|::|\\)|(?P<name>[@$]*[^\W\d][\w$]*)|(?P<open>[(\[{{])|(?P<sign>[?!])",
    re.DOTALL,
)
Chain = tuple[str, tuple[str, ...]]
"""The head of a chain and its steps."""


@lru_cache(maxsize=20_000)
def parsed(written: str) -> Chain | None:
    """A chain, or a receiver as it is written, in parts; None for what is no chain."""
    chain = plain_receiver(written)
    if chain == "?":
        chain = _chain_of(written)
    head = _HEAD.match(chain)
    if head is None:
        return None
    steps, at = [], head.end()
    while at < len(chain):
        step = _STEP.match(chain, at)
        if step is None:
            return None
        steps.append(step[0])
        at = step.end()
    return head[0], tuple(steps)


def _chain_of(written: str) -> str:
    """A receiver without what its calls are given and its elements are asked by; empty for what is no chain."""
    found, at = "", 0
    while at < len(written):
        piece = _PIECE.match(written, at)
        if piece is None:
            return ""
        at, begins = piece.end(), not found or found.endswith(".")
        if piece["open"]:
            inside = _inside(written, at)
            at += len(inside) + 1
            if not begins:
                found += ELEMENT if piece["open"] == "[" else CALL
            elif found:
                return ""
            else:
                found = _chain_of(inside) if piece["open"] == "(" else LITERAL
        elif piece["joint"] and not begins:
            found += "."
        elif piece["name"] and begins:
            found += piece["name"]
        elif piece["text"] and not found:
            found = LITERAL
        elif not piece["sign"]:
            return ""
        if not found:
            return ""
    return found


def _inside(text: str, at: int) -> str:
    """What stands before the bracket that closes one which was opened before a place."""
    depth, start = 1, at
    while at < len(text):
        quoted = _QUOTED.match(text, at)
        if quoted is not None:
            at = quoted.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return text[start:at]
        at += 1
    return text[start:]


class FileFlows:
    """The flows of one file, by what gets a value."""

    def __init__(self, rows: Iterable[FlowRow]) -> None:
        self._by_target: dict[str, list[FlowRow]] = {}
        for row in rows:
            self._by_target.setdefault(row.target, []).append(row)

    def of(self, target: str) -> Sequence[FlowRow]:
        """What a name or a chain gets, in order of place."""
        return self._by_target.get(target, ())

    @cached_property
    def _of_members(self) -> dict[str, list[tuple[str, FlowRow]]]:
        found: dict[str, list[tuple[str, FlowRow]]] = {}
        for target, rows in self._by_target.items():
            owner, dot, name = target.rpartition(".")
            if not dot and target.startswith("@"):
                owner, name = "@", target.lstrip("@")
            if owner:
                found.setdefault(name, []).extend((owner, row) for row in rows)
        return found

    def of_member(self, name: str) -> Sequence[tuple[str, FlowRow]]:
        """(what it is a member of, flow) of every write to a member of a name."""
        return self._of_members.get(name, ())

    def leaving(self, within: str, first: int, last: int, kind: str = RETURN) -> list[FlowRow]:
        """What a function returns, or yields."""
        return [row for row in self.of(kind) if row.within == within and first <= row.line <= last]
