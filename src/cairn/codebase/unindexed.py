"""Files that the index leaves out for what they are, kept for whoever looks for a file: one list a snapshot.

What a rule ignores is foreign or generated, and nobody misses it. A file that is too large, or no text, is the
project's own: whoever doesn't find it among the others must not think that it isn't there.
"""

import threading
from collections.abc import Mapping

from cairn.base.values import dataclass
from cairn.codebase import upkeep
from cairn.codebase.codebase import Codebase
from cairn.codebase.paths import SnapshotPaths
from cairn.workspace.detector import ChangeDetector
from cairn.workspace.eligibility import SkipReason

_MOST_KEPT = 16


@dataclass(frozen=True, slots=True)
class Unindexed:
    """The files that lay beside those of one snapshot, and why each is not among them."""

    paths: SnapshotPaths
    reasons: Mapping[str, str]


class UnindexedKept:
    """Those of some codebases; from any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._looking: dict[str, threading.Lock] = {}
        self._kept: dict[str, Unindexed] = {}

    def of(self, codebase: Codebase, snapshot: str) -> Unindexed:
        """Those beside a snapshot, which is another one as soon as any of their numbers is."""
        root = codebase.root_path
        with self._guard:
            looking = self._looking.setdefault(root, threading.Lock())
        # Folders are asked for one after the other, and the tree is walked once for all of them.
        with looking:
            kept = self._kept.get(root)
            if kept is None or kept.paths.snapshot != snapshot:
                reasons = _left_out(codebase)
                kept = Unindexed(SnapshotPaths(snapshot, reasons), reasons)
        with self._guard:
            self._kept.pop(root, None)
            self._kept[root] = kept
            for former in [*self._kept][:-_MOST_KEPT]:
                del self._kept[former]
        return kept


def _left_out(codebase: Codebase) -> dict[str, str]:
    """Every file that no rule ignores and that is left out all the same, with the reason."""
    with ChangeDetector(codebase.root, shared=codebase.shared_store is not None, hashing=False) as detector:
        # What an index has learnt of the tree need not be read again.
        upkeep.recall(codebase.store().layout, detector)
        skips = detector.detect().scan.skips
    return {
        skip.path: skip.reason.value
        for skip in skips
        if skip.reason is not SkipReason.IGNORED and not skip.path.endswith("/")
    }
