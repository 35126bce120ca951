"""A sorted table in blocks, of which a few are read at a time, wherever it lies.

Keys ascend. A block holds entries one behind the other, each as the lengths of key (uint16) and value (uint32) and then
these, and is a zlib stream, or the entries themselves where that is hardly smaller. The directory tells of each block
its first key, where it stands, its sizes and its sha256: whoever has the directory can find each key, and check each
byte.

Blocks stand one behind the other, from the first byte on, and none is empty. It comes from whoever wrote the table, and
nothing in it is believed: what a question may unpack is bounded.

It is a zlib stream over the number of blocks (uint32), then of each its place (uint64), its size and what it unpacks to
(uint32), its sha256 and the length of its first key (uint16), column after column, then all first keys. All numbers are
little-endian.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import BinaryIO, NamedTuple, Protocol

from cairn.base.errors import CorruptStoreError
from cairn.base.steps import Advice, NextStep

BLOCK_BYTES = 1 << 14
"""Entries of so many bytes fill a block; one that is larger has a block of its own."""
MOST_BLOCK_BYTES = 64 << 20
MOST_DIRECTORY_BYTES = 64 << 20
MOST_READ_BYTES = 1 << 30
"""Nothing that is asked needs more at once."""
PUSH_ANEW = Advice(NextStep("push_askable_again"), ", or pull another.")
"""What helps where a table is not what it should be: nobody can repair it."""
_MOST_KNOWN_BYTES = 64 << 20
_LEVEL = 6
_WORTH = 0.9
"""What hardly shrinks stays as it is: every reader would unpack it for a few bytes."""
_ENTRY = struct.Struct("<HI")
_COUNT = struct.Struct("<I")
_DIGEST_BYTES = 32


class BlockPlace(NamedTuple):
    """A block of a table, without its content."""

    first: bytes
    at: int
    size: int
    unpacked: int
    digest: bytes

    def holds(self, data: bytes) -> bool:
        """Whether these are the bytes of the block."""
        return len(data) == self.size and hashlib.sha256(data).digest() == self.digest


class Blocks(Protocol):
    """Where the blocks of tables come from."""

    def read(self, wanted: Sequence[tuple[str, BlockPlace]]) -> list[bytes]:
        """Blocks by the names of their tables, as they were written; CorruptStoreError for one that is not."""
        ...


class TableWriter:
    """Writes the blocks of a table one after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._entries: list[bytes] = []
        self._bytes = 0
        self._first = self._last = b""
        self._places: list[BlockPlace] = []

    def add(self, key: bytes, value: bytes) -> None:
        """Add an entry; ValueError for a key that doesn't come after the last."""
        if key <= self._last:
            raise ValueError(f"{key!r} comes after {self._last!r}")
        if self._bytes and self._bytes + len(value) > BLOCK_BYTES:
            self._end_block()
        self._first = self._first if self._entries else key
        self._last = key
        self._entries.append(_ENTRY.pack(len(key), len(value)) + key + value)
        self._bytes += len(self._entries[-1])

    def finish(self) -> bytes:
        """Write the last block; the directory, which stands nowhere yet."""
        self._end_block()
        return _packed_directory(self._places)

    def _end_block(self) -> None:
        if not self._entries:
            return
        raw = b"".join(self._entries)
        packed = zlib.compress(raw, _LEVEL)
        data = packed if len(packed) < _WORTH * len(raw) else raw
        self._file.write(data)
        self._places.append(BlockPlace(self._first, self._at, len(data), len(raw), hashlib.sha256(data).digest()))
        self._at += len(data)
        self._entries, self._bytes = [], 0


