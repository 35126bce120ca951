"""Which lines of a text match an expression: by the native core, whose engine never backtracks.

The reference is `cairn.search.lines.matching_lines`, which asks Python's engine.
"""

from typing import Protocol

from cairn.kernel.core import core


class LineSearch(Protocol):
    """An expression over ASCII that is looked for line by line."""

    def lines(self, text: bytes, most: int) -> list[tuple[int, int, int, int, int]]:
        """(number from 0, start, end, start and end of the match within) of the first matching lines, in order.

        Lines that are no ASCII come along undecided, with -1 for the match.
        """


def line_search(expression: str, needle: bytes) -> LineSearch | None:
    """The search for an expression; lines beyond ASCII match only where they hold the needle.

    None without the native core, without an expression, and for one that would take too much memory.
    """
    native = core()
    if native is None or not expression:
        return None
    try:
        found: LineSearch = native.LineSearch(expression, needle)
    except ValueError:
        return None
    return found
