"""Where somebody stands: the codebase around a folder, its state and how old its snapshot is. It only looks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cairn.base.errors import CairnError, ConfigError
from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.codebase.codebase import Codebase
from cairn.lifecycle.envelopes import message_of
from cairn.lifecycle.states import State

if TYPE_CHECKING:
    from cairn.store import SnapshotView

NO_CODEBASE, MISCONFIGURED, DAMAGED, INDEXED = "no_codebase", "misconfigured", "damaged", "indexed"
MOST_FILES = 10_000
"""Up to so many files the tree is looked through: nobody waits for longer than a moment."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A folder, and the index of the codebase that it is in."""

    root: str
    """The codebase; the folder itself where there is none."""
    state: str
    """`indexed`, `indexfailed`, a reason of the gates, or one of those above."""
    message: str = ""
    """Why nothing can be asked, or what is wrong with what answers."""
    snapshot_id: str = ""
    created_at: str = ""
    files: int = 0
    tree: Mapping[str, int] | None = None
    """How many files are new, changed or deleted since; None where that was not looked at."""


def standing_of(path: str, shared_store: str | None = None) -> Standing:
    """Look around a folder; no state of a codebase is an error."""
    try:
        codebase = Codebase(path, shared_store=shared_store)
    except CairnError as error:
        return Standing(path, MISCONFIGURED if isinstance(error, ConfigError) else NO_CODEBASE, error.message)
    with codebase:
        try:
            return _of(codebase)
        except CairnError as error:
            return Standing(codebase.root_path, DAMAGED, error.message)


def _of(codebase: Codebase) -> Standing:
    verdict = codebase.verdict()
    root = codebase.root_path
    if verdict.reason is not None:
        if verdict.probe_failed:
            # What kept the probe from looking is the better answer than that nothing was found.
            with codebase.open_view():
                pass
        failed = verdict.facts.state is State.INDEXFAILED
        return Standing(root, str(State.INDEXFAILED if failed else verdict.reason), message_of(verdict))
    with codebase.open_view() as view:
        manifest = view.manifest
        files = manifest.counts.files_live
        tree = tree_since(codebase, view)[0] if files <= MOST_FILES else None
        wrong = view.recovered or (verdict.failure.message if verdict.failure is not None else "")
        state = DAMAGED if view.recovered else INDEXED
        return Standing(root, state, wrong, manifest.snapshot_id, manifest.created_at, files, tree)


def tree_since(codebase: Codebase, view: "SnapshotView") -> tuple[dict[str, int] | None, tuple[Note, ...]]:
    """How many files are new, changed or deleted since a snapshot; None, and why, where that can't be seen."""
    from cairn.indexing.look import look

    try:
        changes = look(view, codebase.detector, verify=False).detection.changes
    except (CairnError, OSError) as error:
        return None, (Note("tree_unseen", {"message": str(error)}),)
    moved = len(changes.rename)
    return {
        "new": len(changes.add) + moved,
        "changed": len(changes.modify),
        "deleted": len(changes.delete) + moved,
    }, ()
