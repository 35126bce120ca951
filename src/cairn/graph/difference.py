"""Which definitions of a file are not as they were: changed, added, removed, or under another name."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from cairn.base.values import dataclass
from cairn.graph.nesting import Ranged, encloses

ADDED, MODIFIED, SIGNATURE, REMOVED, RENAMED = "added", "modified", "signature", "removed", "renamed"
_ALIKE = 0.6
"""How much of a definition has to stand for it to be the same one under another name."""
_MOST_PAIRS = 20_000
"""A file that was written anew has nothing in its former place."""


class Defined(Ranged, Protocol):
    """A definition, from a parse or from the snapshot."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def signature(self) -> str:
        """Its head, as it is written."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A definition that is not as it was."""

    qualified_name: str
    change: str
    """added, modified, signature (its head differs, which callers see), removed or renamed"""
    ordinal: int = 0
    """Which of several definitions of one name."""
    former: str = ""
    """The qualified name that it had, where it has another one now."""


def differences(
    old_symbols: Sequence[Defined], old_text: str, new_symbols: Sequence[Defined], new_text: str
) -> list[Difference]:
    """Definitions that differ, by name; one is modified by its own lines, not by those of what is defined in it."""
    before, after = _own_texts(old_symbols, old_text), _own_texts(new_symbols, new_text)
    renamed = _renamed(before, after)
    found = []
    for key, now in after.items():
        former = renamed.get(key, key)
        was = before.get(former)
        if was is None:
            found.append(Difference(key[0], ADDED, key[1]))
        elif was.name != now.name:
            found.append(Difference(key[0], RENAMED, key[1], former[0]))
        elif was.symbol.signature != now.symbol.signature:
            found.append(Difference(key[0], SIGNATURE, key[1]))
        elif was.text != now.text:
            found.append(Difference(key[0], MODIFIED, key[1]))
    kept = {*after, *renamed.values()}
    return found + [Difference(key[0], REMOVED, key[1]) for key in before if key not in kept]


_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Own:
    """A definition with the lines that are its own."""

    key: _Key
    symbol: Defined
    text: str

    @property
    def container(self) -> str:
        return self.key[0].rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.key[0].rpartition(".")[2]


def _renamed(before: Mapping[_Key, _Own], after: Mapping[_Key, _Own]) -> dict[_Key, _Key]:
    """Former keys by those of now: what stands in the same place and says the same, apart from its name.

    Outer definitions come first, so that the members of a class under another name find theirs.
    """
    left, new = _unmatched(before, after), _unmatched(after, before)
    if len(left) * len(new) > _MOST_PAIRS:
        return {}
    found: dict[_Key, _Key] = {}
    containers: dict[str, str] = {}
    for now, place in new:
        inside = containers.get(now.container, now.container)
        beside = [
            (2.0 if was.name == now.name else _likeness(was, now) if stood == place else 0.0, was)
            for was, stood in left
            if was.container == inside and was.symbol.kind == now.symbol.kind
        ]
        likeness, was = max(beside, key=lambda each: each[0], default=(0.0, now))
        if likeness >= _ALIKE:
            left = [each for each in left if each[0] is not was]
            found[now.key] = was.key
            containers[now.key[0]] = was.key[0]
    return found


def _unmatched(some: Mapping[_Key, _Own], others: Mapping[_Key, _Own]) -> list[tuple[_Own, _Key | None]]:
    """Definitions that are only here, each with the last one before it that is also there."""
    found: list[tuple[_Own, _Key | None]] = []
    last: _Key | None = None
    for key, each in some.items():
        if key in others:
            last = key
        else:
            found.append((each, last))
    return found


def _likeness(was: _Own, now: _Own) -> float:
    # What calls itself may still do so by its former name.
    names = re.compile(rf"(?<!\w)(?:{re.escape(was.name)}|{re.escape(now.name)})(?!\w)")
    one, other = (names.sub("", each.text).split("\n") for each in (was, now))
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def outside_of_symbols(symbols: Iterable[Defined], text: str) -> str:
    """What a file says beside its definitions."""
    inside = {line for symbol in symbols for line in range(symbol.start_line, symbol.end_line + 1)}
    lines = enumerate(text.split("\n"), start=1)
    # Blank lines come and go with the definitions beside them.
    return "\n".join(line.rstrip() for number, line in lines if number not in inside and line.strip())


def _own_texts(symbols: Sequence[Defined], text: str) -> dict[_Key, _Own]:
    lines = text.split("\n")
    owners: dict[int, list[int]] = {}
    # The inner ones come later in a file than what they are in, and take their lines over; those beside each other on
    # one line share it.
    for place, symbol in sorted(enumerate(symbols), key=lambda item: (item[1].start_line, -item[1].end_line)):
        for line in range(symbol.start_line, symbol.end_line + 1):
            beside = [each for each in owners.get(line, ()) if not encloses(symbols[each], symbol)]
            owners[line] = [*beside, place]
    own: dict[int, list[str]] = {place: [] for place in range(len(symbols))}
    for line, places in sorted(owners.items()):
        if line <= len(lines) and (text_of_line := lines[line - 1].rstrip()):
            # Blank lines come and go with what stands beside them.
            for place in places:
                own[place].append(text_of_line)
    found: dict[_Key, _Own] = {}
    seen: dict[str, int] = {}
    for place, symbol in enumerate(symbols):
        ordinal = seen.get(symbol.qualified_name, 0)
        seen[symbol.qualified_name] = ordinal + 1
        key = (symbol.qualified_name, ordinal)
        found[key] = _Own(key, symbol, "\n".join(own[place]))
    return found
