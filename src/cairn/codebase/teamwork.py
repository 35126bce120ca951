"""A codebase's index as others get it, and what others made taken into it."""

import contextlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial

from cairn.base.errors import (
    BusyError,
    CorruptStoreError,
    IncompatibleError,
    PublishRefusedError,
    RefusedError,
    UsageError,
)
from cairn.base.notes import Note
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass, replace
from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.engines import lies_outside
from cairn.indexing.options import WAIT_S, SyncOptions, SyncResult
from cairn.indexing.progress import Progress
from cairn.indexing.terms import terms_of
from cairn.store import SnapshotView
from cairn.store.arrived import eligible_digest
from cairn.store.flattened import flatten
from cairn.store.layout import Layout
from cairn.team import exchange
from cairn.team.arrival import ArrivedSnapshot, Tell, untold
from cairn.team.container import open_container, write_container
from cairn.team.exchange import Pushed
from cairn.team.listing import Listing, listing_of, require_same_settings, with_tables
from cairn.team.patience import remote_at
from cairn.team.remote import TeamRemote, only_read
from cairn.team.settings import READABLE, signing_key, team_settings
from cairn.team.sharable import private_segments
from cairn.team.tables import make_tables
from cairn.workspace.git import Git

_FORGET_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Exported:
    """A snapshot that was written to a file."""

    path: str
    listing: Listing
    size_bytes: int


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What became of the index by what was to be had elsewhere."""

    result: SyncResult
    listing: Listing | None = None
    """The snapshot that the index was built on; None where it was made from the tree alone."""
    travelled: int = 0
    """How many bytes came."""
    notes: tuple[Note, ...] = ()
    """Why something nearer was not of use."""
    is_lacking: bool = False
    """Whether nothing is there that one could have had."""


def export(
    codebase: Codebase, path: str, *, uncommitted: bool = False, progress: Progress | None = None, tell: Tell = untold
) -> Exported:
    """Bring the index up to date, and write it to a file."""
    codebase.index(None, progress)
    with shared(codebase, uncommitted=uncommitted) as (layout, listing):
        size = write_container(os.path.abspath(path), layout, listing, signing_key(), tell)
    return Exported(path, listing, size)


@contextmanager
def shared(codebase: Codebase, *, uncommitted: bool = False) -> Iterator[tuple[Layout, Listing]]:
    """Where the active snapshot lies, pinned, with its listing; RefusedError for one that others may not have."""
    _require_private(codebase)
    with ExitStack() as stack:
        view = stack.enter_context(codebase.view() if uncommitted else _committed(codebase))
        layout = view.layout
        if view.history_lost:
            # Nothing damaged is passed on, needed or not.
            raise CorruptStoreError(view.history_lost, hint=Advice(NextStep("repair"), "."))
        if lies_outside(codebase.identity.engine, layout.path) is None:
            manifest_bytes = layout.read_file(layout.manifest(view.snapshot_id))
        else:
            layout = stack.enter_context(ArrivedSnapshot(cairn_home())).layout
            manifest_bytes = flatten(view, layout)
        listing = listing_of(
            manifest_bytes,
            commit=view.manifest.git.head_sha,
            eligible=eligible_digest(view),
            settings=dict(codebase.parts()),
            repository=os.path.basename(codebase.root_path),
        )
        yield layout, listing


def _committed(codebase: Codebase) -> SnapshotView:
    """The active snapshot, rid of every text that others may not have; RefusedError for one that shows such a text."""
    private = partial(private_segments, git=codebase.detector.git)
    for _ in range(_FORGET_ATTEMPTS):
        with ExitStack() as stack:
            view = stack.enter_context(codebase.view())
            if not private(view):
                stack.pop_all()
                return view
        codebase.store().compact(terms_of, wait_s=WAIT_S, plan=private)
    raise BusyError("The index changes while it is to be shared.", hint="Try again when nobody edits the tree.")


def take_in_file(codebase: Codebase, path: str, *, progress: Progress | None = None, tell: Tell = untold) -> TakenIn:
    """Build the index on a snapshot from a file: what differs from the tree is read from the tree."""
    _require_private(codebase)
    codebase.refresh()
    container = open_container(path, signing_key())
    with closing(container.file), ArrivedSnapshot(cairn_home(), codebase.identity) as arrival:
        require_same_settings(
            container.listing, codebase.identity.config_fingerprint, dict(codebase.parts()), container.what
        )
        arrival.take(container.listing, container.open_part, container.what, _own(codebase), tell)
        return _built_on(codebase, arrival, container.listing, container.what, progress)


def push(
    codebase: Codebase,
    name: str = "",
    *,
    anew: bool = False,
    askable: bool = False,
    progress: Progress | None = None,
    tell: Tell = untold,
) -> tuple[Listing, Pushed]:
    """Bring the index up to date, and put the commit's snapshot to a remote, `askable` if it is to be asked there."""
    remote, key = remote_named(name, writes=True), signing_key()
    codebase.index(None, progress)
    with ExitStack() as stack:
        layout, listing = stack.enter_context(shared(codebase))
        made = exchange.NO_TABLES
        if askable:
            former = None if anew else _former(codebase, remote, key)
            folder = stack.enter_context(ArrivedSnapshot(cairn_home())).layout.staging
            with SnapshotView(layout, snapshot_id=listing.manifest.snapshot_id) as view:
                tables, made = make_tables(view, listing, former, folder, remote.has, tell)
            listing = with_tables(listing, tables)
        return listing, exchange.push(remote, layout, listing, key, tables=made, anew=anew, tell=tell)


