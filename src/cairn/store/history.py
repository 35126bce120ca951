"""`history.bin`: the last commits, by the words of their messages and by the files that they touched.

No text is in it: a word, a path and a commit are eight bytes of a hash each. Its numbers are little-endian, one array
behind the other: see docs/format.md. It is written anew where new commits came; those that it had are taken over.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import read_unfollowed
from cairn.base.shortage import shortage_of
from cairn.base.terms import term_hashes
from cairn.base.values import dataclass
from cairn.store.layout import Layout
from cairn.store.manifest import FileRef

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

MOST_FILES = 30
"""A commit that touched more says little of each."""
_HEAD = struct.Struct("<8s6I")
_MAGIC = b"cairnhi1"
_MOST = 65_535


class ReadCommit(NamedTuple):
    """A commit, read for the first time."""

    oid: str
    terms: bytes
    """Eight bytes a term, and one byte how often the message has it."""
    counts: bytes
    length: int
    paths: Sequence[str]
    vector: npt.NDArray[np.float32]
    """What its message means; without elements where nothing tells that at hand."""


@dataclass(frozen=True, slots=True)
class History:
    """Commits, newest first, under the numbers that the other arrays have of them."""

    oids: npt.NDArray[np.uint64]
    lengths: npt.NDArray[np.uint16]
    """Tokens of each message."""
    touched: npt.NDArray[np.uint8]
    """How many files each touched; 0 for one that says nothing of any."""
    scales: npt.NDArray[np.float32]
    vectors: npt.NDArray[np.int8]
    terms: npt.NDArray[np.uint64]
    term_ends: npt.NDArray[np.uint32]
    held: npt.NDArray[np.uint16]
    """The commits that hold each term, term by term."""
    counts: npt.NDArray[np.uint8]
    files: npt.NDArray[np.uint64]
    file_ends: npt.NDArray[np.uint32]
    touching: npt.NDArray[np.uint16]
    """The commits that touched each file, file by file."""

    def frequencies(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """How often each commit (down) has each of some terms (across)."""
        found = np.zeros((len(self.oids), len(hashes)))
        for column, at in enumerate(_places(self.terms, hashes).tolist()):
            if at >= 0:
                own = slice(self.term_ends[at - 1] if at else 0, self.term_ends[at])
                found[self.held[own], column] = self.counts[own]
        return found

    def likeness(self, vector: npt.NDArray[np.float32], commits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float64]:
        """How near the messages of some commits are to a unit vector; 0 where nothing is known of that."""
        if self.vectors.shape[1] != len(vector):
            return np.zeros(len(commits))
        # Not as a product of matrices: for one so small the threads of the library wait for each other.
        near = np.einsum("cd,d->c", self.vectors[commits].astype(np.float32), vector)
        found: npt.NDArray[np.float64] = (near * self.scales[commits]).astype(np.float64)
        return found

    def commits_of(self, paths: Sequence[str]) -> list[npt.NDArray[np.uint16]]:
        """The numbers of the commits that touched each of some files."""
        at = _places(self.files, np.frombuffer(term_hashes(paths), dtype="<u8"))
        bounds = np.concatenate([[0], self.file_ends])
        starts, ends = bounds[at], bounds[np.where(at < 0, at, at + 1)]
        return [self.touching[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def number_of(oid: str) -> int:
    """Eight bytes that stand for a commit."""
    return int.from_bytes(bytes.fromhex(oid[:16]), "little")


def joined(order: Sequence[str], known: History | None, read: Sequence[ReadCommit]) -> History:
    """The history of some commits, of which each is known already or was read; what is of no other is left behind."""
    own = {number_of(each.oid): each for each in read}
    was = {oid: at for at, oid in enumerate(known.oids.tolist())} if known is not None else {}
    oids = [oid for oid in map(number_of, order) if oid in own or oid in was][:_MOST]
    at = {oid: place for place, oid in enumerate(oids)}
    wide = next((len(each.vector) for each in read if len(each.vector)), known.vectors.shape[1] if known else 0)
    lengths, touched = np.zeros(len(oids), np.uint16), np.zeros(len(oids), np.uint8)
    scales, vectors = np.zeros(len(oids), np.float32), np.zeros((len(oids), wide), np.int8)
    terms, files = _Pairs(), _Pairs()
    if known is not None:
        now = np.array([at.get(oid, -1) for oid in known.oids.tolist()], dtype=np.int64)
        kept = np.flatnonzero(now >= 0)
        lengths[now[kept]], touched[now[kept]] = known.lengths[kept], known.touched[kept]
        if known.vectors.shape[1] == wide:
            scales[now[kept]], vectors[now[kept]] = known.scales[kept], known.vectors[kept]
        terms.take(known.terms, known.term_ends, now[known.held], known.counts)
        files.take(known.files, known.file_ends, now[known.touching], np.ones(len(known.touching), np.uint8))
    for oid, each in own.items():
        if oid not in at or oid in was or not 0 < len(each.paths) <= MOST_FILES:
            continue
        place = at[oid]
        lengths[place], touched[place] = min(each.length, _MOST), len(each.paths)
        if len(each.vector) and (top := float(np.abs(each.vector).max())):
            scales[place], vectors[place] = top / 127, np.round(each.vector * (127 / top))
        terms.add(each.terms, place, each.counts)
        files.add(term_hashes(each.paths), place, b"\1" * len(each.paths))
    return History(
        np.array(oids, dtype=np.uint64), lengths, touched, scales, vectors, *terms.sorted(), *files.sorted()[:3]
    )


class _Pairs:
    """Hashes with a commit each, put in order once all are there."""

    def __init__(self) -> None:
        self._known: list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.uint8]]] = []
        self._hashes: list[bytes] = []
        self._commits: list[int] = []
        self._counts: list[bytes] = []

    def take(
        self,
        hashes: npt.NDArray[np.uint64],
        ends: npt.NDArray[np.uint32],
        commits: npt.NDArray[np.int64],
        counts: npt.NDArray[np.uint8],
    ) -> None:
        """Those of a former history, without the commits that have the number -1."""
        kept = commits >= 0
        each = np.repeat(hashes, np.diff(ends, prepend=np.uint32(0)))
        self._known.append((each[kept], commits[kept], counts[kept]))

    def add(self, hashes: bytes, commit: int, counts: bytes) -> None:
        """Those of one commit."""
        self._hashes.append(hashes)
        self._commits.append(commit)
        self._counts.append(counts)

    def sorted(
        self,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """(each hash once, where its commits end, the commits, the counts)"""
        new = (
            np.frombuffer(b"".join(self._hashes), dtype="<u8"),
            np.repeat(np.array(self._commits, np.int64), np.array([len(each) for each in self._counts], np.int64)),
            np.frombuffer(b"".join(self._counts), dtype=np.uint8),
        )
        hashes, commits, counts = (np.concatenate(parts) for parts in zip(*self._known, new, strict=True))
        order = np.lexsort((commits, hashes))
        own, held = np.unique(hashes, return_counts=True)
        return own, held.cumsum().astype(np.uint32), commits[order].astype(np.uint16), counts[order]


def encode(history: History) -> bytes:
    """A history as it is written."""
    sizes = (
        *history.vectors.shape,
        *(len(each) for each in (history.terms, history.held, history.files, history.touching)),
    )
    arrays = (getattr(history, name).astype(kind) for name, kind, _ in _ARRAYS)
    return _HEAD.pack(_MAGIC, *sizes) + b"".join(each.tobytes() for each in arrays)


_ARRAYS = (
    ("oids", "<u8", 0),
    ("terms", "<u8", 2),
    ("files", "<u8", 4),
    ("scales", "<f4", 0),
    ("term_ends", "<u4", 2),
    ("file_ends", "<u4", 4),
    ("lengths", "<u2", 0),
    ("held", "<u2", 3),
    ("touching", "<u2", 5),
    ("touched", "u1", 0),
    ("counts", "u1", 3),
    ("vectors", "i1", -1),
)
"""Each array, its type, and which of the sizes in the header it has; larger numbers come first."""


def decode(data: bytes, place: str) -> History:
    """A history as it was written; CorruptStoreError for anything else."""
    try:
        magic, *sizes = _HEAD.unpack_from(data)
        found, start = {}, _HEAD.size
        for name, kind, size in _ARRAYS:
            count = sizes[0] * sizes[1] if size < 0 else sizes[size]
            found[name] = np.frombuffer(data, kind, count, start)
            start += found[name].nbytes
        found["vectors"] = found["vectors"].reshape(sizes[0], sizes[1])
    except (struct.error, ValueError) as error:
        raise CorruptStoreError(f"{place} is not a history: {error}.") from error
    history = History(**found)
    pairs = ((history.term_ends, history.held), (history.file_ends, history.touching))
    fits = all(_ends_in(ends, len(held)) and (held < sizes[0]).all() for ends, held in pairs)
    if magic != _MAGIC or start != len(data) or not fits or not np.isfinite(history.scales).all():
        raise CorruptStoreError(f"{place} is not a history: its numbers don't fit together.")
    return history


def read(layout: Layout, ref: FileRef) -> History:
    """The history of one file, which was verified."""
    try:
        return _read(os.path.join(layout.path, ref.path), ref)
    except OSError as error:
        raise shortage_of(error) or CorruptStoreError(f"{ref.path} can't be read: {error.strerror}.") from error


@lru_cache(maxsize=4)
def _read(path: str, ref: FileRef) -> History:
    """The last few are known: every question reads the same one."""
    found = decode(read_unfollowed(path), ref.path)
    if len(found.oids) != ref.count:
        raise CorruptStoreError(f"{ref.path} is of {len(found.oids)} commits, not of {ref.count}.")
    return found


def _ends_in(ends: npt.NDArray[np.uint32], total: int) -> bool:
    return bool((np.diff(ends.astype(np.int64)) >= 0).all()) and (int(ends[-1]) if len(ends) else 0) == total


def _places(keys: npt.NDArray[np.uint64], wanted: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Where each hash stands among sorted ones; -1 where it doesn't."""
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: npt.NDArray[np.int64] = np.where(keys[at] == wanted, at, -1).astype(np.int64)
    return found
