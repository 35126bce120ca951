"""Moving an index from one vector engine to another: everything is copied, and nothing is embedded again.

The former store answers until the whole copy is published and the registry names it, which is one step: whoever dies
or loses a server on the way has changed nothing, and the next attempt begins with the same source.
"""

from collections.abc import Callable

from cairn.base.errors import NotIndexedError, ProbeFailedError, UsageError
from cairn.base.steps import Advice, NextStep
from cairn.codebase.tracking import Tracking
from cairn.config.project import ENGINES
from cairn.edit.journal import copy_edits, unchanging_edits
from cairn.engines import lies_outside, require_here, require_usable
from cairn.engines.settings import address_of
from cairn.indexing.terms import terms_of
from cairn.semantic.control import copy_control
from cairn.store import Identity, Manifest, Store, Transaction, TreeFacts
from cairn.store.history import encode
from cairn.store.log import record
from cairn.store.store import store_path

_WAIT_S = 30.0
_FILES_A_LOOK = 100


def migrate(
    home: str, tracking: Tracking, identity: Identity, identity_with: Callable[[str], Identity], to: str
) -> Manifest | None:
    """Copy the index that differs in its engine alone; None where the index is in this engine already.

    The engine is that of the settings: a store that they don't lead to would answer nobody.
    """
    if identity.engine != to:
        raise UsageError(
            f"The settings name the engine {identity.engine}, not {to}.",
            hint=f'Put engine = "{to}" under [index] in .cairn.toml or config.toml, then try again.',
        )
    require_usable(to)
    tracking.require_idle()
    if tracking.proof().is_valid and tracking.verdict().passes:
        _require_there(Store.open(home, identity))
        return None
    row = tracking.row()
    source = _source(home, identity_with, to, row.store_id if row is not None else "")
    with unchanging_edits(source.layout, source.identity.engine):
        _require_vectors(source)
        # A server that is away is found out before anything is made. Lite lies in the store, which may not be there.
        outside = lies_outside(to, store_path(home, identity.store_id)) if address_of(to) else None
        if outside is not None:
            outside.held()
        manifest = copy(source, Store.create(home, identity))
        tracking.moved(manifest)
    return manifest


def copy(source: Store, target: Store) -> Manifest:
    """Publish in one store what another shows, row for row and vector for vector, with its facts and its decisions."""

    def copy_the_rest() -> None:
        copy_control(source.layout, target.layout)
        copy_edits(source.layout, target.layout)

    with source.view(fresh=True) as view, target.writer(wait_s=_WAIT_S) as lease:
        former = view.manifest
        transaction = Transaction(
            target.layout, target.identity, None, {}, cause="migrate", txn_id=lease.txn_id, keep=()
        )
        with transaction:
            segments = [ref.segment_id for ref in view.segments]
            for number, (packed, rows, vectors) in enumerate(view.upkeep.content(segments)):
                if number % _FILES_A_LOOK == 0:
                    lease.check()
                transaction.copy_file(packed, [terms_of(row) for row in rows], vectors)
            for ref in view.semantics:
                transaction.copy_semantic(ref, source.layout.segment(ref.segment_id))
            if (history := view.history) is not None:
                transaction.tell_history((encode(history), len(history.oids)), former.history_of)
            tree = TreeFacts.as_in(former, transaction.live_paths)
            manifest = transaction.publish(lease, tree, copy_the_rest)
    record(
        target.layout,
        "migrate",
        target.identity.canonical_root,
        snapshot=manifest.snapshot_id,
        from_store=source.identity.store_id,
        from_snapshot=former.snapshot_id,
    )
    return manifest


def _require_vectors(source: Store) -> None:
    try:
        _require_there(source)
    except ProbeFailedError as error:
        raise ProbeFailedError(
            error.message,
            hint=Advice(
                "Try again when the server is back. If it is gone for good, ",
                NextStep("reindex"),
                ", which embeds nothing that the cache knows.",
            ),
        ) from error


def _require_there(store: Store) -> None:
    """EngineMovedError where the vectors are at another address than the settings name, or nobody answers there."""
    manifest = store.active()
    folders = [store.layout.segment(ref.segment_id) for ref in manifest.segments] if manifest is not None else []
    require_here(store.identity.engine, store.layout.path, folders)
    outside = lies_outside(store.identity.engine, store.layout.path)
    if outside is not None:
        outside.held()


def _source(home: str, identity_with: Callable[[str], Identity], to: str, tracked: str) -> Store:
    """The store that the codebase answers from, else the newest one, of the same settings under another engine."""
    found: list[tuple[bool, str, Store]] = []
    for name in ENGINES:
        if name == to:
            continue
        try:
            store = Store.open(home, identity_with(name))
        except NotIndexedError:
            continue
        manifest = store.active()
        if manifest is not None:
            found.append((store.identity.store_id == tracked, manifest.created_at, store))
    if not found:
        raise NotIndexedError(
            "There is no index of these settings under another engine to move.", hint=Advice(NextStep("reindex"), ".")
        )
    return max(found, key=lambda each: each[:2])[2]
