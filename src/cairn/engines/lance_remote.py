"""LanceDB tables at an address of the user's, such as an object store: one table a segment, one folder a store.

LanceDB repeats what an object store doesn't answer for minutes, so every step has a deadline of ours. A table carries
its segment's record in its schema, which is its marker, and counts what is done to it in a version, so that a look
at both before each question tells whether anybody has touched it.

Where the address is a folder, that of the store in it is made once, with the store's place, and by nobody who reads or
writes afterwards: where it is missing, what it lies on is not mounted, and nothing is known of the tables.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from cairn.base import durable, lazy
from cairn.base.errors import CorruptStoreError, EngineDeniedError, ProbeFailedError, VectorsLostError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import replace
from cairn.engines.deadline import within
from cairn.engines.flat import FlatReader
from cairn.engines.kept import KeptVectors
from cairn.engines.lance import (
    NAME,
    Guard,
    LanceEngine,
    first_line,
    holds_table,
    is_failure,
    is_panic,
    reader_of,
    reads_all,
    require_ends,
    write_table,
)
from cairn.engines.lance_refusals import credentials_of, is_denied, is_lost, is_refused
from cairn.engines.places import forget, names_at, place_to_write, places_of, require_here, settle
from cairn.engines.protocol import JointReader, Mask, Numbers, Scores, VectorReader, Vectors
from cairn.engines.record import Digester, VectorRecord, digest_of, has_record, place_in, read_record, write_record
from cairn.engines.settings import LanceSettings

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

R = TypeVar("R")
_ROWS_AT_ONCE = 8192
_MANY = 1000
_AT_ONCE = 8
"""So many tables are asked at the same time."""
_NOWHERE = "cairn_nowhere"
_MARKER = b"cairn"
_READ, _WRITE = 3, 60
"""Deadlines for reading and writing rows, as multiples of the deadline for a look at a table."""
_NUMBERS_AT_ONCE = 1 << 21
"""Who reads rows has the deadline for a look once more for so many numbers of them, 8 MB."""


class RemoteLanceEngine:
    """Tables outside of the store. No checksum of ours covers them, so each segment's folder holds a digest."""

    name = NAME

    def __init__(self, store: str, settings: LanceSettings) -> None:
        self._store = store
        self._address = settings.address
        self._timeout_s = settings.timeout_s
        self._exact = settings.exact
        self._kept = KeptVectors(store, settings.kept_mb << 20)

    def write(self, folder: str, vectors: Vectors) -> None:
        vectors = vectors.astype(np.float32, copy=False)
        place = place_to_write(self._store, self.name, self._address, self._make)
        name = os.path.basename(folder)
        record = VectorRecord(place, len(vectors), vectors.shape[1], digest_of([vectors]))

        def work() -> int:
            table = write_table(self._database(place), name, vectors, {_MARKER: record.text().encode()})
            if self._is_folder:
                durable.sync_tree(os.path.join(self._folder(place), f"{name}.lance"))
                durable.sync_folder(self._folder(place))
            return int(table.version)

        version = self._done(work, self._reached, _WRITE)
        write_record(folder, replace(record, version=version))
        self._kept.keep(record, vectors)

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        if has_record(folder):
            # What is kept is what was written, by its digest, whatever became of the table: nobody has to be asked.
            kept = self._kept.reader(self._record(folder, count, dimension))
            if kept is not None:
                return kept
        return self._opened(folder, count, dimension, self._kept)

    def _opened(self, folder: str, count: int, dimension: int, kept: KeptVectors | None) -> VectorReader:
        if holds_table(folder) and not has_record(folder):
            # Written before there was an address: the manifest's checksum covers it.
            return LanceEngine(exact=self._exact).open(folder, count, dimension)
        record = self._record(folder, count, dimension)
        name = os.path.basename(folder)
        guard = partial(self._read, record.place, name)
        table = self._done(lambda: self._table(record, name), guard)
        # A question to a large table over a network takes hundreds of requests: to read it once is soon less.
        whole = kept is not None and kept.has_room(count, dimension)
        patience = _patience(count * dimension if reads_all(count, whole=whole) else 0)
        reader = self._done(
            lambda: reader_of(
                table, f"{name} at {self._shown}", count, dimension, guard, exact=self._exact, whole=whole
            ),
            guard,
            patience,
        )
        if kept is not None and isinstance(reader, FlatReader):
            self._keep(kept, record, name, reader)
        return _Watched(
            reader,
            self._address,
            lambda work, rows: self._done(work, guard, _patience(rows * dimension)),
            lambda: self._require_untouched(table, record, name),
        )

    def _keep(self, kept: KeptVectors, record: VectorRecord, name: str, reader: FlatReader) -> None:
        vectors = reader.take(np.arange(record.rows, dtype=np.int64))
        if digest_of([vectors]) != record.digest:
            raise VectorsLostError(f"The vectors of {name} at {self._shown} are not those that were written.")
        kept.keep(record, vectors)

    def verify(self, folder: str, count: int, dimension: int) -> None:
        if holds_table(folder) and not has_record(folder):
            return
        record = self._record(folder, count, dimension)
        reader = self._opened(folder, count, dimension, None)
        digester = Digester()
        for start in range(0, count, _ROWS_AT_ONCE):
            digester.add(reader.take(np.arange(start, min(start + _ROWS_AT_ONCE, count), dtype=np.int64)))
        if digester.text() != record.digest:
            name = os.path.basename(folder)
            raise CorruptStoreError(f"The vectors of {name} at {self._shown} are not those that were written.")

    def look(self, folder: str, count: int, dimension: int) -> None:
        if not has_record(folder) or not count:
            return
        record = self._record(folder, count, dimension)
        name = os.path.basename(folder)
        guard = partial(self._read, record.place, name)

        def work() -> None:
            table = self._database(record.place).open_table(name)
            self._require_untouched(table, record, name)
            require_ends(table, f"{name} at {self._shown}", count, dimension, exact=self._exact)

        self._done(work, guard, _READ)

    def held(self) -> frozenset[str]:
        if not self._address:
            return frozenset()
        places = names_at(self._store, self.name, self._address)
        if not places and self._is_folder:
            self._done(lambda: _require_folder_or_none(self._address), self._reached)
            return frozenset()
        asked = self._done(
            lambda: [name for place in places or (_NOWHERE,) for name in _names(self._database(place))], self._reached
        )
        return frozenset(asked) if places else frozenset()

    def remove(self, segments: Collection[str]) -> None:
        for place in names_at(self._store, self.name, self._address) if segments and self._address else ():
            for name in sorted(segments):
                self._done(partial(self._drop, place, name), self._reached)

    def remove_all(self) -> None:
        self.remove(self.held())
        if not self._is_folder:
            return
        places = names_at(self._store, self.name, self._address)
        # A removal that breaks off here finds nothing to do when it is run again, and not a folder that is missing.
        forget(self._store, self.name, self._address)
        for place in places:
            with contextlib.suppress(OSError):
                os.rmdir(self._folder(place))

    def settle(self) -> None:
        if self._address or places_of(self._store):
            settle(self._store, self.name, self._address, self._make)

    def require_here(self, folder: str) -> None:
        if has_record(folder):
            require_here(self._store, place_in(folder), self.name, self._address)

    @property
    def _is_folder(self) -> bool:
        return self._address.startswith("/")

    @property
    def _shown(self) -> str:
        return self._address

    def _record(self, folder: str, count: int, dimension: int) -> VectorRecord:
        record = read_record(folder, count, dimension)
        require_here(self._store, record.place, self.name, self._address)
        return record

    def _database(self, place: str) -> Any:
        import lancedb

        if self._is_folder:
            # LanceDB would make it.
            self._require_folder(place)
        return lancedb.connect(self._folder(place), storage_options=self._options())

    def _folder(self, place: str) -> str:
        return f"{self._address}/{place}"

    def _make(self, place: str) -> None:
        if self._is_folder:
            self._done(lambda: _make_folders(self._folder(place)), self._reached)

    def _require_folder(self, place: str) -> None:
        folder = self._folder(place)
        if not os.path.isdir(folder):
            raise ProbeFailedError(
                f"The folder {folder} is not there: what it lies on may not be mounted.",
                hint=Advice(
                    "Nothing was lost: mount it and try again. If somebody removed it, make it again with "
                    f"`mkdir -p {shlex.quote(folder)}`, then ",
                    NextStep("repair"),
                    ".",
                ),
            )

    def _options(self) -> dict[str, str] | None:
        if self._is_folder:
            return None
        seconds = f"{self._timeout_s:g}s"
        return {"timeout": seconds, "connect_timeout": seconds, "client_max_retries": "2"}

    def _table(self, record: VectorRecord, name: str) -> Any:
        database = self._database(record.place)
        if name not in _names(database):
            raise VectorsLostError(f"The vectors of {name} are gone from {self._shown}: somebody removed them.")
        table = database.open_table(name)
        self._require_untouched(table, record, name)
        return table

    def _require_untouched(self, table: Any, record: VectorRecord, name: str) -> None:
        """VectorsLostError unless the table is the very one that was written, as it was written."""
        table.checkout_latest()
        noted = (table.schema.metadata or {}).get(_MARKER, b"").decode("utf-8", "replace")
        rows = table.count_rows()
        if record.version and noted != replace(record, version=0).text():
            what = "lacks its marker" if not noted else "has the marker of another"
        elif rows != record.rows:
            what = f"has {rows} rows, not {record.rows}"
        elif record.version and table.version != record.version:
            what = "was changed since it was written"
        else:
            return
        raise VectorsLostError(f"{name} at {self._shown} {what}.")

    def _drop(self, place: str, name: str) -> None:
        self._database(place).drop_table(name, ignore_missing=True)

    def _done(self, work: Callable[[], R], guard: Guard, times: int = 1) -> R:
        # The library takes seconds to load on a busy machine, which says nothing of the address.
        import lancedb  # noqa: F401

        with guard():
            return work() if self._is_folder else within(times * self._timeout_s, work)

    @contextlib.contextmanager
    def _read(self, place: str, name: str) -> Iterator[None]:
        """Report what LanceDB can't parse as damage."""
        with self._reached():
            try:
                yield
            except VectorsLostError:
                raise
            except CorruptStoreError as error:
                raise VectorsLostError(error.message) from error
            except BaseException as error:
                if not is_failure(error):
                    raise
                if self._is_folder:
                    self._require_folder(place)
                if not is_panic(error) and (is_refused(error) if self._is_folder else not is_lost(str(error))):
                    raise
                raise VectorsLostError(
                    f"The vectors of {name} at {self._shown} can't be read: {first_line(error)}."
                ) from error

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        """Report a failure to reach an address as ProbeFailedError: it says nothing about the tables there."""
        try:
            yield
        except BaseException as error:
            if not is_failure(error):
                raise
            if self._is_folder:
                raise ProbeFailedError(
                    f"The LanceDB tables at {self._shown} can't be reached: {first_line(error)}."
                ) from error
            if is_denied(str(error)):
                raise EngineDeniedError(
                    f"The object store at {self._shown} refuses the credentials.",
                    hint=f"Correct them in the environment: {credentials_of(self._address)}.",
                ) from error
            # What the libraries below say of it is pages long, and full of addresses.
            raise ProbeFailedError(f"The object store at {self._shown} can't be reached.") from error


