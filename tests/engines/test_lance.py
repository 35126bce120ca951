"""LanceDB, in the segment's folder and at an address."""

import os
from pathlib import Path

import numpy as np
import pytest

from cairn.engines import FlatEngine, VectorEngine
from cairn.errors import CorruptStoreError, ProbeFailedError
from tests.engines.conformance import DIMENSION, EngineConformance, unit_vectors
from tests.store.samples import snapshot_of

pytest.importorskip("lancedb", reason="LanceDB is not installed: make install-engines")

from cairn.engines import lance
from cairn.engines.lance import LanceEngine, connect
from cairn.engines.lance_remote import RemoteLanceEngine
from cairn.engines.record import place_of


@pytest.mark.requirement("ENG.1")
class TestLance(EngineConformance):
    def make(self, store: str) -> VectorEngine:
        return LanceEngine()

    def test_reading_changes_nothing_in_the_folder(self, tmp_path: Path) -> None:
        folder = Path(self.written(tmp_path / "segment", unit_vectors(50)))
        before = snapshot_of(folder)
        reader = self.engine.open(str(folder), 50, DIMENSION)
        reader.nearest(unit_vectors(1)[0], 5, None)
        assert snapshot_of(folder) == before

    def test_every_file_and_folder_is_flushed_before_it_returns(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        flushed: set[str] = set()
        fsync = os.fsync

        def noting(fd: int) -> None:
            flushed.add(os.readlink(f"/proc/self/fd/{fd}"))
            fsync(fd)

        monkeypatch.setattr(os, "fsync", noting)
        folder = self.written(tmp_path / "segment", unit_vectors(50))
        everything = {folder, *(os.path.join(at, name) for at, dirs, files in os.walk(folder) for name in dirs + files)}
        assert everything <= flushed


@pytest.mark.requirement("ENG.1")
class TestLargeLance(EngineConformance):
    """Every segment counts as large: its index is made, and its rows stay on the disk."""

    @pytest.fixture(autouse=True)
    def _large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lance, "ANN_ROWS", 1)

    def make(self, store: str) -> VectorEngine:
        return LanceEngine(exact=True)

    def test_a_reader_outlives_the_removal_of_its_files(self, tmp_path: Path) -> None:
        pytest.skip("a table that lies on the disk is read with every question; views keep collectors away")

    def test_the_index_finds_nearly_the_same(self, tmp_path: Path) -> None:
        centres = np.repeat(unit_vectors(50, seed=3), 60, axis=0)
        vectors = (centres + 0.3 * unit_vectors(3000)).astype(np.float32)
        folder = self.written(tmp_path / "segment", vectors)
        reader = LanceEngine().open(folder, 3000, DIMENSION)
        exact = FlatEngine()
        (tmp_path / "flat").mkdir()
        exact.write(str(tmp_path / "flat"), vectors)
        truth = exact.open(str(tmp_path / "flat"), 3000, DIMENSION)
        hits = 0
        for query in vectors[::150]:
            numbers, scores = reader.nearest(query, 10, None)
            hits += len(set(numbers.tolist()) & set(truth.nearest(query, 10, None)[0].tolist()))
            assert list(scores) == sorted(scores, reverse=True)
        assert hits >= 190


@pytest.mark.requirement("ENG.1")
class TestAtAnAddress(EngineConformance):
    @pytest.fixture(autouse=True)
    def _address(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CAIRN_LANCEDB_URI", str(tmp_path / "bucket"))

    @pytest.fixture(autouse=True)
    def _outside(self, tmp_path: Path, _engine: None) -> None:
        self.bucket = tmp_path / "bucket"
        self.outside = RemoteLanceEngine(self.store, str(self.bucket))

    def make(self, store: str) -> VectorEngine:
        return RemoteLanceEngine(store, os.path.join(os.path.dirname(store), "bucket"))

    def test_what_was_written_passes_its_digest_and_what_was_changed_doesn_t(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        self.outside.verify(folder, 30, DIMENSION)
        place = str(place_of(self.store, make=False))
        connect(str(self.bucket / place)).open_table("segment").update(
            where="number = 3", values={"vector": unit_vectors(1)[0].tolist()}
        )
        with pytest.raises(CorruptStoreError, match="not those that were written"):
            self.outside.verify(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    def test_tables_that_somebody_removed_are_damage(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        self.outside.remove_all()
        assert self.outside.held() == frozenset()
        with pytest.raises(CorruptStoreError, match="somebody removed them"):
            self.engine.open(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    def test_an_address_that_can_t_be_reached_says_nothing_of_what_lies_there(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        nowhere = RemoteLanceEngine(self.store, "nonsense://bucket/cairn")
        with pytest.raises(ProbeFailedError, match="nonsense://bucket"):
            nowhere.open(folder, 30, DIMENSION)
        with pytest.raises(ProbeFailedError):
            nowhere.held()

    def test_only_what_is_named_is_removed(self, tmp_path: Path) -> None:
        kept = self.written(tmp_path / "seg_a", unit_vectors(30))
        self.written(tmp_path / "seg_b", unit_vectors(30))
        assert self.outside.held() == {"seg_a", "seg_b"}
        self.outside.remove({"seg_b", "seg_never"})
        assert self.outside.held() == {"seg_a"}
        self.outside.verify(kept, 30, DIMENSION)