def _former(codebase: Codebase, remote: TeamRemote, key: bytes | None) -> Listing | None:
    """The listing whose tables need not be made again; None where there is none that can be read."""
    git, fingerprint = codebase.detector.git, codebase.identity.config_fingerprint
    with contextlib.suppress(CorruptStoreError, IncompatibleError, RefusedError):
        return exchange.nearest_askable(remote, git, fingerprint, key)
    return None


def pull(codebase: Codebase, name: str = "", *, progress: Progress | None = None, tell: Tell = untold) -> TakenIn:
    """Build the index on the nearest commit's snapshot of a remote, and bring it up to date in any case."""
    _require_private(codebase)
    remote, git = remote_named(name), codebase.detector.git
    if git is None:
        raise RefusedError("Without a commit nothing can be pulled.", hint="Take it in from a file.")
    codebase.refresh()
    own = _own(codebase)
    active = codebase.store().active() if own is not None else None
    head = active.git.head_sha if active is not None else None
    with ArrivedSnapshot(cairn_home(), codebase.identity) as arrival:
        fingerprint = codebase.identity.config_fingerprint
        found = exchange.pull(remote, git, fingerprint, signing_key(), arrival, own, head, tell)
        if found.listing is None:
            return TakenIn(codebase.index(None, progress), is_lacking=found.is_lacking)
        passed = tuple(Note("pull_passed", {"message": each}) for each in found.passed)
        done = _built_on(codebase, arrival, found.listing, (found.listing.commit or "")[:10], progress)
        return replace(done, notes=passed + done.notes)


def _built_on(
    codebase: Codebase, arrival: ArrivedSnapshot, listing: Listing, what: str, progress: Progress | None
) -> TakenIn:
    """The index built on what came, or from the tree alone where that is less work; RefusedError for another tree's."""
    try:
        result = codebase.index(SyncOptions(arrived=arrival.layout.path), progress)
        return TakenIn(result, listing, arrival.travelled)
    except PublishRefusedError as error:
        if not _has_commit(codebase.detector.git, listing.commit):
            hint = "Take it in where it was made from, or index this tree by itself."
            raise RefusedError(f"{what} is of another tree: {error.message}", hint=hint) from error
        note = Note("seed_refused", {"codebase": what, "message": error.message})
        return TakenIn(codebase.index(None, progress), travelled=arrival.travelled, notes=(note,))


def _has_commit(git: Git | None, commit: str | None) -> bool:
    with contextlib.suppress(UsageError):
        return git is not None and commit is not None and git.commit_of(commit) == commit
    return False


def remote_named(name: str, *, writes: bool = False) -> TeamRemote:
    """A remote of the user's, the first of them by default; RefusedError where it is to be written, and can't be."""
    settings = team_settings()
    if not settings.addresses:
        raise UsageError("There is no remote.", hint=Advice(NextStep("add_remote"), "."))
    chosen = name or next(iter(settings.addresses))
    if chosen not in settings.addresses:
        raise UsageError(f"There is no remote {chosen!r}.", hint=f"There is {', '.join(settings.addresses)}.")
    address = settings.addresses[chosen]
    if writes and address.partition("://")[0] in READABLE:
        raise only_read(address)
    return remote_at(address, settings.timeout_s)


def _own(codebase: Codebase) -> Layout | None:
    return codebase.store().layout if codebase.is_indexed() else None


def _require_private(codebase: Codebase) -> None:
    if codebase.shared_store is not None:
        raise RefusedError(
            "A shared store is shared already: nothing travels to or from it.", hint="Use a store of your own."
        )
