"""LanceDB tables at an address of the user's, such as an object store: one table a segment, one folder a store."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cairn import durable, later
from cairn.engines.lance import FAILURES, NAME, connect, first_line, reader_of, write_table
from cairn.engines.protocol import VectorReader, Vectors
from cairn.engines.record import Digester, Record, digest_of, place_of, read_record, write_record
from cairn.errors import CorruptStoreError, ProbeFailedError

if TYPE_CHECKING:
    import numpy as np
else:
    np = later.module("numpy")

_ROWS_AT_ONCE = 8192
_MANY = 1000
_NOWHERE = "cairn_nowhere"


class RemoteLanceEngine:
    """Tables that no checksum of ours covers, so each segment's folder has the digest of its own."""

    name = NAME

    def __init__(self, store: str, uri: str, *, exact: bool = False) -> None:
        self._store = store
        self._uri = uri.rstrip("/")
        self._exact = exact

    def write(self, folder: str, vectors: Vectors) -> None:
        place = place_of(self._store, make=True)
        name = os.path.basename(folder)
        with self._reached():
            write_table(self._database(place), name, vectors)
            if os.path.isdir(self._uri):
                durable.sync_tree(os.path.join(self._uri, str(place), f"{name}.lance"))
        write_record(folder, Record(str(place), len(vectors), vectors.shape[1], digest_of([vectors])))

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        record = read_record(folder, count, dimension)
        name = os.path.basename(folder)
        with self._reached():
            database = self._database(record.place)
            if name not in _names(database):
                raise CorruptStoreError(
                    f"The vectors of {name} are gone from {self._shown}: somebody removed them.",
                    hint="Run `cairn repair`.",
                )
            table = database.open_table(name)
            return reader_of(table, f"{name} at {self._shown}", count, dimension, self._reached, exact=self._exact)

    def verify(self, folder: str, count: int, dimension: int) -> None:
        record = read_record(folder, count, dimension)
        reader = self.open(folder, count, dimension)
        digester = Digester()
        for start in range(0, count, _ROWS_AT_ONCE):
            digester.add(reader.take(np.arange(start, min(start + _ROWS_AT_ONCE, count), dtype=np.int64)))
        if digester.text() != record.digest:
            name = os.path.basename(folder)
            raise CorruptStoreError(f"The vectors of {name} at {self._shown} are not those that were written.")

    def held(self) -> frozenset[str]:
        place = place_of(self._store, make=False)
        with self._reached():
            found = frozenset(_names(self._database(place or _NOWHERE)))
        return found if place is not None else frozenset()

    def remove(self, segments: Collection[str]) -> None:
        place = place_of(self._store, make=False)
        if place is None or not segments:
            return
        with self._reached():
            database = self._database(place)
            for name in sorted(segments):
                database.drop_table(name, ignore_missing=True)

    def remove_all(self) -> None:
        self.remove(self.held())

    def _database(self, place: str | None) -> Any:
        return connect(f"{self._uri}/{place}")

    @property
    def _shown(self) -> str:
        parts = urlsplit(self._uri)
        return f"{parts.scheme}://{parts.hostname or ''}{parts.path}" if parts.scheme else self._uri

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        """What LanceDB can't do at an address says nothing of what lies there."""
        try:
            yield
        except CorruptStoreError:
            raise
        except FAILURES as error:
            raise ProbeFailedError(
                f"The LanceDB tables at {self._shown} can't be reached: {first_line(error)}."
            ) from error


def _names(database: Any) -> list[str]:
    found: list[str] = []
    token = None
    while True:
        page = database.list_tables(page_token=token, limit=_MANY)
        found += page.tables
        token = page.page_token
        if not token:
            return found
