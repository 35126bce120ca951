"""Where things lie in a store, and who may read them.

<store>/
  ACTIVE_SNAPSHOT                    the id of the published snapshot and a newline
  index_state.json                   a summary that can be rebuilt from the manifests
  engine.json                        where, and under which name, an engine elsewhere keeps the store's vectors
  milvus.db/                         Milvus Lite, where that is the engine and no server is named
  control.db                         refresh jobs and contexts: control state, never read to answer what the code says
  snapshots/<id>/manifest.json       what the snapshot is made of
  snapshots/<id>/tombstones.jsonl    paths that it hides in older segments
  snapshots/<id>/segment_file_index.jsonl   path -> segment, for repair
  snapshots/<id>/history.bin         the last commits, by words and files
  segments/seg_<id>_<n>/             rows.sqlite, vectors.npy, lexical/
  segments/sem_<id>_<n>/             semantic.sqlite: the facts of one context
  staging/<txn>/                     what a running transaction has written so far
  locks/                             writer_lease.json, lease_guard.lock, readers.lock
  logs/  cache/
"""

import errno
import os
import stat
from collections.abc import Callable
from enum import Enum

from cairn.base import durable
from cairn.base.errors import CorruptStoreError, StoreRefusedError
from cairn.base.ownfile import StrangeFileError, open_own, read_own, set_aside
from cairn.base.values import dataclass

UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
"""What the system says where nothing may be written."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
"""What it says where nothing more fits."""
TRASH = "cairn-trash-"
"""How the name of a store begins that is being removed."""


class StoreKind(Enum):
    """Who a store belongs to; decided when it is made and told by its folder's mode ever after."""

    PRIVATE = (0o700, 0o600)
    SHARED = (0o2770, 0o660)

    @property
    def folder_mode(self) -> int:
        """The permissions of its folders."""
        return self.value[0]

    @property
    def file_mode(self) -> int:
        """The permissions of its files."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one store."""

    path: str
    kind: StoreKind

    @property
    def pointer(self) -> str:
        """The file that names the active snapshot."""
        return os.path.join(self.path, "ACTIVE_SNAPSHOT")

    @property
    def index_state(self) -> str:
        """The summary of the active snapshot, which can be rebuilt."""
        return os.path.join(self.path, "index_state.json")

    @property
    def snapshots(self) -> str:
        """The folder of manifests, tombstones and file indexes."""
        return os.path.join(self.path, "snapshots")

    @property
    def segments(self) -> str:
        """The folder of published segments."""
        return os.path.join(self.path, "segments")

    @property
    def staging(self) -> str:
        """The folder where transactions gather what isn't published yet."""
        return os.path.join(self.path, "staging")

    @property
    def locks(self) -> str:
        """The folder of the lease and of the files that are locked."""
        return os.path.join(self.path, "locks")

    @property
    def lease(self) -> str:
        """The file that says who may write."""
        return os.path.join(self.locks, "writer_lease.json")

    @property
    def guard(self) -> str:
        """The file that is locked while the lease changes hands."""
        return os.path.join(self.locks, "lease_guard.lock")

    @property
    def readers(self) -> str:
        """The file that readers share a lock on."""
        return os.path.join(self.locks, "readers.lock")

    @property
    def logs(self) -> str:
        """The folder of the store's log."""
        return os.path.join(self.path, "logs")

    @property
    def cache(self) -> str:
        """The folder of what may be lost at any time."""
        return os.path.join(self.path, "cache")

    def snapshot(self, snapshot_id: str) -> str:
        """The folder of one snapshot."""
        return os.path.join(self.snapshots, snapshot_id)

    def manifest(self, snapshot_id: str) -> str:
        """The manifest of one snapshot."""
        return os.path.join(self.snapshots, snapshot_id, "manifest.json")

    def segment(self, segment_id: str) -> str:
        """The folder of one segment."""
        return os.path.join(self.segments, segment_id)

    def make_missing_folders(self) -> None:
        """Backups and copies drop empty folders; none of them holds anything that must survive."""
        for name in FOLDERS:
            folder = os.path.join(self.path, name)
            if not os.path.isdir(folder):
                try:
                    self.make_folder(folder)
                except OSError as error:
                    if error.errno not in (errno.EEXIST, *UNWRITABLE):
                        raise

    def make_folder(self, path: str) -> None:
        """Create one folder with the store's mode, whatever the umask is."""
        os.mkdir(path)
        os.chmod(path, self.kind.folder_mode)

    def open_lock(self, path: str, flags: int = 0) -> int:
        """Open a lock or log file, made with the store's mode whatever the umask is."""
        try:
            fd = open_own(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | flags)
        except FileExistsError:
            return self._open_existing(path, os.O_RDWR | flags)
        os.fchmod(fd, self.kind.file_mode)
        return fd

    def open_held(self, path: str) -> int:
        """Open a lock file to share it with others, which takes no right to write.

        Where there is none and none can be made, nobody has ever held it: the store's folder stands for it.
        """
        try:
            return self.open_lock(path)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
        try:
            return self._open_existing(path, os.O_RDONLY)
        except FileNotFoundError:
            return os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def read_file(self, path: str) -> bytes:
        """The content of a file of the store's own; StrangeFileError where something else lies in its place."""
        return read_own(path)

    def write_file(self, path: str, data: bytes) -> None:
        """Write a file durably, with the permissions of this kind of store."""
        self._write(durable.write_file, path, data)

    def write_cache(self, path: str, data: bytes) -> None:
        """Write a file that may be lost, with the permissions of this kind of store."""
        self._write(durable.write_cache, path, data)

    def _write(self, write: Callable[[str, bytes, int], None], path: str, data: bytes) -> None:
        try:
            write(path, data, self.kind.file_mode)
        except IsADirectoryError:
            # A rename replaces anything but a folder.
            set_aside(path)
            write(path, data, self.kind.file_mode)

    def _open_existing(self, path: str, flags: int) -> int:
        try:
            return open_own(path, flags)
        except StrangeFileError as error:
            inside = os.path.relpath(path, self.path)
            raise CorruptStoreError(f"{inside} {error.strerror}.") from error


