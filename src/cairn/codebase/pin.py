"""The snapshot that one question holds, from its first look at the store to its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.base.values import dataclass

if TYPE_CHECKING:
    from cairn.lifecycle.gates import Verdict
    from cairn.store import SnapshotView


@dataclass(frozen=True, slots=True)
class Pinned:
    """What the gates say of a codebase, and the snapshot that they were asked about."""

    verdict: Verdict
    view: SnapshotView | None = None
    """None while a run is under way, and where no snapshot could be opened."""
    failure: Exception | None = None
    """Why none could be opened."""

    def close(self) -> None:
        """Let go of the snapshot."""
        if self.view is not None:
            self.view.close()


class Pin:
    """At most one view, handed from one part of a question to the next."""

    def __init__(self) -> None:
        self._view: SnapshotView | None = None
        self._admitted = False
        self.wanted = False
        """Whether a question has begun that would go on with what its sync looked at."""

    def hold(self, view: SnapshotView, *, admitted: bool) -> None:
        """Keep a view for whoever asks next; `admitted` when it has passed the gates."""
        self._view, self._admitted = view, admitted

    def taken(self, *, admitted: bool = False) -> SnapshotView | None:
        """The view, which is its taker's from now on; None where there is none, or it has yet to pass the gates."""
        if admitted and not self._admitted:
            return None
        view, self._view, self._admitted = self._view, None, False
        return view

    def release(self) -> None:
        """Let go of the view, as every question does in the end."""
        self.wanted = False
        if (view := self.taken()) is not None:
            view.close()
