"""A line of progress on a terminal; elsewhere one line at most, where a folder is indexed for the first time."""

import contextlib
import threading
import time
from typing import TYPE_CHECKING, Self, TextIO

from cairn.base.text import plural, printable

if TYPE_CHECKING:
    from cairn.indexing.progress import SyncStep

_EVERY_S = 0.1
_BAR = 30
_PATIENCE_S = 3.0
"""So long nobody wonders whether a command in a pipe hangs."""


class ProgressLine:
    """Counts on standard error while work goes on; wipes itself away at the end."""

    def __init__(self, label: str, stream: TextIO | None) -> None:
        self.label = label
        # Standard error may be closed.
        self.stream = stream
        self.live = self.stream is not None and self.stream.isatty()
        self._next = time.monotonic() + _EVERY_S
        self._shown = False

    def __call__(self, count: int) -> None:
        self.show(f"{self.label} {plural(count, 'file')}")

    def show(self, text: str, *, now: bool = False) -> None:
        """Show a text, but not more often than can be read; with `now` in any case."""
        if self.stream is None or not self.live or (not now and time.monotonic() < self._next):
            return
        self._next = time.monotonic() + _EVERY_S
        self._shown = True
        self.stream.write(f"\r\x1b[K{text}")
        self.stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream is not None and self._shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


class SyncProgress(ProgressLine):
    """A bar by bytes, with files beside it; only a published sync is at its end."""

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__("indexing", stream)
        self._files = 0
        self._word: threading.Timer | None = None

    def __call__(self, step: "int | SyncStep") -> None:
        if isinstance(step, int):
            return super().__call__(step)
        self._files = step.total_files
        if step.new_root and not self.live and self.stream is not None:
            self._word = threading.Timer(_PATIENCE_S, self._say_what_takes_long, (step.new_root,))
            self._word.daemon = True
            self._word.start()
        if step.stage == "looking":
            return self.show("looking at the tree")
        share = step.share
        bar = "━" * int(share * _BAR) + " " * (_BAR - int(share * _BAR))
        what = "publishing" if step.stage == "publishing" else "indexing"
        text = f"{what:<10} {bar} {share * 100:3.0f} %  {step.files:,} of {plural(step.total_files, 'file')}"
        return self.show(text, now=step.stage == "publishing")

    def __exit__(self, *raised: object) -> None:
        if self._word is not None:
            self._word.cancel()
        super().__exit__(*raised)

    def _say_what_takes_long(self, root: str) -> None:
        files = f" ({plural(self._files, 'file')})" if self._files else ""
        with contextlib.suppress(OSError, ValueError):
            assert self.stream is not None
            self.stream.write(f"indexing {printable(root)}, which has no index yet{files} ...\n")
            self.stream.flush()