_TELLING = ("ACTIVE_SNAPSHOT", "snapshots", "segments")
"""A folder with any of these is a store, whole or not."""
FOLDERS = ("snapshots", "segments", "staging", "locks", "logs", "cache")


def open_layout(path: str) -> Layout | None:
    """The store at a path, or None when there is none."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not any(os.path.lexists(os.path.join(path, name)) for name in _TELLING):
        return None
    layout = Layout(path, _kind_of(path, mode))
    layout.make_missing_folders()
    return layout


def create_layout(path: str, kind: StoreKind) -> Layout:
    """Make a store or open the one that is there; its kind never changes."""
    durable.make_private_folders(os.path.dirname(path))
    if not os.path.isdir(path):
        _make_whole(path, kind)
    layout = Layout(path, _kind_of(path, stat.S_IMODE(os.stat(path).st_mode)))
    if layout.kind is not kind:
        raise StoreRefusedError(
            f"The store {path} is {layout.kind.name.lower()} and can't be used as a {kind.name.lower()} one.",
            hint="Use it as it was made, or remove it and index again.",
        )
    layout.make_missing_folders()
    durable.sync_folder(path)
    durable.sync_folder(os.path.dirname(path))
    return layout


def _make_whole(path: str, kind: StoreKind) -> None:
    """Make the store's folder with its mode in one step: a maker that dies leaves no store of no kind."""
    making = f"{path}{durable.TEMP_MARK}{os.urandom(8).hex()}"
    os.mkdir(making)
    os.chmod(making, kind.folder_mode)
    try:
        os.rename(making, path)
    except OSError:
        os.rmdir(making)
        if not os.path.isdir(path):
            raise


def _kind_of(path: str, mode: int) -> StoreKind:
    for kind in StoreKind:
        # One that its owner has made read-only is of the kind that it was.
        if mode in (kind.folder_mode, kind.folder_mode & ~0o222):
            return kind
    raise StoreRefusedError(
        f"The store {path} has mode {mode:04o}; it must be 0700, or 2770 if it is shared.",
        hint=f"Run `chmod 700 {path}`, or `chmod 2770 {path}` for a store that was made as a shared one.",
    )
