"""A line of progress on a terminal, and nothing of it anywhere else."""

import sys
import time
from typing import Self, TextIO

_EVERY_S = 0.1


class ProgressLine:
    """Counts on standard error while work goes on; wipes itself away at the end."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self.label = label
        # Standard error may be closed.
        self.stream: TextIO | None = sys.stderr if stream is None else stream
        self.live = self.stream is not None and self.stream.isatty()
        self._next = time.monotonic() + _EVERY_S
        self._shown = False

    def __call__(self, count: int) -> None:
        if self.stream is None or not self.live or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY_S
        self._shown = True
        self.stream.write(f"\r\x1b[K{self.label} {count:,} files")
        self.stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream is not None and self._shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
