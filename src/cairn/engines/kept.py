"""Vectors that lie elsewhere, kept in the store's cache by their digest, so that an object store gives them once.

A kept matrix is held against its digest, and again whenever its file was touched since. It may be lost at any time.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
from typing import TYPE_CHECKING

from cairn.base import durable, lazy
from cairn.base.errors import CairnError
from cairn.base.ownfile import fault_at, read_own
from cairn.engines.flat import FlatReader, mapped, shortest
from cairn.engines.places import file_mode
from cairn.engines.protocol import Vectors
from cairn.engines.record import VectorRecord, digest_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

_PREFIX = "vectors-"
_MATRIX, _STAMP = ".npy", ".json"
_MOST_BYTES = 4
"""So many has a number that is not a half."""
_DAY_S = 86_400.0


class KeptVectors:
    """The matrices that a store keeps of segments whose vectors are elsewhere, within a budget."""

    def __init__(self, store: str, budget: int) -> None:
        self._store = store
        self._folder = os.path.join(store, "cache")
        self._budget = budget

    def reader(self, record: VectorRecord) -> FlatReader | None:
        """A segment's vectors; None if they are not kept, or not as they were."""
        path = self._path(record.digest, _MATRIX)
        try:
            if not self._budget or fault_at(path):
                return None
            reader = mapped(path, record.rows, record.dimension)
            if self._noted(record.digest) != _stamp(path):
                if digest_of(reader.parts()) != record.digest:
                    self._drop(record.digest)
                    return None
                self._note(record.digest)
        except (OSError, CairnError, ValueError):
            # Nothing is kept by a name that no file can have, which a damaged record may hold.
            return None
        # The note is as old as the last use; a folder that can't be written to gives what it keeps all the same.
        with contextlib.suppress(OSError):
            os.utime(self._path(record.digest, _STAMP))
        return reader

    def has_room(self, rows: int, dimension: int) -> bool:
        """Whether so many vectors could be kept beside all that was used in the last day."""
        wanted, now = _MOST_BYTES * rows * dimension, time.time()
        try:
            used = [each for each in self._digests() if now - self._last_used(each) < _DAY_S]
            taken = sum(os.stat(self._path(digest, _MATRIX)).st_size for digest in used)
        except OSError:
            return False
        return max(wanted, taken) + wanted <= self._budget

    def keep(self, record: VectorRecord, vectors: Vectors) -> None:
        """Keep a segment's vectors in the place of those that nobody used for longest."""
        matrix = shortest(vectors)
        if not matrix.nbytes or 2 * matrix.nbytes > self._budget:
            return
        data = io.BytesIO()
        np.lib.format.write_array(data, np.ascontiguousarray(matrix), allow_pickle=False)
        # A full disk costs time with the next question, and nothing else.
        with contextlib.suppress(OSError, CairnError):
            self._make_room(matrix.nbytes)
            durable.write_cache(self._path(record.digest, _MATRIX), data.getvalue(), file_mode(self._store))
            self._note(record.digest)

    def _make_room(self, wanted: int) -> None:
        sizes = {digest: os.stat(self._path(digest, _MATRIX)).st_size for digest in self._digests()}
        for digest in sorted(sizes, key=self._last_used):
            if sum(sizes.values()) + wanted <= self._budget:
                return
            self._drop(digest)
            del sizes[digest]

    def _digests(self) -> list[str]:
        return [name[len(_PREFIX) : -len(_MATRIX)] for name in os.listdir(self._folder) if _is_matrix(name)]

    def _last_used(self, digest: str) -> float:
        try:
            return os.stat(self._path(digest, _STAMP)).st_mtime
        except OSError:
            return 0.0

    def _noted(self, digest: str) -> list[int]:
        try:
            said = json.loads(read_own(self._path(digest, _STAMP)))
        except (OSError, ValueError):
            return []
        return said if isinstance(said, list) else []

    def _note(self, digest: str) -> None:
        said = json.dumps(_stamp(self._path(digest, _MATRIX))).encode()
        durable.write_cache(self._path(digest, _STAMP), said, file_mode(self._store))

    def _drop(self, digest: str) -> None:
        for kind in (_MATRIX, _STAMP):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path(digest, kind))

    def _path(self, digest: str, kind: str) -> str:
        return os.path.join(self._folder, f"{_PREFIX}{digest}{kind}")


def _is_matrix(name: str) -> bool:
    return name.startswith(_PREFIX) and name.endswith(_MATRIX)


def _stamp(path: str) -> list[int]:
    found = os.stat(path, follow_symlinks=False)
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]
