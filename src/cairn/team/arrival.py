"""A snapshot that came from elsewhere, put together apart from every store and verified whole.

It looks like the store of a sibling, and that is what the first snapshot of a store, or the next one, is built on: by
the ordinary sync, which reads what differs from the tree. Nothing of it can be asked for before.
"""

import contextlib
import os
from collections.abc import Callable, Iterable
from typing import Self

from cairn.base import deadline, durable
from cairn.base.errors import CorruptStoreError, DiskFullError, PathKeyError
from cairn.base.text import human_bytes
from cairn.base.ulid import new_ulid
from cairn.store import faults
from cairn.store.arrived import require_sound
from cairn.store.digest import files_beneath
from cairn.store.flattened import RECORD
from cairn.store.identity import Identity
from cairn.store.integrity import ARRIVALS, Verifier, artifacts
from cairn.store.layout import Layout, StoreKind, create_layout
from cairn.store.manifest import Manifest
from cairn.store.readers import reading
from cairn.store.recovery import read_manifest, read_pointer
from cairn.store.room import RESERVE_BYTES
from cairn.store.staging import Staging, remove_abandoned
from cairn.team.listing import Listing, damaged, require_fit
from cairn.team.parts import SnapshotPart, make_folders, unpack
from cairn.workspace.pathkey import path_key

OpenPart = Callable[[SnapshotPart], Iterable[bytes]]
Tell = Callable[[str, int, int], None]
"""What is done, how many bytes of it are done, and how many there are."""


def untold(_: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


class ArrivedSnapshot:
    """A folder of its own, gone with the end of the block; what a process that died left there goes with the next."""

    def __init__(self, home: str, identity: Identity | None = None) -> None:
        """What is taken in has to fit the index that an identity tells of."""
        self._identity = identity
        place = create_layout(os.path.join(home, ARRIVALS), StoreKind.PRIVATE)
        remove_abandoned(place, leased_txn="")
        self._staging = Staging(place, new_ulid())
        self.layout = create_layout(self._staging.folder("store"), StoreKind.PRIVATE)
        self.travelled = 0
        """How many bytes came."""

    def take(self, listing: Listing, open_part: OpenPart, what: str, have: Layout | None, tell: Tell = untold) -> None:
        """Put the snapshot together and verify it; the error names what is wrong with it.

        What a store of one's own `have`s already is linked to and need not come.
        """
        manifest, layout = listing.manifest, self.layout
        if self._identity is not None:
            require_fit(manifest, self._identity, what)
        self._require_room(manifest)
        total = sum(part.digest.size_bytes for part in listing.parts)
        done, linked = 0, set[str]()
        with reading(have) if have is not None else contextlib.nullcontext():
            known = _known(have)
            for part in listing.parts:
                tell("fetching", done, total)
                here = known.get(part.digest.sha256)
                if have is not None and here is not None and _link(have, here, layout, part):
                    linked.add(os.path.basename(part.name))
                else:
                    unpack(self._counted(open_part(part)), layout, part)
                done += part.digest.size_bytes
                faults.reach("arrival.part")
        make_folders(layout, layout.snapshot(manifest.snapshot_id))
        layout.write_file(layout.manifest(manifest.snapshot_id), listing.manifest_bytes)
        tell("verifying", total, total)
        try:
            if any(os.path.lexists(os.path.join(layout.segment(ref.segment_id), RECORD)) for ref in manifest.segments):
                raise CorruptStoreError("Its vectors lie elsewhere.")
            if require_sound(layout, manifest, is_key, linked) != listing.eligible:
                raise CorruptStoreError("Its live files are not those that its listing tells of.")
        except CorruptStoreError as error:
            raise damaged(what, error.message.rstrip(".")) from error
        faults.reach("arrival.verified")
        # Only with a pointer is it a store that something can be built on.
        layout.write_file(layout.pointer, f"{manifest.snapshot_id}\n".encode())

    def _counted(self, stream: Iterable[bytes]) -> Iterable[bytes]:
        for block in stream:
            deadline.check()
            self.travelled += len(block)
            yield block

    def _require_room(self, manifest: Manifest) -> None:
        needed = sum(digest.size_bytes for _, digest in artifacts(manifest))
        disk = os.statvfs(self.layout.path)
        free = disk.f_bavail * disk.f_frsize
        if needed + min(RESERVE_BYTES, free // 20) > free:
            raise DiskFullError(f"It would take {human_bytes(needed)}, and {human_bytes(free)} are free on the disk.")

    def empty(self) -> None:
        """Begin anew, with what came so far thrown away."""
        durable.remove(self.layout.path)
        self.layout = create_layout(self.layout.path, StoreKind.PRIVATE)

    def close(self) -> None:
        """Remove the folder; whatever was built on it has links of its own."""
        self._staging.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_key(text: str) -> bool:
    """Whether a text can be the path of a file of a tree."""
    try:
        return path_key(text) == text
    except PathKeyError:
        return False


def _known(have: Layout | None) -> dict[str, str]:
    """The artifacts of the active snapshot by their digests; none where there is no sound one."""
    pointer = read_pointer(have) if have is not None else None
    if have is None or pointer is None:
        return {}
    try:
        return {digest.sha256: name for name, digest in artifacts(read_manifest(have, pointer))}
    except (OSError, CorruptStoreError):
        return {}


def _link(have: Layout, name: str, layout: Layout, part: SnapshotPart) -> bool:
    """Give a part another name here; False where the file system has no links, or a file is gone."""
    source, place = os.path.join(have.path, name), os.path.join(layout.path, part.name)
    make_folders(layout, place if part.is_folder else os.path.dirname(place))
    try:
        # What has rotted here is whole elsewhere.
        Verifier(have).check(name, part.digest)
        for file in files_beneath(source) if part.is_folder else [""]:
            target = os.path.join(place, file) if file else place
            make_folders(layout, os.path.dirname(target))
            os.link(os.path.join(source, file) if file else source, target, follow_symlinks=False)
    except (OSError, CorruptStoreError):
        durable.remove(place, ignore_errors=True)
        return False
    return True
