"""Starting a store from a sibling's: the work trees of one repository have most of their files in common.

Segments are never written again, so two stores can have links to the same files; removing either
leaves the other whole. What is taken over is linked into staging, checked there, and moved into
place right before the first snapshot of the new store is published, which by then has taken in or
hidden whatever differs. Nothing of the sibling can be asked for before that.
"""

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator

from cairn.base import durable
from cairn.base.errors import BusyError, CairnError, CorruptStoreError, StorageError
from cairn.base.notes import Note
from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass
from cairn.engines import lies_outside
from cairn.store import faults
from cairn.store.digest import digest_file, files_beneath, volatile_beneath
from cairn.store.guard import guard
from cairn.store.identity import Identity
from cairn.store.integrity import Verifier, artifacts
from cairn.store.layout import Layout, StoreKind, open_layout
from cairn.store.lease import WriterLease
from cairn.store.manifest import SegmentRef, SemanticRef
from cairn.store.readers import reading
from cairn.store.recovery import newest_first, read_manifest, read_pointer
from cairn.store.staging import Staging
from cairn.store.view import SnapshotView

# Another file system, one without hard links, too many links, or a rule of the kernel against them.
_NO_LINKS = frozenset({errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS})


@dataclass(frozen=True, slots=True)
class Siblings:
    """Where stores of a repository's other work trees would be, and the commit that the new one is on."""

    paths: tuple[str, ...] = ()
    head: str | None = None
    notes: tuple[Note, ...] = ()
    """What one should know of how they were looked for."""
    arrived: str = ""
    """Where they came from, with their vectors in them; empty for stores of this home."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The snapshot that a store started from."""

    canonical_root: str
    """The work tree, or from where it came."""
    store_id: str
    snapshot_id: str


class Seed:
    """A sibling's snapshot, pinned for reading, with links to all its artifacts in our staging."""

    def __init__(self, source: Layout, snapshot_id: str, target: Layout, root: str) -> None:
        self._source = source
        self._root = root
        self._target = target
        self._placed: list[str] = []
        self.view = SnapshotView(source, snapshot_id=snapshot_id)
        try:
            self._staging = Staging(target, new_ulid())
            try:
                self._linked = Layout(self._staging.folder("linked"), target.kind)
                self._verifier = Verifier(self._linked, store=target)
                verified = Verifier(source).standing(self.view.manifest)
                self._link_all()
                faults.reach("seed.linked")
                # In staging, so that what is checked here is what will be read, whatever becomes of the sibling.
                for name, digest in artifacts(self.view.manifest):
                    self._verifier.check_link(name, digest, verified.get(name))
                faults.reach("seed.verified")
            except BaseException:
                self._staging.remove()
                raise
        except BaseException:
            self.view.close()
            raise

    @property
    def origin(self) -> Origin:
        """Whose snapshot it is."""
        manifest = self.view.manifest
        return Origin(self._root, manifest.store_id, manifest.snapshot_id)

    def place(self) -> None:
        """Move what was linked to where the manifest of the new snapshot will name it."""
        try:
            for ref in self.view.manifest.folders:
                self._place_segment(ref)
            for name in sorted(os.listdir(self._linked.snapshots)):
                self._place_lines(name)
        except OSError as error:
            raise StorageError(f"What was linked can't be moved into place: {error.strerror}.") from error
        faults.reach("seed.placed")
        self._verifier.remember_for(self._target)

    def close(self, lease: WriterLease) -> None:
        """Let the sibling go, and take back what was placed if no snapshot came to refer to it."""
        # The links have changed the ctime of files that the sibling has hashed before.
        self._verifier.remember_for(self._source)
        self.view.close()
        with contextlib.suppress(OSError, BusyError), guard(self._target):
            if lease.is_ours() and read_pointer(self._target) is None:
                for place in self._placed:
                    shutil.rmtree(place, ignore_errors=True)
        self._staging.remove()

    def _place_segment(self, ref: SegmentRef | SemanticRef) -> None:
        place = self._target.segment(ref.segment_id)
        if os.path.lexists(place):
            # A start that broke off left it, and its snapshot may be read by whoever recovers it: it stays if it can.
            try:
                Verifier(self._target, fresh=True).check(f"segments/{ref.segment_id}", ref.digest)
                return
            except CorruptStoreError as error:
                self._require_nothing_of(ref.segment_id, error)
            durable.move(place, self._staging.folder(ref.segment_id))
        self._placed.append(place)
        durable.move(self._linked.segment(ref.segment_id), place)

    def _place_lines(self, snapshot_id: str) -> None:
        """Tombstones and parts of the file index, under the name of the snapshot that wrote them."""
        linked, place = self._linked.snapshot(snapshot_id), self._target.snapshot(snapshot_id)
        if os.path.isdir(place):
            for name in sorted(os.listdir(linked)):
                source, target = os.path.join(linked, name), os.path.join(place, name)
                if os.path.lexists(target) and digest_file(source) == digest_file(target):
                    continue
                if os.path.lexists(target):
                    self._require_nothing_of(snapshot_id)
                durable.move(source, target)
        else:
            self._placed.append(place)
            durable.move(linked, place)

    def _require_nothing_of(self, name: str, cause: CorruptStoreError | None = None) -> None:
        """Where something was published already, what comes from elsewhere takes the place of none of it."""
        if read_pointer(self._target) is not None:
            raise CorruptStoreError(f"The store has another {name} than the snapshot to build on.") from cause

    def _link_all(self) -> None:
        for folder in (self._linked.path, self._linked.segments, self._linked.snapshots):
            self._target.make_folder(folder)
        for name, _ in artifacts(self.view.manifest):
            source = os.path.join(self._source.path, name)
            for file in files_beneath(source) if os.path.isdir(source) else [""]:
                self._link(os.path.join(name, file) if file else name)
            for file in volatile_beneath(source):
                # A lock is not shared, and one that its library makes would have the mode of the umask.
                os.close(self._target.open_lock(os.path.join(self._linked.path, name, file)))
        for folder, _, _ in os.walk(self._linked.path, topdown=False):
            durable.sync_folder(folder)

    def _link(self, name: str) -> None:
        source, target = os.path.join(self._source.path, name), os.path.join(self._linked.path, name)
        self._make_folders(os.path.dirname(target))
        if not stat.S_ISREG(os.lstat(source).st_mode):
            raise CorruptStoreError(f"{name} is no plain file.")
        try:
            os.link(source, target)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            durable.copy_file(source, target, self._target.kind.file_mode)

    def _make_folders(self, path: str) -> None:
        if not os.path.isdir(path):
            self._make_folders(os.path.dirname(path))
            self._target.make_folder(path)


