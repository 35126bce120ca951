"""Where a daemon's questions are asked: codebases come from its pool, and syncs are shared by all who wait."""

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cairn.base import deadline
from cairn.base.errors import CairnError, ExitCode
from cairn.codebase.pool import handles_are_scarce
from cairn.daemon.admission import scarce
from cairn.daemon.client import ElsewhereError
from cairn.daemon.syncs import Brought, DaemonState

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.progress import Progress

READ_MODE = f"through the daemon (process {os.getpid()}): each request pins its snapshot by the readers' lock"


class HouseHost:
    """The host of one request; `leaves` to the user's process what only that can do, otherwise the gates answer."""

    def __init__(self, house: DaemonState, folder: str = "/", *, leaves: bool = False) -> None:
        self._house = house
        self._folder = folder
        self._leaves = leaves

    def at(self, path: str) -> str:
        """A path as it is meant from the folder of the request."""
        return os.path.join(self._folder, path)

    def read_mode(self, *, asked_for: bool) -> str:
        """How stores are read here, in words."""
        return READ_MODE

    def progress(self) -> "contextlib.AbstractContextManager[Progress | None]":
        """Nobody watches."""
        return contextlib.nullcontext()

    def opened(self, path: str, shared_store: str | None = None) -> "contextlib.AbstractContextManager[Codebase]":
        """A codebase of the pool."""
        if shared_store is not None:
            raise ElsewhereError("a shared store is asked directly")
        return self._house.pool.using(self.at(path))

    def brought(self, codebase: "Codebase", sync: "Callable[[Codebase], Brought]") -> Brought:
        """Take part in the one sync of a codebase that is under way, or begin it."""
        root = codebase.root_path
        if not self._house.is_searchable(root):
            if self._leaves:
                raise ElsewhereError(f"{root} is not indexed")
            return False, []

        def work() -> Brought:
            # In a thread of its own, and for all who wait: neither their deadlines nor their absence ends it.
            with self.inside(), self._house.pool.using(root, syncs=True) as own:
                return sync(own)

        bounds = deadline.current()
        with self._house.admission.resting():
            return bounds.result_of(self._house.syncs.join(root, work))

    def inside(self) -> contextlib.AbstractContextManager[None]:
        """The surroundings that a sync runs in."""
        return contextlib.nullcontext()


@contextlib.contextmanager
def scarcity_reported() -> Iterator[None]:
    """What fails for want of descriptors, which only the daemon lacks, is told as that, whatever it looked like."""
    try:
        yield
    except Exception as error:
        ours = not isinstance(error, CairnError) or error.exit_code in (ExitCode.INTERNAL, ExitCode.CORRUPT)
        if ours and handles_are_scarce():
            raise scarce() from error
        raise
