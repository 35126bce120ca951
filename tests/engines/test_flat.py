"""The flat engine."""

import hashlib
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import CorruptStoreError, UsageError
from cairn.engines import FlatEngine, VectorEngine, engine_named
from cairn.engines.record import digest_of
from tests.engines.conformance import DIMENSION, EngineConformance, unit_vectors


@pytest.mark.requirement("ENG.1")
class TestFlat(EngineConformance):
    def make(self, store: str) -> VectorEngine:
        return FlatEngine()

    def test_it_is_one_file_that_numpy_reads(self, tmp_path: Path) -> None:
        vectors = unit_vectors(5)
        folder = self.written(tmp_path / "segment", vectors)
        assert [path.name for path in self.files_in(folder)] == ["vectors.npy"]
        assert np.array_equal(np.load(Path(folder) / "vectors.npy"), vectors)

    def test_it_never_writes_over_what_is_there(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(5))
        with pytest.raises(FileExistsError):
            self.engine.write(folder, unit_vectors(5))

    @pytest.mark.parametrize("shift", [0.0, 1e-7])
    def test_halves_are_kept_where_they_lose_nothing(self, tmp_path: Path, shift: float) -> None:
        vectors = unit_vectors(50).astype(np.float16).astype(np.float32)
        vectors[7, 3] += np.float32(shift)
        folder = self.written(tmp_path / "segment", vectors)
        kept = np.load(Path(folder) / "vectors.npy")
        assert kept.dtype == (np.float32 if shift else np.float16)
        reader = self.engine.open(folder, 50, DIMENSION)
        assert np.array_equal(reader.take(np.arange(50, dtype=np.int64)), vectors)
        query = unit_vectors(1)[0]
        live = np.arange(50) % 3 != 0
        exact = (vectors * query).sum(axis=1, dtype=np.float64)
        numbers, scores = reader.nearest(query, 9, live)
        alive = np.flatnonzero(live)
        assert numbers.tolist() == alive[np.lexsort((alive, -exact[alive]))][:9].tolist()
        assert np.array_equal(scores, exact[numbers])

    @pytest.mark.parametrize("kind", [np.float64, np.int32, np.dtype(">f2"), np.dtype(">f4")])
    def test_numbers_of_another_kind_are_damage(self, tmp_path: Path, kind: type) -> None:
        np.save(tmp_path / "vectors.npy", unit_vectors(5).astype(kind))
        with pytest.raises(CorruptStoreError):
            self.engine.open(str(tmp_path), 5, DIMENSION)

    def test_pickled_objects_are_never_loaded(self, tmp_path: Path) -> None:
        np.save(tmp_path / "vectors.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
        with pytest.raises(CorruptStoreError):
            self.engine.open(str(tmp_path), 1, DIMENSION)

    @pytest.mark.slow
    def test_any_damaged_header_is_damage_or_gives_the_shape_that_was_asked_for(self, tmp_path: Path) -> None:
        self.engine.write(str(tmp_path), unit_vectors(5))
        path = tmp_path / "vectors.npy"
        sound = path.read_bytes()
        header = len(sound) - 5 * DIMENSION * 4
        for place in range(header):
            for value in (0x00, 0x20, 0x39, 0xFF, sound[place] ^ 1):
                path.write_bytes(sound[:place] + bytes([value]) + sound[place + 1 :])
                try:
                    reader = self.engine.open(str(tmp_path), 5, DIMENSION)
                except CorruptStoreError:
                    continue
                assert reader.take(np.arange(5, dtype=np.int64)).shape == (5, DIMENSION)

    @pytest.mark.parametrize("threads", ["1", "2"])
    def test_the_order_is_the_same_however_it_is_multiplied(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: str
    ) -> None:
        """Rows that differ in the last bits of their scores alone, of which some are dead."""
        chance = np.random.default_rng(3)
        query = chance.normal(size=128).astype(np.float32)
        query /= np.linalg.norm(query)
        near = (query + 1e-7 * chance.normal(size=(280, 128))).astype(np.float32)
        reader = self.engine.open(self.written(tmp_path / "segment", near), len(near), 128)
        live = np.arange(len(near)) % 3 != 0
        exact = (near * query).sum(axis=1, dtype=np.float64)
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", threads)
        numbers, scores = reader.nearest(query, 25, live)
        alive = np.flatnonzero(live)
        order = alive[np.lexsort((alive, -exact[alive]))]
        last = exact[order[24]]
        assert numbers.tolist() == [number for number in order.tolist() if exact[number] >= last]
        assert np.array_equal(scores, exact[numbers])


def test_an_unknown_engine_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="'cloud'"):
        engine_named("cloud", "")


def test_the_file_is_flushed_before_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: set[str] = set()
    fsync = os.fsync

    def noting(fd: int) -> None:
        flushed.add(os.readlink(f"/proc/self/fd/{fd}"))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", noting)
    FlatEngine().write(str(tmp_path), unit_vectors(5))
    assert flushed == {str(tmp_path / "vectors.npy")}


def test_a_digest_is_that_of_numbers_and_vectors_however_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores of former versions hold such digests, so the way they are made is not to change."""
    vectors = np.array([[1.0, -2.5], [0.0, 3.0], [4.0, 0.5]], dtype=np.float32)
    packed = b"".join(struct.pack(">q", number) + struct.pack("<2f", *row) for number, row in enumerate(vectors))
    expected = hashlib.sha256(packed).hexdigest()
    assert digest_of([vectors]) == expected
    assert digest_of([vectors[:1], vectors[1:]]) == expected
    monkeypatch.setattr("cairn.engines.record._ROWS_AT_ONCE", 2)
    assert digest_of([vectors]) == expected
    assert digest_of([vectors[::-1]]) != expected
