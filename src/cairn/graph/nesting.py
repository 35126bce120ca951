"""Which definitions stand in which, as far as lines and names tell: several may share a line."""

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Ranged(Protocol):
    """A definition with its place and its name."""

    @property
    def qualified_name(self) -> str:
        """Its name with those of its containers."""

    @property
    def start_line(self) -> int:
        """Its first line, from 1."""

    @property
    def end_line(self) -> int:
        """Its last line."""


R = TypeVar("R", bound=Ranged)


def holds(item: Ranged, line: int) -> bool:
    """Whether a line is one of a definition."""
    return item.start_line <= line <= item.end_line


def encloses(outer: Ranged, inner: Ranged) -> bool:
    """Whether a definition stands in another: by its name, or with lines of the other's before and behind its own."""
    if not (outer.start_line <= inner.start_line and inner.end_line <= outer.end_line):
        return False
    around = outer.start_line < inner.start_line and inner.end_line < outer.end_line
    return around or inner.qualified_name.startswith(f"{outer.qualified_name}.")


def innermost(items: Iterable[R], line: int) -> list[R]:
    """The definitions of a line in which no other of that line stands: several, where they stand beside each other."""
    found = [item for item in items if holds(item, line)]
    return [item for item in found if not any(encloses(item, other) for other in found)]


def is_within(item: Ranged, line: int, within: str, others: Iterable[Ranged]) -> bool:
    """Whether a place stands in a definition: where others share the line, what it is within has to say so."""
    if not holds(item, line):
        return False
    if f"{within}.".startswith(f"{item.qualified_name}."):
        return True
    beside = (other for other in others if other is not item and holds(other, line))
    return all(encloses(other, item) or encloses(item, other) for other in beside)
