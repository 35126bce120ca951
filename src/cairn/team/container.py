"""One snapshot as one file: the parts, one behind the other, then a document that tells of each, then its hash.

8 bytes    CAIRNSNP
4 bytes    the version, little-endian
parts      as `parts` packs them, in the order of the document
document   JSON: the listing, and of each part its name, how many bytes it has, and their sha256
8 bytes    how many bytes the document has, little-endian
32 bytes   HMAC-SHA256 of the document under the user's key; zeros without one
32 bytes   sha256 of the document, its length and the signature
8 bytes    CAIRNSNP
"""

import hashlib
import json
import os
import stat
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from cairn.base import deadline, durable
from cairn.base.errors import CorruptStoreError, IncompatibleError, StorageError, UsageError
from cairn.base.shortage import shortage_of
from cairn.base.values import dataclass
from cairn.store import faults
from cairn.store.layout import Layout
from cairn.team.arrival import Tell, untold
from cairn.team.listing import MOST_BYTES, Listing, damaged, read_listing, require_signature, signature_of
from cairn.team.parts import SnapshotPart, packed

MAGIC = b"CAIRNSNP"
VERSION = 1
_HEAD = struct.Struct("<8sI")
_TAIL = struct.Struct("<Q32s32s8s")
_BLOCK = 1 << 20
_MODE = 0o600


def write_container(path: str, layout: Layout, listing: Listing, key: bytes | None = None, tell: Tell = untold) -> int:
    """Write a snapshot to a file, which is there whole or as it was before; how many bytes it has."""
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder.", hint="Name a file in it.")
    temporary = f"{path}{durable.TEMP_MARK}{os.urandom(8).hex()}"
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
    except OSError as error:
        raise UsageError(
            f"{path} can't be written: {error.strerror}.", hint="Name a file in a folder of yours."
        ) from error
    try:
        with open(fd, "wb") as file:
            _write(file, layout, listing, key, tell)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        faults.reach("export.written")
        durable.move(temporary, path)
    except OSError as error:
        raise shortage_of(error) or StorageError(f"{path} can't be written: {error.strerror}.") from error
    finally:
        durable.remove(temporary)
    return size


def _write(file: BinaryIO, layout: Layout, listing: Listing, key: bytes | None, tell: Tell) -> None:
    file.write(_HEAD.pack(MAGIC, VERSION))
    listed: list[dict[str, Any]] = []
    total, done = sum(part.digest.size_bytes for part in listing.parts), 0
    for part in listing.parts:
        tell("writing", done, total)
        hasher, size = hashlib.sha256(), 0
        for block in packed(layout, part):
            hasher.update(block)
            size += file.write(block)
        listed.append({"name": part.name, "bytes": size, "sha256": hasher.hexdigest()})
        done += part.digest.size_bytes
        faults.reach("export.part")
    document = json.dumps({"listing": listing.data.decode(), "parts": listed}).encode()
    signature = signature_of(document, key)
    file.write(document)
    file.write(_TAIL.pack(len(document), signature, _seal(document, signature), MAGIC))


@dataclass(frozen=True, slots=True)
class Container:
    """A file that was opened and is what was written; what its parts hold is still to be looked at."""

    file: BinaryIO
    listing: Listing
    places: dict[str, tuple[int, int, str]]
    """Of each part where it begins, how many bytes it has, and their sha256."""
    what: str

    def open_part(self, part: SnapshotPart) -> Iterator[bytes]:
        """The bytes of a part."""
        start, size, _ = self.places[part.name]
        return self._blocks(start, size)

    def require_whole(self) -> None:
        """CorruptStoreError for a part that is not what was written, be it one that nobody will ask for."""
        for name, (start, size, expected) in self.places.items():
            hasher = hashlib.sha256()
            for block in self._blocks(start, size):
                hasher.update(block)
            if hasher.hexdigest() != expected:
                raise damaged(self.what, f"{name} is not what was written")

    def _blocks(self, start: int, size: int) -> Iterator[bytes]:
        self.file.seek(start)
        while size:
            deadline.check()
            block = self.file.read(min(size, _BLOCK))
            if not block:
                raise damaged(self.what, "it is cut off")
            size -= len(block)
            yield block


def open_container(path: str, key: bytes | None = None) -> Container:
    """The container at a path; the error names what is wrong with it. Whoever opens it closes its file."""
    what = os.path.basename(path)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"{path} can't be read: {error.strerror}.", hint="Name a file that `cairn export` wrote."
        ) from error
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        raise damaged(what, "it is no file")
    file = open(fd, "rb")  # noqa: SIM115 - it is closed by whoever has the container
    try:
        container = _opened(file, found.st_size, key, what)
        container.require_whole()
        return container
    except OSError as error:
        file.close()
        raise UsageError(
            f"{path} can't be read: {error.strerror}.", hint="Name a file that `cairn export` wrote."
        ) from error
    except BaseException:
        file.close()
        raise


def _opened(file: BinaryIO, size: int, key: bytes | None, what: str) -> Container:
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size or head[:8] != MAGIC:
        raise damaged(what, "it is no file that `cairn export` wrote")
    _, version = _HEAD.unpack(head)
    if version > VERSION:
        raise IncompatibleError(
            f"{what} is of version {version}; this Cairn reads up to {VERSION}.",
            hint="Use the version of Cairn that wrote it, or a newer one.",
        )
    if version != VERSION or size < _HEAD.size + _TAIL.size:
        raise damaged(what, "it has no version, or no end")
    file.seek(size - _TAIL.size)
    length, signature, seal, magic = _TAIL.unpack(file.read(_TAIL.size))
    end = size - _TAIL.size
    if magic != MAGIC or not 0 < length <= min(MOST_BYTES, end - _HEAD.size):
        raise damaged(what, "it is cut off, or something follows its end")
    file.seek(end - length)
    data = file.read(length)
    if _seal(data, signature) != seal:
        raise damaged(what, "its document is not what was written")
    require_signature(data, signature, key, what)
    try:
        document = json.loads(data)
        listing = read_listing(document["listing"].encode(), what)
        listed = [(part["name"], part["bytes"], part["sha256"]) for part in document["parts"]]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise damaged(what, "its document lacks a field or has a wrong one") from error
    return Container(file, listing, _places(listing, listed, end - length, what), what)


def _places(
    listing: Listing, listed: list[tuple[Any, Any, Any]], end: int, what: str
) -> dict[str, tuple[int, int, str]]:
    """Where each part lies: one behind the other, from the head to the document."""
    try:
        wanted = [part.name for part in listing.parts]
    except CorruptStoreError as error:
        raise damaged(what, error.message.rstrip(".")) from error
    if [name for name, _, _ in listed] != wanted:
        raise damaged(what, "its parts are not those of its manifest")
    at, places = _HEAD.size, {}
    for name, size, sha256 in listed:
        if type(size) is not int or size < 0 or not isinstance(sha256, str):
            raise damaged(what, "a part has no size or no hash")
        places[name] = (at, size, sha256)
        at += size
    if at != end:
        raise damaged(what, "its parts take other bytes than it has")
    return places


def _seal(document: bytes, signature: bytes) -> bytes:
    return hashlib.sha256(document + struct.pack("<Q", len(document)) + signature).digest()
