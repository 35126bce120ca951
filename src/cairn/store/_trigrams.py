"""`trigrams.bin`: which files hold which three bytes in a row.

It answers "where could this text be" without a look at the files. Trigrams are taken over a file's
whole text, folded, and hashed into buckets: a file may be named that doesn't hold a text, but none
is missed that does.

A header of 64 bytes (magic, version, files, buckets, entries), then arrays in little-endian order:
offsets uint64[buckets + 1], buckets uint32[buckets] in ascending order, file numbers uint16[entries],
or uint32 with more than 65,536 files, ascending within each bucket.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.shortage import shortage_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

TRIGRAMS_FILE = "trigrams.bin"
_MAGIC = b"CAIRNTRI"
_VERSION = 1
_HEADER = struct.Struct("<8sIQQQ")
_HEADER_BYTES = 64
_BITS = 18
_FACTOR = 2_654_435_761
_LOW = 1 << 16
_QUARTERS = struct.Struct("<IIII")
_WORTH = 200
"""How many entries of a list are read, at most, for each file that is still in question."""
_SIMILAR = ((b"\xc4\xb0", b"i"), (b"\xc4\xb1", b"i"), (b"\xc5\xbf", b"s"), (b"\xe2\x84\xaa", b"k"))
"""The only characters beyond ASCII that equal a letter of it when case is ignored."""

Clause = tuple[tuple[int, ...], ...]
"""Alternatives, one of which must hold; an alternative is buckets that must all be there."""


def folded(data: bytes) -> bytes:
    """Text as the index sees it: what differs only in the case of ASCII letters is the same."""
    low = data.lower()
    if not low.isascii():
        for character, letter in _SIMILAR:
            low = low.replace(character, letter)
    return low


def buckets_in(text: bytes) -> tuple[int, ...]:
    """The buckets that every file with this text is in; none for a text of less than three bytes."""
    low = folded(text)
    codes = {low[at] << 16 | low[at + 1] << 8 | low[at + 2] for at in range(len(low) - 2)}
    return tuple(sorted({(code * _FACTOR & 0xFFFFFFFF) >> (32 - _BITS) for code in codes}))


def grams_of(data: bytes) -> bytes:
    """All buckets of a file's text, as a writer takes them in: two bytes each, after the count in each quarter."""
    low = np.frombuffer(folded(data), dtype=np.uint8).astype(np.uint32)
    if len(low) < 3:
        return _QUARTERS.pack(0, 0, 0, 0)
    codes = (low[:-2] << 16) | (low[1:-1] << 8) | low[2:]
    codes *= np.uint32(_FACTOR)
    codes >>= np.uint32(32 - _BITS)
    # numpy sorts plain numbers with vector instructions: cheaper than a look at every mark of a table.
    codes.sort()
    first = np.ones(len(codes), dtype=np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=first[1:])
    found = codes[first]
    one, two, three = found.searchsorted(np.array((_LOW, 2 * _LOW, 3 * _LOW), dtype=np.uint32)).tolist()
    return _QUARTERS.pack(one, two - one, three - two, len(found) - three) + found.astype("<u2").tobytes()


def _unpacked(grams: bytes) -> npt.NDArray[np.int64]:
    quarters = _QUARTERS.unpack_from(grams)
    buckets: npt.NDArray[np.int64] = np.repeat(np.arange(4, dtype=np.int64) * _LOW, quarters)
    buckets += np.frombuffer(grams, dtype="<u2", offset=_QUARTERS.size)
    return buckets


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
        counts = np.zeros(1 << _BITS, dtype=np.int64)
        for grams in self._grams:
            counts[_unpacked(grams)] += 1  # a file names a bucket once
        buckets = np.flatnonzero(counts)
        offsets = np.concatenate(([0], np.cumsum(counts[buckets])))
        entries = int(offsets[-1])
        # From here on, `counts` says where the next file of each bucket goes.
        counts[buckets] = offsets[:-1]
        files = np.zeros(entries, dtype="<u2" if len(self._grams) <= _LOW else "<u4")
        for number, grams in enumerate(self._grams):
            mine = _unpacked(grams)
            files[counts[mine]] = number
            counts[mine] += 1
        with open(self._path, "xb") as file:
            header = _HEADER.pack(_MAGIC, _VERSION, len(self._grams), len(buckets), entries)
            file.write(header.ljust(_HEADER_BYTES, b"\0"))
            file.write(offsets.astype("<u8").tobytes())
            file.write(buckets.astype("<u4").tobytes())
            file.write(files.tobytes())


class TrigramsReader:
    """The trigrams of one segment, mapped into memory."""

    def __init__(self, folder: str, files: int) -> None:
        path = os.path.join(folder, TRIGRAMS_FILE)
        try:
            with open(path, "rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            magic, version, said, self._buckets, entries = _HEADER.unpack_from(self._data)
        except (OSError, ValueError, struct.error) as error:
            raise shortage_of(error) or CorruptStoreError(f"{path} can't be read as trigrams: {error}.") from error
        self._width, self._letter = (2, "H") if said <= _LOW else (4, "I")
        self._bucket_at = _HEADER_BYTES + 8 * (self._buckets + 1)
        self._file_at = self._bucket_at + 4 * self._buckets
        size = self._file_at + self._width * entries
        if (magic, version, said, len(self._data)) != (_MAGIC, _VERSION, files, size):
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

    def _all_of(self, buckets: Collection[int], among: set[int] | None) -> set[int]:
        """Files that are in every one of some buckets; the rarest is looked at first."""
        spans = sorted((self._span(bucket) for bucket in buckets), key=lambda span: span[1] - span[0])
        found = among
        for left, right in spans:
            if found is not None and (not found or (right - left) > _WORTH * len(found)):
                # A long list would take out less than it costs: what is left is looked at in any case.
                break
            listed = self._listed(left, right)
            found = set(listed) if found is None else found.intersection(listed)
        return found if found is not None else set()

    def _span(self, bucket: int) -> tuple[int, int]:
        """Where the files of a bucket stand; an empty span for one that has none."""
        low, high = 0, self._buckets
        while low < high:
            middle = (low + high) // 2
            if self._number("<I", self._bucket_at + 4 * middle) < bucket:
                low = middle + 1
            else:
                high = middle
        if low == self._buckets or self._number("<I", self._bucket_at + 4 * low) != bucket:
            return 0, 0
        at = _HEADER_BYTES + 8 * low
        return self._number("<Q", at), self._number("<Q", at + 8)

    def _number(self, form: str, at: int) -> int:
        value: int = struct.unpack_from(form, self._data, at)[0]
        return value

    def _listed(self, left: int, right: int) -> Sequence[int]:
        return struct.unpack_from(f"<{right - left}{self._letter}", self._data, self._file_at + self._width * left)
