"""Which lines of a text stand in a later text: pure, from four bytes of each line of the earlier one.

Lines at both ends that are the same stand; between them, lines that are there once in both texts and in the same order
(the longest such row), and what is the same next to these. A line that is there more than once and next to none of
these is taken for another: nothing is said of it.
"""

import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise


def line_marks(text: bytes) -> bytes:
    """Four bytes of each line, by which it is known again; lines end with a line feed."""
    marks = list(map(zlib.crc32, text.split(b"\n")))
    return struct.pack(f"<{len(marks)}I", *marks)


def standing_lines(marks: bytes, text: bytes) -> dict[int, int]:
    """Where lines of an earlier text, by their marks, stand in a text now: numbers from 1, both rising."""
    then, now = struct.unpack(f"<{len(marks) // 4}I", marks), list(map(zlib.crc32, text.split(b"\n")))
    return {before + 1: after + 1 for before, after in standing(then, now)}


def standing(then: Sequence[int], now: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of places at which two rows have the same, in order: each place once, and both sides rising."""
    found: list[tuple[int, int]] = []
    todo = [(0, len(then), 0, len(now))]
    while todo:
        low, high, start, stop = todo.pop()
        while low < high and start < stop and then[low] == now[start]:
            found.append((low, start))
            low, start = low + 1, start + 1
        while low < high and start < stop and then[high - 1] == now[stop - 1]:
            high, stop = high - 1, stop - 1
            found.append((high, stop))
        anchors = _anchors(then, now, range(low, high), range(start, stop))
        found += anchors
        edges = [(low - 1, start - 1), *anchors, (high, stop)]
        if anchors:
            todo += [(a + 1, b, c + 1, d) for (a, c), (b, d) in pairwise(edges)]
    return sorted(found)


def _anchors(then: Sequence[int], now: Sequence[int], old: range, new: range) -> list[tuple[int, int]]:
    """What stands once in both parts, as much of it as is in the same order."""
    before, after = Counter(then[at] for at in old), Counter(now[at] for at in new)
    places = {now[at]: at for at in new if after[now[at]] == 1}
    pairs = [(at, places[then[at]]) for at in old if before[then[at]] == 1 and then[at] in places]
    # The longest rising row of the second places, by the best end of a row of each length.
    ends: list[int] = []
    length: list[int] = []
    for _, place in pairs:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
        length.append(at)
    row: list[tuple[int, int]] = []
    # The last place before one that ends a row is the end of the row that it was added to.
    for pair, at in zip(reversed(pairs), reversed(length), strict=True):
        if at == len(ends) - 1 - len(row):
            row.append(pair)
    return row[::-1]