class BlockTable:
    """A table whose blocks are read where they are needed; what was read is kept up to a bound."""

    def __init__(self, name: str, directory: bytes, blocks: Blocks) -> None:
        self.name = name
        self._places = read_directory(directory, name)
        self._firsts = [place.first for place in self._places]
        self._blocks = blocks
        self._known: dict[int, dict[bytes, bytes]] = {}
        self._known_bytes = 0

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values of those keys that the table has."""
        wanted = [*keys]
        read = self._read(self._numbers_of(wanted))
        held = {number: self._number_of(key) for number, key in enumerate(wanted)}
        found = {key: read[held[number]].get(key) for number, key in enumerate(wanted) if held[number] in read}
        return {key: value for key, value in found.items() if value is not None}

    def starting(self, prefix: bytes, most_blocks: int) -> Iterator[tuple[bytes, bytes]] | None:
        """Entries whose keys begin so, in order; None where they stand in more blocks than that."""
        last = bisect_left(self._firsts, _after(prefix))
        numbers = range(max(0, bisect_right(self._firsts, prefix) - 1), last)
        if len(numbers) > most_blocks:
            return None
        read = self._read(numbers)
        return ((key, value) for number in numbers for key, value in read[number].items() if key.startswith(prefix))

    def missing(self, keys: Iterable[bytes]) -> list[int]:
        """The blocks that some keys stand in and that were not read yet."""
        return [number for number in self._numbers_of(keys) if number not in self._known]

    def place(self, number: int) -> tuple[str, BlockPlace]:
        """Where a block is found."""
        return self.name, self._places[number]

    def take_in(self, number: int, data: bytes) -> dict[bytes, bytes]:
        """Keep a block that was read, for questions to come."""
        place = self._places[number]
        entries = _entries_in(place, data, self.name)
        if self._known_bytes + place.unpacked > _MOST_KNOWN_BYTES:
            # Never emptied: another thread may be reading it.
            self._known, self._known_bytes = {}, 0
        self._known[number] = entries
        self._known_bytes += place.unpacked
        return entries

    def _read(self, numbers: Iterable[int]) -> dict[int, dict[bytes, bytes]]:
        known = self._known
        found = {number: known[number] for number in numbers if number in known}
        missing = [number for number in dict.fromkeys(numbers) if number not in found]
        require_bounded([self.place(number) for number in missing])
        blocks = self._blocks.read([self.place(number) for number in missing]) if missing else []
        return found | {number: self.take_in(number, data) for number, data in zip(missing, blocks, strict=True)}

    def _numbers_of(self, keys: Iterable[bytes]) -> list[int]:
        return [number for number in dict.fromkeys(map(self._number_of, keys)) if number >= 0]

    def _number_of(self, key: bytes) -> int:
        return bisect_right(self._firsts, key) - 1


def read_together(wanted: Iterable[tuple[BlockTable, Iterable[int]]]) -> None:
    """Have tables of one place know some of their blocks, by one look at that place."""
    each = [(table, number) for table, numbers in wanted for number in numbers]
    if each:
        require_bounded([table.place(number) for table, number in each])
        blocks = each[0][0]._blocks
        for (table, number), data in zip(each, blocks.read([table.place(n) for table, n in each]), strict=True):
            table.take_in(number, data)


def require_bounded(wanted: Sequence[tuple[str, BlockPlace]]) -> None:
    """CorruptStoreError for blocks that are more together than is ever read at once."""
    if sum(max(place.size, place.unpacked) for _, place in wanted) > MOST_READ_BYTES:
        raise damaged_table(wanted[0][0], "asks for more than can be read at once")


def damaged_table(name: str, said: str) -> CorruptStoreError:
    """That a table is not what it should be."""
    return CorruptStoreError(f"The table {name} {said}.", hint=PUSH_ANEW)


def read_directory(data: bytes, name: str) -> list[BlockPlace]:
    """The blocks that a directory tells of, in order; CorruptStoreError for what is none."""
    try:
        raw = _inflated(data, MOST_DIRECTORY_BYTES)
        (count,) = _COUNT.unpack_from(raw)
        at, columns = _COUNT.size, []
        for form, size in (("Q", 8), ("I", 4), ("I", 4)):
            columns.append(struct.unpack_from(f"<{count}{form}", raw, at))
            at += size * count
        digests = [raw[at + _DIGEST_BYTES * each : at + _DIGEST_BYTES * (each + 1)] for each in range(count)]
        at += _DIGEST_BYTES * count
        lengths = struct.unpack_from(f"<{count}H", raw, at)
        ends = [*accumulate(lengths, initial=at + 2 * count)]
        firsts = [raw[start:end] for start, end in pairwise(ends)]
        if ends[-1] != len(raw) or any(a >= b for a, b in pairwise(firsts)):
            raise ValueError("its keys don't ascend")
        if max(columns[2], default=0) > MOST_BLOCK_BYTES or max(columns[1], default=0) > MOST_BLOCK_BYTES:
            raise ValueError("a block is larger than any")
        if min(columns[1], default=1) == 0 or [*columns[0]] != [*accumulate(columns[1], initial=0)][:-1]:
            raise ValueError("its blocks don't follow each other")
    except (zlib.error, struct.error, ValueError) as error:
        raise damaged_table(name, f"has a directory that can't be read: {error}") from error
    return [*map(BlockPlace, firsts, *columns, digests)]


def _packed_directory(places: Sequence[BlockPlace]) -> bytes:
    count = len(places)
    parts = [_COUNT.pack(count)]
    for form, column in (("Q", 1), ("I", 2), ("I", 3)):
        parts.append(struct.pack(f"<{count}{form}", *(place[column] for place in places)))
    parts += [place.digest for place in places]
    parts.append(struct.pack(f"<{count}H", *(len(place.first) for place in places)))
    return zlib.compress(b"".join((*parts, *(place.first for place in places))), _LEVEL)


def _entries_in(place: BlockPlace, data: bytes, name: str) -> dict[bytes, bytes]:
    try:
        raw = data if place.size == place.unpacked else _inflated(data, place.unpacked)
        if len(raw) != place.unpacked:
            raise ValueError(f"{len(raw)} bytes")
        found, at = {}, 0
        while at < len(raw):
            key_bytes, value_bytes = _ENTRY.unpack_from(raw, at)
            at += _ENTRY.size
            key, value = raw[at : at + key_bytes], raw[at + key_bytes : at + key_bytes + value_bytes]
            at += key_bytes + value_bytes
            found[key] = value
        if at != len(raw):
            raise ValueError("it is cut off")
    except (zlib.error, struct.error, ValueError) as error:
        raise damaged_table(name, f"has a block that can't be read: {error}") from error
    return found


def _inflated(data: bytes, most: int) -> bytes:
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(data, most + 1)
    if len(raw) > most or not unpacker.eof or unpacker.unused_data:
        raise ValueError("it unpacks to more than it may, or is cut off")
    return raw


def _after(prefix: bytes) -> bytes:
    """The least key that comes after all that begin so."""
    head = prefix.rstrip(b"\xff")
    return head[:-1] + bytes([head[-1] + 1]) if head else b"\xff" * (len(prefix) + 1)
