"""Repair: what is damaged is made anew from the tree; what is whole stays."""

from cairn.base.errors import CorruptStoreError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural
from cairn.base.values import dataclass, replace
from cairn.embed.cached import CachedEmbedder
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.indexing.writing import sync_under
from cairn.store import Store, breaker
from cairn.store.audit import audit
from cairn.store.damage import Damage, assess
from cairn.store.log import record
from cairn.store.strangers import set_strangers_aside
from cairn.workspace.detector import ChangeDetector


@dataclass(frozen=True, slots=True)
class RepairResult:
    """What was wrong and what was done; `reindex_required` when nothing could be built on."""

    damage: Damage
    actions: tuple[str, ...]
    reindex_required: bool = False
    sync: SyncResult | None = None


def repair(store: Store, detector: ChangeDetector, embedder: CachedEmbedder, *, wait_s: float = 30.0) -> RepairResult:
    """Mend a store under the writer lease and verify the outcome."""
    breaker.ask_again(store.layout)
    # Before the lease: a lock that is no file of the store's own can't be taken.
    aside = tuple(f"set {name} aside" for name in set_strangers_aside(store.layout))
    with store.writer(wait_s=wait_s) as lease:
        damage = assess(store.layout)
        if not damage:
            with store.view() as view:
                drifts = audit(view)
            # Counts that don't hold are no damage to a file: nobody can tell which of the two is right.
            reasons = tuple(f"{drift.code}: {drift.message}" for drift in drifts)
            return RepairResult(replace(damage, reasons=reasons), aside, reindex_required=bool(drifts))
        if damage.base is None:
            return RepairResult(damage, aside, reindex_required=True)
        actions = list(aside)
        if damage.pointer:
            store.point_to(lease, damage.base)
            actions.append(f"pointed ACTIVE_SNAPSHOT to {damage.base.snapshot_id}")
        leave_out = frozenset((*(f"segments/{name}" for name in damage.segments), *damage.lines))
        result = sync_under(lease, store, detector, embedder, SyncOptions(leave_out=leave_out))
        lost = [ref for ref in damage.base.semantics if ref.segment_id in damage.segments]
        commits = damage.base.history
        if len(damage.segments) > len(lost) or any(name != (commits and commits.path) for name in damage.lines):
            rebuilt = len(damage.segments) - len(lost)
            actions.append(f"rebuilt {plural(result.indexed, 'file')} of {plural(rebuilt, 'damaged segment')}")
        noted = {note.code: note.fields for note in result.notes}
        if "history_mended" in noted:
            actions.append("read the history of commits anew")
        if "history_unread" in noted:
            actions.append(f"left out the history of commits: {noted['history_unread']['message']}")
        if not noted and commits is not None and commits.path in damage.lines:
            actions.append("dropped the history of commits, which the settings leave out")
        if lost:
            names = ", ".join(sorted(ref.context for ref in lost))
            actions.append(
                Advice(f"dropped the semantic facts of {names}: ", NextStep("refresh"), " to make them anew")
            )
        if assess(store.layout):
            raise CorruptStoreError(
                "The store is still damaged after the repair.", hint=Advice(NextStep("reindex"), ".")
            )
    record(store.layout, "repair", store.identity.canonical_root, indexed=result.indexed, segments=len(damage.segments))
    return RepairResult(damage, tuple(actions), sync=result)
