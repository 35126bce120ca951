"""A part of a snapshot on its way: a segment's files, or one file of lines, as one zlib stream.

Much of a segment is packed already: what hardly shrinks lies in the stream as it is, in the stored blocks that every
reader of zlib knows, since to unpack it would take time for nothing.

The manifest tells each part's size and sha256, so a part is named by its sha256, bounded while it is unpacked by its
size, and held against both by the view that looks at the whole.
"""

import os
import struct
import zlib
from collections.abc import Iterable, Iterator

from cairn.base import deadline, durable, lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import unfollowed
from cairn.base.values import dataclass
from cairn.store.digest import Digest, files_beneath
from cairn.store.integrity import artifacts
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest

_BLOCK = 1 << 18
_LEVEL = 1
_SAMPLE = 1 << 15
_WORTH = 0.85
"""To how much of its size a block has to shrink for being packed."""
_ZLIB_HEAD = b"\x78\x01"
_FILES = struct.Struct("<I")
_FILE = struct.Struct("<HQ")
_MOST_FILES = 4096
_MOST_INFLATION = 250
"""What is packed a thousand times is no index. Lines of one path after the other come to a hundred."""
_SLACK_BYTES = 1 << 20
_NAME = lazy.expression(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(/[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}){0,4}")
_LINES = lazy.expression(r"snapshots/[0-9A-Z]{26}/(tombstones\.jsonl|segment_file_index\.jsonl|history\.bin)")
_SHA256 = lazy.expression(r"[0-9a-f]{64}")
_SEGMENTS = "segments/"


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """A part by the place that it has in a store."""

    name: str
    digest: Digest

    @property
    def is_folder(self) -> bool:
        """Whether it is a segment."""
        return self.name.startswith(_SEGMENTS)


def parts_of(manifest: Manifest) -> list[SnapshotPart]:
    """All parts of a snapshot, in the order of its manifest; CorruptStoreError for one that no store has."""
    found: dict[str, SnapshotPart] = {}
    for name, digest in artifacts(manifest):
        fine = name.startswith(_SEGMENTS) or _LINES.fullmatch(name)
        # A manifest that somebody else wrote may have anything in its place.
        said = _SHA256.fullmatch(str(digest.sha256)) and digest.size_bytes >= 0
        if not fine or not said or name in found:
            raise CorruptStoreError(f"It names a part that no snapshot has, or one twice: {name[:100]!r}.")
        found[name] = SnapshotPart(name, digest)
    return list(found.values())


def packed(layout: Layout, part: SnapshotPart) -> Iterator[bytes]:
    """A part of a store as a stream."""
    place = os.path.join(layout.path, part.name)
    names = sorted(files_beneath(place), key=os.fsencode) if part.is_folder else [""]
    yield _ZLIB_HEAD
    head, total = _FILES.pack(len(names)), zlib.adler32(b"")
    for name in names:
        path = os.path.join(place, name) if name else place
        with open(path, "rb", buffering=0, opener=unfollowed) as file:
            encoded = name.encode()
            head += _FILE.pack(len(encoded), os.fstat(file.fileno()).st_size) + encoded
            while block := head + file.read(_BLOCK):
                deadline.check()
                total, head = zlib.adler32(block, total), b""
                yield _laid_in(block)
    yield _deflated(b"", _LEVEL, zlib.Z_FINISH) + total.to_bytes(4, "big")


def _laid_in(block: bytes) -> bytes:
    """A block as a stretch of a stream: packed where that gains something."""
    sample = block[:_SAMPLE]
    gains = len(zlib.compress(sample, _LEVEL)) < _WORTH * len(sample)
    return _deflated(block, _LEVEL if gains else 0, zlib.Z_FULL_FLUSH)


def _deflated(block: bytes, level: int, end: int) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(block) + packer.flush(end)


def unpack(stream: Iterable[bytes], layout: Layout, part: SnapshotPart) -> None:
    """Write a part to its place in a store of one's own; CorruptStoreError for what can't be one.

    Whether it is the very part its digest tells, which whoever reads the store takes first.
    """
    place = os.path.join(layout.path, part.name)
    make_folders(layout, os.path.dirname(place))
    if part.is_folder:
        layout.make_folder(place)
    source = _Source(stream, part)
    (count,) = _FILES.unpack(source.take(_FILES.size))
    if not 1 <= count <= _MOST_FILES or (not part.is_folder and count != 1):
        raise source.wrong(f"it holds {count} files")
    former = b""
    for _ in range(count):
        length, size = _FILE.unpack(source.take(_FILE.size))
        encoded = source.take(length)
        if part.is_folder and (encoded <= former or not _is_name(encoded)):
            # In order, no name comes twice; and none leads anywhere.
            raise source.wrong(f"it holds a file {encoded[:100]!r}")
        if not part.is_folder and encoded:
            raise source.wrong("it holds a file with a name")
        former, name = encoded, encoded.decode()
        path = os.path.join(place, name) if name else place
        make_folders(layout, os.path.dirname(path))
        _write(source, path, size, layout.kind.file_mode)
    source.end()
    for folder, _, _ in os.walk(place, topdown=False):
        durable.sync_folder(folder)


def make_folders(layout: Layout, path: str) -> None:
    """A folder of a store with all that are missing above it."""
    if not os.path.isdir(path):
        make_folders(layout, os.path.dirname(path))
        layout.make_folder(path)


def _is_name(encoded: bytes) -> bool:
    name = encoded.decode("ascii", "replace")
    return _NAME.fullmatch(name) is not None and ".." not in name.split("/") and "." not in name.split("/")


def _write(source: "_Source", path: str, size: int, mode: int) -> None:
    left = size
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        os.fchmod(fd, mode)
        while left:
            block = source.some(min(left, _BLOCK))
            durable.write_all(fd, block)
            left -= len(block)
        os.fsync(fd)
    finally:
        os.close(fd)


class _Source:
    """The bytes of a packed part, no more of them than the part may have."""

    def __init__(self, stream: Iterable[bytes], part: SnapshotPart) -> None:
        self._part = part
        self._stream = iter(stream)
        self._unpacker = zlib.decompressobj()
        self._rest = b""
        self._given = 0
        self._read = 0
        # Each file comes with its name; how many there are is bounded too.
        self._most = part.digest.size_bytes + _FILES.size + _MOST_FILES * (_FILE.size + 600)

    def wrong(self, said: str) -> CorruptStoreError:
        return CorruptStoreError(f"{self._part.name} is damaged: {said}.")

    def take(self, size: int) -> bytes:
        """Just so many bytes."""
        found = b""
        while len(found) < size:
            found += self.some(size - len(found))
        return found

    def some(self, most: int) -> bytes:
        """At least one byte."""
        while not self._rest:
            deadline.check()
            try:
                given = self._unpacker.unconsumed_tail or next(self._stream, None)
                if given is None or self._unpacker.eof:
                    raise self.wrong("it ends early")
                if given is not self._unpacker.unconsumed_tail:
                    self._given += len(given)
                self._rest = self._unpacker.decompress(given, _BLOCK)
            except zlib.error as error:
                raise self.wrong("it can't be unpacked") from error
            self._read += len(self._rest)
            if self._read > self._most:
                raise self.wrong("it unpacks to more than it should")
            if self._read > _MOST_INFLATION * self._given + _SLACK_BYTES:
                raise self.wrong(f"it unpacks to more than {_MOST_INFLATION} times its size")
        found, self._rest = self._rest[:most], self._rest[most:]
        return found

    def end(self) -> None:
        """That nothing is left."""
        tail = self._unpacker.unconsumed_tail
        try:
            while not self._unpacker.eof:
                given = tail or next(self._stream, None)
                if given is None:
                    raise self.wrong("it ends early")
                self._rest += self._unpacker.decompress(given, 1)
                tail = self._unpacker.unconsumed_tail
                if self._rest:
                    break
        except zlib.error as error:
            raise self.wrong("it can't be unpacked") from error
        if self._rest or self._unpacker.unused_data or next(self._stream, None):
            raise self.wrong("something follows its end")