def plant(target: Layout, identity: Identity, siblings: Siblings) -> tuple[Seed | None, tuple[Note, ...]]:
    """The best snapshot to start from, linked and verified, and why better ones could not be used."""
    notes = list(siblings.notes)
    if siblings.paths and lies_outside(identity.engine, target.path) is not None:
        # What can't be linked goes when its own store collects it.
        return None, (*notes, Note("seed_apart", {"engine": identity.engine}))
    for source, root in _sources(identity, siblings, notes):
        try:
            for snapshot_id in _published(source):
                try:
                    return Seed(source, snapshot_id, target, root), tuple(notes)
                except CorruptStoreError as error:
                    said = {"snapshot_id": snapshot_id, "codebase": root, "message": str(error)}
                    notes.append(Note("seed_damaged", said))
        except (CairnError, OSError) as error:
            notes.append(Note("seed_refused", {"codebase": root, "message": str(error)}))
    return None, tuple(notes)


def _sources(identity: Identity, siblings: Siblings, notes: list[Note]) -> Iterator[tuple[Layout, str]]:
    """Private stores with the same settings: those on the same commit first, clean before dirty, then the newest."""
    found: list[tuple[tuple[bool, bool, str], Layout, str]] = []
    for path in siblings.paths:
        try:
            layout = open_layout(path)
            if layout is None or layout.kind is not StoreKind.PRIVATE:
                continue
            pointer = read_pointer(layout)
            if pointer is None:
                # What has never been published, or lost its pointer, is nothing to build on.
                continue
            manifest = read_manifest(layout, pointer)
        except (CairnError, OSError) as error:
            notes.append(Note("seed_unreadable", {"store": path, "message": str(error)}))
            continue
        if manifest.config_fingerprint == identity.config_fingerprint:
            same_head = siblings.head is not None and manifest.git.head_sha == siblings.head
            # What a sibling has not committed is not in a new work tree.
            rank = (same_head and not manifest.git.dirty, same_head, manifest.created_at)
            found.append((rank, layout, siblings.arrived or manifest.canonical_root))
    found.sort(key=lambda item: item[0], reverse=True)
    yield from ((layout, root) for _, layout, root in found)


def _published(source: Layout) -> list[str]:
    """The snapshots of a store, the active one first; what never became active is left out."""
    with reading(source):
        pointer = read_pointer(source)
        if pointer is None:
            return []
        active = read_manifest(source, pointer)
        return [manifest.snapshot_id for manifest in newest_first(source) if manifest.order <= active.order]
