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
CALL, ELEMENT, MEMBER = "()", "[]", "."
ENTERS = (".__enter__()", ".__aenter__()")
RETURN, YIELD = "return", "yield"
_HEAD = re.compile(r'""|super\(\)|\\|[@$]*[^\W\d][\w$]*')
_STEP = re.compile(
    r"\.(?:__a?enter__|at|find|first|get|getFirst|getLast|getOrDefault|getOrElse|last|next|peek|poll|pop|shift)\(\)"
    r"|\.[@$]*[^\W\d][\w$]*|\(\)|\[\]"
)
Chain = tuple[str, tuple[str, ...]]
"""The head of a chain and its steps."""


@lru_cache(maxsize=20_000)
def parsed(written: str) -> Chain | None:
    """A chain, or a receiver as it is written, in parts; None for what is no chain."""
    plain = plain_receiver(written)
    chain = written if plain == "?" else plain
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


class FileFlows:
    """The flows of one file, by what gets a value."""

    def __init__(self, rows: Iterable[FlowRow]) -> None:
        self._by_target: dict[str, list[FlowRow]] = {}
        for row in rows:
            self._by_target.setdefault(row.target, []).append(row)

    def of(self, target: str) -> Sequence[FlowRow]:
        """What a name or a chain gets, in order of place."""
        return self._by_target.get(target, ())

    def narrows(self, word: str, line: int) -> bool:
        """Whether a test may say what a word is in a line."""
        return any(row.line <= line <= row.end_line for row in self.of(word))

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

    @cached_property
    def _by_value(self) -> dict[str, list[FlowRow]]:
        found: dict[str, list[FlowRow]] = {}
        for rows in self._by_target.values():
            for row in rows:
                if not row.end_line:
                    found.setdefault(row.value.removesuffix(CALL).rpartition(MEMBER)[2], []).append(row)
        return found

    def holding(self, name: str) -> Sequence[FlowRow]:
        """What gives on the thing of a name, or what calling that gives."""
        return self._by_value.get(name, ())

    def leaving(self, within: str, first: int, last: int, kind: str = RETURN) -> list[FlowRow]:
        """What a function returns, or yields."""
        return [row for row in self.of(kind) if row.within == within and first <= row.line <= last]
