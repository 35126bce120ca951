"""How far a sync has come, as whoever watches it is told."""

from collections.abc import Callable
from typing import Literal

from cairn.base.values import dataclass

_PHASES = {"looking": (0.0, 0.05), "indexing": (0.05, 0.9), "publishing": (0.9, 1.0)}


@dataclass(frozen=True, slots=True)
class SyncStep:
    """How far a sync has come; only a published one is complete."""

    stage: Literal["looking", "indexing", "publishing"]
    files: int = 0
    total_files: int = 0
    done_bytes: int = 0
    total_bytes: int = 0
    new_root: str = ""
    """The root, where it has no index yet."""

    @property
    def share(self) -> float:
        """How much of the whole run is done, from 0 to 1; the phases are weighed by the time that they usually take."""
        begins, ends = _PHASES[self.stage]
        done = self.done_bytes / self.total_bytes if self.total_bytes else 1.0
        return begins if self.stage != "indexing" else begins + (ends - begins) * min(done, 1.0)


Progress = Callable[[SyncStep], None]


def nobody(_: SyncStep) -> None:
    """Progress that nobody watches."""
