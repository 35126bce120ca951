"""What a sync is asked for, and what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.base.values import dataclass

if TYPE_CHECKING:
    from cairn.base.notes import Note
    from cairn.store import Manifest
    from cairn.store.seed import Origin
    from cairn.workspace.detector import Detection

WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How a sync is to be done."""

    reindex: bool = False
    verify: bool = False
    walks: bool = False
    """Walk the tree even where it is watched and no event has come."""
    tells: bool = False
    """Tell what one should know of the tree as a whole; what a walk found stays true until another is needed."""
    allow_degraded: bool = False
    wait_s: float = WAIT_S
    spares: bool = False
    """Don't ask a server of vectors that gave no answer a moment ago: a question does without, and says so."""
    leave_out: frozenset[str] = frozenset()
    """Damaged artifacts to do without: what they held is made anew from the tree."""
    arrived: str = ""
    """A store with a snapshot from elsewhere to build on, whatever is there: see `team.arrival`."""

    @property
    def shares(self) -> bool:
        """Whether the sync of another process would do as well."""
        special = self.reindex or self.verify or self.walks or self.tells or self.allow_degraded
        return not (special or self.leave_out or self.arrived)

    @property
    def cause(self) -> str:
        """The cause that the snapshot will name."""
        if self.reindex:
            return "reindex"
        return "repair" if self.leave_out else "sync"


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync did; `published` is False when the active snapshot already told the truth."""

    manifest: Manifest
    looked: Detection | None
    """What the look at the tree found; None where it is proven that it would have found no change."""
    published: bool
    indexed: int = 0
    deleted: int = 0
    embedded: int = 0
    by_lines: tuple[str, ...] = ()
    """Files that no grammar could bear, so that they were cut by lines."""
    origin: Origin | None = None
    """The sibling's snapshot that a first one was built on."""
    tree_notes: tuple[Note, ...] = ()
    """What one should know of the tree, for a sync that was to tell."""
    notes: tuple[Note, ...] = ()
    """Why it was not built on a better one."""
    shared: bool = False
    """Whether another process looked at the tree in place of this one."""

    @property
    def detection(self) -> Detection:
        """What the look at the tree found, for a sync that was to `walk`."""
        if self.looked is None:
            raise ValueError("nobody looked at the tree")
        return self.looked