def _patience(numbers: int) -> int:
    """How many times the deadline for a look it may take to read so many numbers."""
    return _READ + numbers // _NUMBERS_AT_ONCE


class _Watched:
    """A reader that looks before each question whether the table is still the one it was opened from."""

    def __init__(
        self,
        reader: VectorReader,
        address: str,
        done: Callable[[Callable[[], Any], int], Any],
        look: Callable[[], None],
    ) -> None:
        self._reader = reader
        self._address = address
        self._done = done
        self._look = look

    @property
    def group(self) -> Hashable:
        return NAME, self._address

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        def work() -> tuple[Numbers, Scores]:
            self._look()
            return self._reader.nearest(query, limit, live)

        found: tuple[Numbers, Scores] = self._done(work, limit)
        return found

    def nearest_of_all(
        self, readers: Sequence[JointReader], query: Vectors, limit: int, lives: Sequence[Mask | None]
    ) -> list[tuple[Numbers, Scores]]:
        """Each table by itself, all of them at the same time."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return [*pool.map(lambda reader, live: reader.nearest(query, limit, live), readers, lives)]

    def take(self, numbers: Numbers) -> Vectors:
        def work() -> Vectors:
            self._look()
            return self._reader.take(numbers)

        found: Vectors = self._done(work, len(numbers))
        return found


def _make_folders(path: str) -> None:
    """Make a folder and its missing parents, each durably."""
    if not os.path.isdir(path):
        _make_folders(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):
            os.mkdir(path)
        durable.sync_folder(os.path.dirname(path))


def _require_folder_or_none(path: str) -> None:
    """Raise OSError if a path is no folder and can't become one."""
    with contextlib.suppress(FileNotFoundError):
        # The system takes nothing but a folder by that name.
        os.stat(f"{path}/")


def _names(database: Any) -> list[str]:
    found: list[str] = []
    token = None
    while True:
        page = database.list_tables(page_token=token, limit=_MANY)
        found += page.tables
        token = page.page_token
        if not token:
            return found
