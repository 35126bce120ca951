"""When a stamp can stand for a file's content.

Time stamps come from a clock that ticks every few milliseconds on common file systems and every
two seconds on the coarsest, which show no fraction of a second. A file that changes again within
the tick of its last change keeps its stamp, so a young stamp proves nothing.
"""

from cairn.workspace.reads import Stamp

FINE_TICK_NS = 100_000_000
COARSE_TICK_NS = 2_000_000_000


def trusted(stamp: Stamp, now_ns: int) -> Stamp | None:
    """The stamp, if a change after `now_ns` is bound to give another one; None otherwise."""
    newest = max(stamp[0], stamp[1])
    tick = FINE_TICK_NS if newest % 1_000_000_000 else COARSE_TICK_NS
    return stamp if newest + tick < now_ns else None
