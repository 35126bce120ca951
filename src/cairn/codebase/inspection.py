"""What the store of a codebase says of itself: its health, its counts, what the snapshot holds, and which are kept."""

import contextlib
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cairn.base.errors import CorruptStoreError
from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.codebase.controls import check_controls
from cairn.codebase.standing import tree_since
from cairn.config.user import cairn_home
from cairn.engines import whereabouts
from cairn.store import FileRow, Manifest, SnapshotView
from cairn.store.audit import Drift, audit
from cairn.store.health import HealthCheck, Level, check_store
from cairn.store.lease import read_lease
from cairn.store.readers import reading
from cairn.store.recovery import newest_first, read_pointer

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase

__all__ = [
    "Drift",
    "HealthCheck",
    "Level",
    "SnapshotState",
    "audit_of",
    "health_of",
    "kept_snapshots",
    "state_of",
]


@dataclass(frozen=True, slots=True)
class SnapshotState:
    """The active snapshot, beside the tree as it is now and whoever is writing."""

    manifest: Manifest
    recovered: str
    """Why an older snapshot answers; empty where the active one does."""
    writing: bool
    by_lines: int
    """How many files were cut by lines, though there is a grammar for them."""
    semantic: Mapping[str, int]
    """How many live files have semantic facts, and how many of those were edited since."""
    tree: Mapping[str, int] | None
    """How many files are new, changed or deleted since; None where that could not be seen."""
    notes: tuple[Note, ...]
    engine: str
    address: str | None
    has_edits: bool


def state_of(codebase: "Codebase") -> SnapshotState:
    """Look at the snapshot of a codebase, whatever state that is in."""
    from cairn.syntax.grammar import grammars

    with codebase.open_view() as view:
        layout = codebase.store().layout
        lease = read_lease(layout)
        parsed = grammars()
        live = {file.path_key: file for file in view.files()}
        tree, notes = tree_since(codebase, view)
        engine = codebase.identity.engine
        return SnapshotState(
            view.manifest,
            view.recovered,
            lease is not None and not lease.is_free(time.time_ns()),
            sum(1 for file in live.values() if file.language in parsed and not file.interface_hash),
            _semantic(view, live),
            tree,
            notes,
            engine,
            whereabouts(engine, layout.path),
            os.path.isdir(os.path.join(layout.path, "edits")),
        )


def health_of(codebase: "Codebase") -> list[HealthCheck]:
    """Everything in the store, checked without trusting a cache."""
    _require_settings(codebase)
    store = codebase.store()
    # First, since whoever looks for the snapshot replaces what lies in the place of its stamps.
    checks = [*check_store(store.layout), *check_controls(cairn_home(), store.layout)]
    with contextlib.suppress(CorruptStoreError):
        # Another tree's store may be sound and is still not ours; what is corrupt the checks say.
        store.active()
    return checks


def audit_of(codebase: "Codebase") -> tuple[Manifest, tuple[Drift, ...]]:
    """The active snapshot, and where the counts of its manifest differ from the data."""
    _require_settings(codebase)
    with codebase.open_view() as view:
        return view.manifest, tuple(audit(view))


def kept_snapshots(codebase: "Codebase") -> tuple[str | None, list[Manifest]]:
    """The id of the active snapshot, and all that are kept, the newest first."""
    codebase.require_readable()
    layout = codebase.store().layout
    with reading(layout):
        return read_pointer(layout), list(newest_first(layout))


def _require_settings(codebase: "Codebase") -> None:
    """A store of other settings is not the one that was meant."""
    if codebase.tracking is not None:
        codebase.tracking.require_settings()


def _semantic(view: SnapshotView, live: Mapping[str, FileRow]) -> dict[str, int]:
    held = [
        (file.content_hash, live[file.path].file_hash)
        for ref in view.semantics
        if (facts := view.semantic(ref.context)) is not None
        for file in facts.files()
        if file.path in live
    ]
    dirty = sum(1 for recorded, now in held if recorded != now)
    left_out = sum(len(facts.left_out()) for ref in view.semantics if (facts := view.semantic(ref.context)) is not None)
    return {"contexts": len(view.semantics), "files": len(held), "dirty": dirty, "left_out": left_out}
