"""An engine outside of the store, in plain folders, that fails when and where a test wants it to."""

import shutil
from collections.abc import Collection
from pathlib import Path

import numpy as np

from cairn.base.errors import ProbeFailedError, VectorsLostError
from cairn.engines import Mask, Numbers, Scores, VectorReader, Vectors
from cairn.engines.flat import FlatReader
from cairn.engines.record import VectorRecord, digest_of, read_record, write_record

STEPS = ("write", "half", "nearest", "take", "verify", "held", "remove")


class FaultyServer:
    """What all engines of a test talk to; `away` names the steps that it doesn't answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.away: set[str] = set()
        self.asked: list[str] = []
        folder.mkdir()

    def reach(self, step: str) -> None:
        self.asked.append(step)
        if step in self.away:
            raise ProbeFailedError("The server gave no answer.")

    def segment(self, name: str) -> Path:
        return self.folder / f"{name}.npy"


class FaultyEngine:
    name = "milvus"

    def __init__(self, server: FaultyServer) -> None:
        self._server = server

    def write(self, folder: str, vectors: Vectors) -> None:
        self._server.reach("write")
        path = self._server.segment(Path(folder).name)
        np.save(path, vectors[: len(vectors) // 2])
        self._server.reach("half")
        np.save(path, vectors)
        write_record(folder, VectorRecord("there", len(vectors), vectors.shape[1], digest_of([vectors])))

    def open(self, folder: str, count: int, dimension: int) -> VectorReader:
        record = read_record(folder, count, dimension)
        return _Reader(self._server, Path(folder).name, record)

    def verify(self, folder: str, count: int, dimension: int) -> None:
        self._server.reach("verify")
        reader = _Reader(self._server, Path(folder).name, read_record(folder, count, dimension))
        if digest_of([reader.vectors()]) != reader.record.digest:
            raise VectorsLostError(f"{Path(folder).name} is not what was written.")

    def look(self, folder: str, count: int, dimension: int) -> None:
        _Reader(self._server, Path(folder).name, read_record(folder, count, dimension)).vectors()

    def held(self) -> frozenset[str]:
        self._server.reach("held")
        return frozenset(path.stem for path in self._server.folder.iterdir())

    def remove(self, segments: Collection[str]) -> None:
        for name in segments:
            self._server.reach("remove")
            self._server.segment(name).unlink(missing_ok=True)

    def remove_all(self) -> None:
        self._server.reach("remove")
        shutil.rmtree(self._server.folder)
        self._server.folder.mkdir()

    def settle(self) -> None:
        """There is one address."""

    def require_here(self, folder: str) -> None:
        """There is one address."""


class _Reader:
    def __init__(self, server: FaultyServer, name: str, record: VectorRecord) -> None:
        self._server = server
        self._name = name
        self.record = record

    def nearest(self, query: Vectors, limit: int, live: Mask | None) -> tuple[Numbers, Scores]:
        self._server.reach("nearest")
        return FlatReader(self.vectors()).nearest(query, limit, live)

    def take(self, numbers: Numbers) -> Vectors:
        self._server.reach("take")
        return FlatReader(self.vectors()).take(numbers)

    def vectors(self) -> Vectors:
        try:
            found: Vectors = np.load(self._server.segment(self._name))
        except FileNotFoundError as error:
            raise VectorsLostError(f"{self._name} is gone.") from error
        if len(found) != self.record.rows:
            raise VectorsLostError(f"{self._name} has {len(found)} rows, not {self.record.rows}.")
        return found
