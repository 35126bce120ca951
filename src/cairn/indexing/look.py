"""The tree as it is, held against what a snapshot shows of it."""

from collections.abc import Mapping

from cairn.base.errors import PublishRefusedError, TreeMovedError
from cairn.base.garbage import without_collections
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.indexing.progress import Progress, SyncStep, nobody
from cairn.store import GitInfo, Manifest, SnapshotView
from cairn.workspace.detector import Baseline, ChangeDetector, Detection
from cairn.workspace.entries import TreeSummary, require_no_collisions
from cairn.workspace.touched import asked_of

HISTORY = "history"
"""The signal without which no history is kept."""
UNREAD = "+"
"""Stands behind what a history was asked for that git didn't tell all of: whoever makes a snapshot asks again."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a snapshot knows, and the tree held against it."""

    known: Mapping[str, tuple[str, int]]
    """Hash and chunks of files by path."""
    detection: Detection

    @property
    def shares_little(self) -> bool:
        """Whether building on the snapshot would carry along more that is dead than what it spares."""
        changes = self.detection.changes
        return 2 * (len(changes.modify) + len(changes.delete) + len(changes.rename)) > len(self.known)


def look(view: SnapshotView | None, detector: ChangeDetector, progress: Progress = nobody, *, verify: bool) -> Looked:
    """The tree as it is, beside what a view shows of it."""
    progress(SyncStep("looking"))
    settings = detector.config.index
    head = view.manifest.git.head_sha if view is not None else None
    with without_collections():
        known = _known(view)
        baseline = Baseline({path: file_hash for path, (file_hash, _) in known.items()}, head)
        detection = detector.detect(baseline, verify=verify)
    if detection.config.index != settings:
        # The store's name holds the fingerprint of the settings: others belong into another store.
        raise TreeMovedError(".cairn.toml was changed while the index was brought up to date.")
    require_no_collisions(detection.scan, detection.config.index)
    return Looked(known, detection)


def look_in(view: SnapshotView, detector: ChangeDetector, moved: Mapping[str, int]) -> Looked | None:
    """The same where nothing but some files can have changed; None where a walk has to tell."""
    manifest = view.manifest
    if manifest.errors:
        return None
    with without_collections():
        known = _known(view)
        baseline = Baseline({path: file_hash for path, (file_hash, _) in known.items()}, manifest.git.head_sha)
        tree = TreeSummary(
            frozenset(known),
            manifest.ignore_fingerprint,
            manifest.skipped,
            manifest.aliases,
            unread=manifest.unread,
        )
        detection = detector.detect_in(moved, baseline, tree, bool(manifest.git.dirty))
    return Looked(known, detection) if detection is not None else None


def history_asked(detector: ChangeDetector, head: str | None) -> str:
    """What a snapshot's history is to be of; empty where it is to have none."""
    if detector.git is None or head is None or HISTORY in detector.config.query.signals_off:
        return ""
    return asked_of(detector.git, head)


def history_is_due(parent: Manifest, detector: ChangeDetector, head: str | None, *, insists: bool) -> bool:
    """Whether a snapshot has another history than it is to have; one that git didn't tell all of for who `insists`."""
    asked = history_asked(detector, head)
    return parent.history_of != asked and (insists or parent.history_of != asked + UNREAD)


def worth_a_snapshot(
    parent: Manifest, detection: Detection, detector: ChangeDetector, *, insists: bool = False
) -> bool:
    """Whether anything that a snapshot tells would be different."""
    tree, info = detection.tree, git_info(detection)
    return bool(
        detection.changes
        or parent.ignore_fingerprint != tree.ignore_fingerprint
        or parent.git != info
        or parent.skipped != tree.skipped
        or parent.aliases != tree.aliases
        or parent.unread != tree.unread
        or parent.errors
        or tree.failures
        or history_is_due(parent, detector, info.head_sha, insists=insists)
    )


def git_info(detection: Detection) -> GitInfo:
    """What a snapshot tells of the state of git."""
    state = detection.git
    if state is None:
        return GitInfo(None, False, True)
    return GitInfo(state.head, state.dirty, state.untracked_included)


def _known(view: SnapshotView | None) -> Mapping[str, tuple[str, int]]:
    """What the view shows, by path."""
    files = list(view.rows.contents()) if view is not None else []
    known = {path: (file_hash, chunks) for path, file_hash, chunks in files}
    if len(known) != len(files):
        raise PublishRefusedError(
            "The active snapshot shows a file twice, so nothing is built on it.", hint=Advice(NextStep("reindex"), ".")
        )
    return known
