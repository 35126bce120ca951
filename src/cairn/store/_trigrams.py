"""`trigrams.bin`: which files hold which three bytes in a row.

It answers "where could this text be" without a look at the files. Trigrams are taken over a file's
whole text, folded, and hashed into buckets: a file may be named that doesn't hold a text, but none
is missed that does.

A header of 64 bytes (magic, version, files, buckets, steps), then arrays in little-endian order: offsets
uint32[buckets + 1], buckets uint32[buckets] in ascending order, steps uint8[steps]. The steps of a bucket lead through
the numbers of its files, from 0 on: each goes on by its value and is at a file then, but for 255, which only goes on.
Where these would be no fewer bytes, a bit for each file stands in their place, the lowest of a byte first.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, compress, count

from cairn.base.errors import CorruptStoreError
from cairn.base.shortage import shortage_of
from cairn.kernel.grams import ON, bitmap_bytes, gathered

TRIGRAMS_FILE = "trigrams.bin"
_MAGIC = b"CAIRNTRI"
_VERSION = 3
_HEADER = struct.Struct("<8sIQQQ")
_HEADER_BYTES = 64
_NUMBER = struct.Struct("<I")
_FAR = bytes([ON])
_WORTH = 200
"""How many entries of a list are read, at most, for each file that is still in question."""

Clause = tuple[tuple[int, ...], ...]
"""Alternatives, one of which must hold; an alternative is buckets that must all be there."""


class TrigramsWriter:
    """Files get consecutive numbers in the order in which they are added."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, TRIGRAMS_FILE)
        self._grams: list[bytes] = []

    def add(self, grams: bytes) -> None:
        """Add the trigrams of the next file."""
        self._grams.append(grams)

    def close(self) -> None:
        """Write the file."""
        files = len(self._grams)
        found = gathered(self._grams)
        self._grams = []
        with open(self._path, "xb") as file:
            header = _HEADER.pack(_MAGIC, _VERSION, files, len(found.buckets) // 4, len(found.steps))
            file.write(header.ljust(_HEADER_BYTES, b"\0"))
            for part in (found.offsets, found.buckets, found.steps):
                file.write(part)


class TrigramsReader:
    """The trigrams of one segment, mapped into memory."""

    def __init__(self, folder: str, files: int) -> None:
        path = os.path.join(folder, TRIGRAMS_FILE)
        try:
            with open(path, "rb") as file:
                self._data: mmap.mmap | bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            magic, version, said, self._buckets, steps = _HEADER.unpack_from(self._data)
        except (OSError, ValueError, struct.error) as error:
            raise shortage_of(error) or CorruptStoreError(f"{path} can't be read as trigrams: {error}.") from error
        self._files, self._map_bytes = files, bitmap_bytes(files)
        self._bucket_at = _HEADER_BYTES + 4 * (self._buckets + 1)
        self._step_at = self._bucket_at + 4 * self._buckets
        if (magic, version, said, len(self._data)) != (_MAGIC, _VERSION, files, self._step_at + steps):
            raise CorruptStoreError(f"{path} is not the trigrams of {files} files.")

    def files(self, clauses: Sequence[Clause]) -> set[int] | None:
        """Numbers of the files in which every clause holds; None when nothing is asked for."""
        found: set[int] | None = None
        for clause in sorted(clauses, key=len):
            if not all(clause):
                continue  # an alternative that asks for nothing holds everywhere
            holding: set[int] = set()
            for buckets in clause:
                holding |= self._all_of(buckets, found)
            found = holding
            if not found:
                break
        return found

    def entries(self) -> Iterator[tuple[int, bytes]]:
        """Every bucket that has a file in it, in order, with its steps."""
        for place in range(self._buckets):
            at = _HEADER_BYTES + 4 * place
            left, right = self._step_at + self._number(at), self._step_at + self._number(at + 4)
            yield self._number(self._bucket_at + 4 * place), self._data[left:right]

    def _all_of(self, buckets: Collection[int], among: set[int] | None) -> set[int]:
        """Files that are in every one of some buckets; the rarest is looked at first."""
        spans = sorted((self._span(bucket) for bucket in buckets), key=lambda span: span[1] - span[0])
        found = among
        for left, right in spans:
            entries = self._files if right - left == self._map_bytes else right - left
            if found is not None and (not found or entries > _WORTH * len(found)):
                # A long list would take out less than it costs: what is left is looked at in any case.
                break
            listed = self._listed(left, right)
            found = set(listed) if found is None else found.intersection(listed)
        return found if found is not None else set()

    def _span(self, bucket: int) -> tuple[int, int]:
        """Where the steps of a bucket stand; an empty span for one that has none."""
        low, high = 0, self._buckets
        while low < high:
            middle = (low + high) // 2
            if self._number(self._bucket_at + 4 * middle) < bucket:
                low = middle + 1
            else:
                high = middle
        if low == self._buckets or self._number(self._bucket_at + 4 * low) != bucket:
            return 0, 0
        at = _HEADER_BYTES + 4 * low
        return self._number(at), self._number(at + 4)

    def _number(self, at: int) -> int:
        value: int = _NUMBER.unpack_from(self._data, at)[0]
        return value

    def _listed(self, left: int, right: int) -> Iterable[int]:
        steps = self._data[self._step_at + left : self._step_at + right]
        if len(steps) == self._map_bytes:
            bits = f"{int.from_bytes(steps, 'little'):b}"
            return compress(count(), map("1".__eq__, reversed(bits)))
        numbers = accumulate(steps)
        return compress(numbers, map(ON.__ne__, steps)) if _FAR in steps else numbers
