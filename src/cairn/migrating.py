"""Moving an index from one vector engine to another: everything is copied, and nothing is embedded again."""

from collections.abc import Callable

from cairn.config import ENGINES
from cairn.engines import lies_outside, require_installed
from cairn.errors import NotIndexedError, UsageError
from cairn.indexing.terms import terms_of
from cairn.store import Identity, Manifest, Store, Transaction, TreeFacts
from cairn.store.log import record
from cairn.tracking import Tracking

_WAIT_S = 30.0
_FILES_A_LOOK = 100


def migrate(
    home: str, tracking: Tracking, identity: Identity, identity_with: Callable[[str], Identity], to: str
) -> Manifest | None:
    """Copy the newest index that differs in its engine alone; None where the index is in this engine already.

    The engine is that of the settings: a store that they don't lead to would answer nobody.
    """
    if identity.engine != to:
        raise UsageError(
            f"The settings name the engine {identity.engine}, not {to}.",
            hint=f'Put engine = "{to}" under [index] in .cairn.toml or config.toml, then run the command again.',
        )
    require_installed(to)
    tracking.require_idle()
    if tracking.proof().is_valid and tracking.verdict().passes:
        return None
    source = _source(home, identity_with, to)
    target = Store.create(home, identity)
    # A server that is away is found out before the codebase is said to be on the move.
    outside = lies_outside(to, target.layout.path)
    if outside is not None:
        outside.held()
    return tracking.move(lambda: copy(source, target))


def copy(source: Store, target: Store) -> Manifest:
    """Publish in one store what another shows, row for row and vector for vector."""
    with source.view(fresh=True) as view, target.writer(wait_s=_WAIT_S) as lease:
        former = view.manifest
        transaction = Transaction(
            target.layout, target.identity, None, {}, cause="migrate", txn_id=lease.txn_id, keep=()
        )
        with transaction:
            segments = [ref.segment_id for ref in view.segments]
            for number, (file, rows, vectors, facts) in enumerate(view.content(segments)):
                if number % _FILES_A_LOOK == 0:
                    lease.check()
                transaction.copy_file(file, rows, [terms_of(row) for row in rows], vectors, facts)
            tree = TreeFacts(
                ignore_fingerprint=former.ignore_fingerprint,
                git=former.git,
                eligible=transaction.live_paths,
                skipped=former.skipped,
                errors=former.errors,
            )
            manifest = transaction.publish(lease, tree)
    record(
        target.layout,
        "migrate",
        target.identity.canonical_root,
        snapshot=manifest.snapshot_id,
        from_store=source.identity.store_id,
        from_snapshot=former.snapshot_id,
    )
    return manifest


def _source(home: str, identity_with: Callable[[str], Identity], to: str) -> Store:
    """The store of the same settings under another engine; a move that broke off has left it as it was."""
    found: list[tuple[str, Store]] = []
    for name in ENGINES:
        if name == to:
            continue
        try:
            store = Store.open(home, identity_with(name))
        except NotIndexedError:
            continue
        manifest = store.active()
        if manifest is not None:
            found.append((manifest.created_at, store))
    if not found:
        raise NotIndexedError(
            "There is no index of these settings under another engine to move.", hint="Run `cairn index --reindex`."
        )
    return max(found, key=lambda each: each[0])[1]
