"""When a stamp can stand for a file's content.

Time stamps come from a clock that ticks every few milliseconds on common file systems and every
two seconds on the coarsest, which show no fraction of a second. A file that changes again within
the tick of its last change keeps its stamp, so a young stamp proves nothing.
"""

import os
from collections.abc import Mapping

from cairn.base.values import dataclass
from cairn.workspace.reads import Stamp


@dataclass(frozen=True, slots=True)
class TreeStamps:
    """The stamps of one walk. While those in `fixed` are unchanged, only the content of files can have changed."""

    fixed: Mapping[str, Stamp]
    """Folders and ignore files."""
    files: dict[str, Stamp | None]

    def stands(self, fd: int) -> bool:
        """Whether a walk from the root `fd` would find the same folders with the same names in them."""
        return not _moved(fd, self.fixed, first=True)

    def changed(self, fd: int) -> list[str]:
        """Files whose stamps changed, or are too young to prove anything."""
        return _moved(fd, self.files)


def _moved(fd: int, stamps: Mapping[str, Stamp | None], *, first: bool = False) -> list[str]:
    stat = os.stat
    moved = []
    for raw, stamp in stamps.items():
        try:
            found = stat(raw or ".", dir_fd=fd, follow_symlinks=False)
            if stamp == (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino):
                continue
        except OSError:
            pass  # The caller takes a closer look.
        moved.append(raw)
        if first:
            break
    return moved


FINE_TICK_NS = 100_000_000
COARSE_TICK_NS = 2_000_000_000


def trusted(stamp: Stamp, now_ns: int) -> Stamp | None:
    """The stamp, if a change after `now_ns` is bound to give another one; None otherwise."""
    newest = max(stamp[0], stamp[1])
    tick = FINE_TICK_NS if newest % 1_000_000_000 else COARSE_TICK_NS
    return stamp if newest + tick < now_ns else None
