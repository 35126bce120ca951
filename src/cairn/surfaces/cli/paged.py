"""A console that gathers what a command says, for a terminal that may get it through a pager."""

import sys
from typing import TYPE_CHECKING, TextIO, cast

from cairn.surfaces.cli.console import Console

if TYPE_CHECKING:
    from cairn.surfaces.cli.presented import Said


class _Stream:
    """As much of a text stream as commands use."""

    def __init__(self, kind: str, target: TextIO, said: "Said") -> None:
        self.encoding = target.encoding
        self.isatty = target.isatty
        self._kind = kind
        self._target = target
        self._said = said

    def write(self, text: str) -> int:
        if self._kind == "err" and text.startswith("\r"):
            # Progress is of use now or never.
            return self._target.write(text)
        self._said.append((self._kind, text))
        return len(text)

    def flush(self) -> None:
        self._target.flush()


class PagedConsole(Console):
    """The surroundings of this process, but for what is printed: that is in `said`."""

    def __init__(self) -> None:
        super().__init__()
        self.said: Said = []

    @property
    def out(self) -> TextIO | None:
        """Standard output; None where there is none."""
        return cast("TextIO", _Stream("out", sys.stdout, self.said)) if sys.stdout is not None else None

    @property
    def err(self) -> TextIO | None:
        """Standard error; None where there is none."""
        return cast("TextIO", _Stream("err", sys.stderr, self.said)) if sys.stderr is not None else None
