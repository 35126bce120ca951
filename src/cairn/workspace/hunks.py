"""Where two texts differ, as hunks with some lines around: the pure part of a diff."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from cairn.base.values import dataclass

KEPT, ADDED, REMOVED = " ", "+", "-"
_MOST_COMPARED = 4_000
"""Lines of a side between what both begin and end with; beyond, the whole of it counts as replaced."""
_OFTEN = 1_000
"""Lines from which on those that stand everywhere, like a closing brace, are no place to compare from."""

Row = tuple[str, str]
"""What became of a line, and the line."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that differ, with those around them; the numbers count from 1."""

    old_start: int
    new_start: int
    rows: tuple[Row, ...]


def lines_of(text: str) -> list[str]:
    """The lines of a text, by its line feeds alone: what else ends lines elsewhere stands inside of one here."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def hunks_of(old: Sequence[str], new: Sequence[str], context: int) -> list[Hunk]:
    """The hunks of a diff, in order."""
    found: list[Hunk] = []
    blocks = list(_blocks(old, new))
    group: list[tuple[int, int, int, int]] = []
    for block in blocks:
        if group and block[0] - group[-1][1] > 2 * context:
            found.append(_hunk(old, new, group, context))
            group = []
        group.append(block)
    if group:
        found.append(_hunk(old, new, group, context))
    return found


def counts_of(hunks: Sequence[Hunk]) -> tuple[int, int]:
    """How many lines some hunks add and remove."""
    kinds = [kind for hunk in hunks for kind, _ in hunk.rows]
    return kinds.count(ADDED), kinds.count(REMOVED)


def first_rows(hunks: Sequence[Hunk], most: int) -> tuple[Hunk, ...]:
    """Hunks up to so many rows; the last of them may be cut."""
    found: list[Hunk] = []
    room = most
    for hunk in hunks:
        if room <= 0:
            break
        found.append(Hunk(hunk.old_start, hunk.new_start, hunk.rows[:room]))
        room -= len(hunk.rows)
    return tuple(found)


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """(begin, end) in the old lines and in the new ones of each part that differs."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    old_end, new_end = len(old) - tail, len(new) - tail
    if head == old_end and head == new_end:
        return
    if max(old_end, new_end) - head > _MOST_COMPARED:
        yield head, old_end, head, new_end
        return
    matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=old_end - head > _OFTEN)
    for kind, *places in matcher.get_opcodes():
        if kind != "equal":
            begin, end, new_begin, new_end_at = (head + place for place in places)
            yield begin, end, new_begin, new_end_at


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[tuple[int, int, int, int]], context: int) -> Hunk:
    first = max(0, group[0][0] - context)
    rows: list[Row] = []
    at = first
    for begin, end, new_begin, new_end in group:
        rows += ((KEPT, line) for line in old[at:begin])
        rows += ((REMOVED, line) for line in old[begin:end])
        rows += ((ADDED, line) for line in new[new_begin:new_end])
        at = end
    rows += ((KEPT, line) for line in old[at : at + context])
    return Hunk(first + 1, group[0][2] - (group[0][0] - first) + 1, tuple(rows))
