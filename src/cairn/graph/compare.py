"""What changed between two versions of one file, symbol by symbol."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from cairn.base.values import dataclass

ADDED, MODIFIED, SIGNATURE, REMOVED = "added", "modified", "signature", "removed"


class Defined(Protocol):
    """A definition, from a parse or from the snapshot."""

    @property
    def qualified_name(self) -> str:
        """Its name with those of its containers."""

    @property
    def signature(self) -> str:
        """Its head, as it is written."""

    @property
    def start_line(self) -> int:
        """Its first line, from 1."""

    @property
    def end_line(self) -> int:
        """Its last line."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A definition that is not as it was."""

    qualified_name: str
    change: str
    """added, modified, signature (its head differs, which callers see) or removed"""
    ordinal: int = 0
    """Which of several definitions of one name."""


def differences(
    old_symbols: Sequence[Defined], old_text: str, new_symbols: Sequence[Defined], new_text: str
) -> list[Difference]:
    """Definitions that differ, by name; one is modified by its own lines, not by those of what is defined in it."""
    before, after = _own_texts(old_symbols, old_text), _own_texts(new_symbols, new_text)
    found = []
    for key, (signature, text) in after.items():
        if key not in before:
            found.append(Difference(key[0], ADDED, key[1]))
        elif before[key][0] != signature:
            found.append(Difference(key[0], SIGNATURE, key[1]))
        elif before[key][1] != text:
            found.append(Difference(key[0], MODIFIED, key[1]))
    return found + [Difference(key[0], REMOVED, key[1]) for key in before if key not in after]


def outside_of_symbols(symbols: Iterable[Defined], text: str) -> str:
    """What a file says beside its definitions."""
    inside = {line for symbol in symbols for line in range(symbol.start_line, symbol.end_line + 1)}
    lines = enumerate(text.split("\n"), start=1)
    # Blank lines come and go with the definitions beside them.
    return "\n".join(line.rstrip() for number, line in lines if number not in inside and line.strip())


def _own_texts(symbols: Sequence[Defined], text: str) -> dict[tuple[str, int], tuple[str, str]]:
    lines = text.split("\n")
    owner: dict[int, int] = {}
    # The inner ones come later in a file than what they are in, and take their lines over.
    for place, symbol in sorted(enumerate(symbols), key=lambda item: (item[1].start_line, -item[1].end_line)):
        owner.update(dict.fromkeys(range(symbol.start_line, symbol.end_line + 1), place))
    own: dict[int, list[str]] = {place: [] for place in range(len(symbols))}
    for line, place in sorted(owner.items()):
        if line <= len(lines) and (text_of_line := lines[line - 1].rstrip()):
            # Blank lines come and go with what stands beside them.
            own[place].append(text_of_line)
    found: dict[tuple[str, int], tuple[str, str]] = {}
    seen: dict[str, int] = {}
    for place, symbol in enumerate(symbols):
        ordinal = seen.get(symbol.qualified_name, 0)
        seen[symbol.qualified_name] = ordinal + 1
        found[symbol.qualified_name, ordinal] = symbol.signature, "\n".join(own[place])
    return found
