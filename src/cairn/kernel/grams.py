"""The trigrams of a file's text, folded and hashed into buckets."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from cairn.base import lazy
from cairn.kernel.core import core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

BITS = 18
QUARTERS = struct.Struct("<IIII")
LOW = 1 << 16
ON = 255
"""A step that only goes on."""
_FACTOR = 2_654_435_761
_SIMILAR = ((b"\xc4\xb0", b"i"), (b"\xc4\xb1", b"i"), (b"\xc5\xbf", b"s"), (b"\xe2\x84\xaa", b"k"))
"""The only characters beyond ASCII that equal a letter of it when case is ignored."""


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
    return tuple(sorted({(code * _FACTOR & 0xFFFFFFFF) >> (32 - BITS) for code in codes}))


def grams_of(data: bytes) -> bytes:
    """All buckets of a file's text: two bytes each, after the count in each quarter of their range."""
    native = core()
    found: bytes = grams_by_reference(data) if native is None else native.grams_of(data)
    return found


def grams_by_reference(data: bytes) -> bytes:
    """The same by the reference."""
    low = np.frombuffer(folded(data), dtype=np.uint8).astype(np.uint32)
    if len(low) < 3:
        return QUARTERS.pack(0, 0, 0, 0)
    codes = (low[:-2] << 16) | (low[1:-1] << 8) | low[2:]
    codes *= np.uint32(_FACTOR)
    codes >>= np.uint32(32 - BITS)
    # numpy sorts plain numbers with vector instructions: cheaper than a look at every mark of a table.
    codes.sort()
    first = np.ones(len(codes), dtype=np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=first[1:])
    found = codes[first]
    one, two, three = found.searchsorted(np.array((LOW, 2 * LOW, 3 * LOW), dtype=np.uint32)).tolist()
    return QUARTERS.pack(one, two - one, three - two, len(found) - three) + found.astype("<u2").tobytes()


class Buckets(NamedTuple):
    """Which files are in each bucket, as little-endian arrays."""

    offsets: bytes
    """Where the steps of each bucket begin, and where the last end: uint32."""
    buckets: bytes
    """Those with a file in them: uint32, ascending."""
    steps: bytes
    """From 0 through the numbers of a bucket's files; `ON` only goes on: uint8. In the place of as many bytes as a bit
    for each file takes, or of more, a bucket has these bits, the lowest of a byte first."""


def gathered(grams: Sequence[bytes]) -> Buckets:
    """The trigrams of files, which have consecutive numbers, by bucket."""
    native = core()
    return gathered_by_reference(grams) if native is None else Buckets(*native.gathered(grams))


def gathered_by_reference(grams: Sequence[bytes]) -> Buckets:
    """The same by the reference."""
    counts = np.zeros(1 << BITS, dtype=np.int64)
    for each in grams:
        counts[_unpacked(each)] += 1  # a file names a bucket once
    buckets = np.flatnonzero(counts)
    firsts = np.concatenate(([0], np.cumsum(counts[buckets])))
    # From here on, `counts` says where the next file of each bucket goes.
    counts[buckets] = firsts[:-1]
    files = np.zeros(int(firsts[-1]), dtype=np.int32)
    for number, each in enumerate(grams):
        mine = _unpacked(each)
        files[counts[mine]] = number
        counts[mine] += 1
    gaps = np.diff(files, prepend=np.int32(0))
    gaps[firsts[:-1]] = files[firsts[:-1]]
    ends = np.cumsum(gaps // ON + 1, dtype=np.int64)
    steps = np.full(int(ends[-1]) if len(ends) else 0, ON, dtype=np.uint8)
    steps[ends - 1] = gaps % ON
    sizes = np.diff(ends[firsts[1:] - 1], prepend=0)
    map_bytes = bitmap_bytes(len(grams))
    mapped = sizes >= map_bytes
    shorter = np.minimum(sizes, map_bytes)
    offsets = np.concatenate(([0], np.cumsum(shorter)))
    found = np.empty(int(offsets[-1]), dtype=np.uint8)
    found[np.repeat(~mapped, shorter)] = steps[np.repeat(~mapped, sizes)]
    for bucket in np.flatnonzero(mapped).tolist():
        bits = np.zeros(8 * map_bytes, dtype=np.uint8)
        bits[files[firsts[bucket] : firsts[bucket + 1]]] = 1
        found[offsets[bucket] : offsets[bucket + 1]] = np.packbits(bits, bitorder="little")
    return Buckets(offsets.astype("<u4").tobytes(), buckets.astype("<u4").tobytes(), found.tobytes())


def bitmap_bytes(files: int) -> int:
    """How many bytes a bit for each of some files takes."""
    return -(-files // 8)


def _unpacked(grams: bytes) -> npt.NDArray[np.int64]:
    quarters = QUARTERS.unpack_from(grams)
    buckets: npt.NDArray[np.int64] = np.repeat(np.arange(4, dtype=np.int64) * LOW, quarters)
    buckets += np.frombuffer(grams, dtype="<u2", offset=QUARTERS.size)
    return buckets
