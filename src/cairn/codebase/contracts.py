"""What other parts need of a codebase, so that they don't import the whole of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from cairn.codebase.answers import Now
    from cairn.codebase.treenames import TreeNames
    from cairn.indexing.options import SyncOptions, SyncResult
    from cairn.store import SnapshotView, Store
    from cairn.workspace.detector import ChangeDetector


class ReadableCodebase(Protocol):
    """A codebase whose index and tree can be read."""

    naming: TreeNames

    @property
    def root_path(self) -> str:
        """The folder that the codebase is."""

    def store(self) -> Store:
        """The codebase's store; NotIndexedError where there is none."""

    def view(self) -> SnapshotView:
        """The active snapshot, for one question."""

    def now(self) -> Now:
        """The tree as it is, for one question."""


class StudiedCodebase(ReadableCodebase, Protocol):
    """A codebase that is asked about the structure of its code."""

    detector: ChangeDetector

    def eligible(self) -> frozenset[str]:
        """The files that a sync would take in."""


class RefreshableCodebase(ReadableCodebase, Protocol):
    """A codebase whose index can be brought up to date."""

    detector: ChangeDetector

    def index(self, options: SyncOptions | None = None, *, create: bool = True) -> SyncResult:
        """Create the index or bring it up to date; without `create` only the latter."""
