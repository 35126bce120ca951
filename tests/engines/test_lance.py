"""LanceDB, in the segment's folder and at an address."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from cairn.base import durable
from cairn.base.errors import CorruptStoreError, EngineMovedError, ProbeFailedError
from cairn.base.values import replace
from cairn.engines import FlatEngine, VectorEngine, lance
from cairn.engines.lance import LanceEngine, connect, damage_in, write_table
from cairn.engines.lance_remote import RemoteLanceEngine
from cairn.engines.places import places_of
from cairn.engines.record import read_record
from cairn.engines.settings import LanceSettings
from tests.engines.conformance import DIMENSION, EngineConformance, unit_vectors
from tests.engines.kinds import require
from tests.store.samples import snapshot_of


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    require("lancedb")


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
        """A table on the disk is read with every question, so it says what it lacks; views keep collectors away."""
        vectors = unit_vectors(100)
        folder = self.written(tmp_path / "segment", vectors)
        reader = self.engine.open(folder, 100, DIMENSION)
        assert np.array_equal(reader.take(np.arange(100, dtype=np.int64)), vectors)
        for path in self.files_in(folder):
            path.unlink()
        with pytest.raises(CorruptStoreError, match="can't be read as vectors"):
            LanceEngine().open(folder, 100, DIMENSION)
        with pytest.raises(CorruptStoreError, match="can't be read as vectors"):
            reader.nearest(vectors[0], 3, None)

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


def with_a_length_that_can_t_be(manifest: bytes) -> bytes:
    """Its last bytes say where its document begins, which begins with its length."""
    at = int.from_bytes(manifest[-16:-8], "little")
    return manifest[:at] + (100_000).to_bytes(4, "little") + manifest[at + 4 :]


@pytest.mark.parametrize(("name", "base"), [("RustPanic", Exception), ("PanicException", BaseException)])
def test_a_panic_is_damage(name: str, base: type[BaseException]) -> None:
    panic = type(name, (base,), {})
    with pytest.raises(CorruptStoreError, match="can't be read as vectors: what can't be"), damage_in("place"):
        raise panic("what can't be")


@pytest.mark.requirement("ENG.1")
class TestAtAnAddress(EngineConformance):
    @pytest.fixture(autouse=True)
    def _address(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CAIRN_LANCEDB_URI", str(tmp_path / "bucket"))

    @pytest.fixture(autouse=True)
    def _outside(self, tmp_path: Path, _engine: None) -> None:
        self.bucket = tmp_path / "bucket"
        self.outside = RemoteLanceEngine(self.store, LanceSettings(str(self.bucket)))

    def make(self, store: str) -> VectorEngine:
        return RemoteLanceEngine(store, LanceSettings(os.path.join(os.path.dirname(store), "bucket")))

    @property
    def folder_of_tables(self) -> Path:
        (place,) = places_of(self.store)
        return self.bucket / place.name

    def test_what_was_written_passes_its_digest_and_what_was_changed_doesn_t(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        self.outside.verify(folder, 30, DIMENSION)
        record = read_record(folder, 30, DIMENSION)
        changed = unit_vectors(30, seed=8)
        shutil.rmtree(self.folder_of_tables / "segment.lance")
        marker = {b"cairn": replace(record, version=0).text().encode()}
        write_table(connect(str(self.folder_of_tables)), "segment", changed, marker)
        with pytest.raises(CorruptStoreError, match="not those that were written"):
            self.outside.verify(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.1")
    @pytest.mark.parametrize("rows", [1, 100_000])
    def test_each_question_looks_whether_the_table_is_what_was_written(
        self, tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lance, "ANN_ROWS", rows)
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        reader = self.engine.open(folder, 30, DIMENSION)
        query = unit_vectors(1)[0]
        reader.nearest(query, 3, None)
        table = connect(str(self.folder_of_tables)).open_table("segment")
        table.update(where="number = 3", values={"vector": unit_vectors(1)[0].tolist()})
        with pytest.raises(CorruptStoreError, match="was changed since it was written"):
            reader.nearest(query, 3, None)
        table.delete("number = 3")
        with pytest.raises(CorruptStoreError, match="has 29 rows, not 30"):
            reader.take(np.arange(2, dtype=np.int64))
        with pytest.raises(CorruptStoreError, match="has 29 rows, not 30"):
            self.engine.open(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    def test_a_table_of_somebody_else_is_damage(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        shutil.rmtree(self.folder_of_tables / "segment.lance")
        write_table(connect(str(self.folder_of_tables)), "segment", unit_vectors(30))
        with pytest.raises(CorruptStoreError, match="lacks its marker"):
            self.engine.open(folder, 30, DIMENSION)

    def test_numbers_that_were_never_written_are_damage(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lance, "ANN_ROWS", 1)
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        record = read_record(folder, 30, DIMENSION)
        table = connect(str(self.folder_of_tables)).open_table("segment")
        table.update(where="number = 3", values={"number": 1_000_000})
        (Path(folder) / "vectors.json").write_text(replace(record, version=table.version).text())
        reader = self.engine.open(folder, 30, DIMENSION)
        with pytest.raises(CorruptStoreError, match="never written"):
            reader.nearest(unit_vectors(1)[0], 30, np.ones(30, dtype=np.bool_))

    @pytest.mark.parametrize("number", [4, -1, 1_000_000])
    def test_rows_that_are_not_each_there_once_are_damage(self, tmp_path: Path, number: int) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        record = read_record(folder, 30, DIMENSION)
        table = connect(str(self.folder_of_tables)).open_table("segment")
        table.update(where="number = 3", values={"number": number})
        (Path(folder) / "vectors.json").write_text(replace(record, version=table.version).text())
        with pytest.raises(CorruptStoreError, match="doesn't hold each of its 30 rows once"):
            self.engine.open(folder, 30, DIMENSION)

    def test_all_of_it_is_flushed_up_to_the_first_folder_that_was_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        flushed: set[str] = set()
        whole: list[str] = []
        sync_folder, sync_tree = durable.sync_folder, durable.sync_tree

        def note_folder(path: str) -> None:
            flushed.add(path)
            sync_folder(path)

        def note_tree(path: str) -> None:
            whole.append(path)
            sync_tree(path)

        monkeypatch.setattr(durable, "sync_folder", note_folder)
        monkeypatch.setattr(durable, "sync_tree", note_tree)
        deep = tmp_path / "new" / "deep"
        engine = RemoteLanceEngine(self.store, LanceSettings(str(deep)))
        (tmp_path / "segment").mkdir()
        engine.write(str(tmp_path / "segment"), unit_vectors(3))
        (place,) = places_of(self.store)
        assert whole == [str(deep / place.name / "segment.lance")]
        assert {str(tmp_path), str(tmp_path / "new"), str(deep), str(deep / place.name)} <= flushed

    def test_a_segment_with_its_table_inside_is_read_whatever_the_address_is(self, tmp_path: Path) -> None:
        vectors = unit_vectors(30)
        inside = tmp_path / "inside"
        inside.mkdir()
        LanceEngine().write(str(inside), vectors)
        assert self.engine.open(str(inside), 30, DIMENSION).take(np.arange(30)).tobytes() == vectors.tobytes()
        self.outside.verify(str(inside), 30, DIMENSION)
        self.outside.require_here(str(inside))

    @pytest.mark.requirement("ENG.2")
    def test_without_its_address_a_segment_says_where_its_table_is(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        for engine in (LanceEngine(self.store), RemoteLanceEngine(self.store, LanceSettings())):
            with pytest.raises(EngineMovedError, match=f"are at {self.bucket}; the settings say the store itself"):
                engine.open(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    def test_tables_that_somebody_removed_are_damage(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        shutil.rmtree(self.folder_of_tables / "segment.lance")
        assert self.outside.held() == frozenset()
        with pytest.raises(CorruptStoreError, match="somebody removed them"):
            self.engine.open(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    @pytest.mark.parametrize("is_mount_point", [False, True])
    def test_a_folder_that_is_not_mounted_is_neither_damage_nor_made_anew(
        self, tmp_path: Path, is_mount_point: bool
    ) -> None:
        vectors = unit_vectors(30)
        folder = self.written(tmp_path / "segment", vectors)
        reader = self.engine.open(folder, 30, DIMENSION)
        place = self.folder_of_tables
        self.bucket.rename(tmp_path / "away")
        if is_mount_point:
            self.bucket.mkdir()
        (tmp_path / "seg_b").mkdir()
        before = snapshot_of(tmp_path)
        for ask in (
            lambda: reader.nearest(vectors[0], 3, None),
            lambda: reader.take(np.arange(3)),
            lambda: self.engine.open(folder, 30, DIMENSION),
            lambda: self.outside.verify(folder, 30, DIMENSION),
            self.outside.held,
            lambda: self.outside.remove({"segment"}),
            self.outside.remove_all,
            lambda: self.engine.write(str(tmp_path / "seg_b"), vectors),
        ):
            with pytest.raises(ProbeFailedError, match=f"{place} is not there") as caught:
                ask()
            assert f"`mkdir -p {place}`, then repair the store" in caught.value.hint
        assert snapshot_of(tmp_path) == before
        if is_mount_point:
            self.bucket.rmdir()
        (tmp_path / "away").rename(self.bucket)
        self.outside.verify(folder, 30, DIMENSION)
        shutil.rmtree(self.bucket)
        place.mkdir(parents=True)
        with pytest.raises(CorruptStoreError, match="somebody removed them"):
            self.engine.open(folder, 30, DIMENSION)

    def test_nothing_is_held_where_nothing_was_written_and_nothing_is_made_to_see_that(self) -> None:
        assert self.outside.held() == frozenset()
        assert not self.bucket.exists()
        self.bucket.write_text("no folder")
        with pytest.raises(ProbeFailedError, match="can't be reached"):
            self.outside.held()

    def test_a_removal_that_broke_off_is_done_with_when_it_is_run_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.written(tmp_path / "segment", unit_vectors(3))
        rmdir = os.rmdir

        def dying(path: str) -> None:
            rmdir(path)
            raise MemoryError

        monkeypatch.setattr(os, "rmdir", dying)
        with pytest.raises(MemoryError):
            self.outside.remove_all()
        self.outside.remove_all()
        assert (self.outside.held(), list(self.bucket.iterdir())) == (frozenset(), [])

    @pytest.mark.requirement("ENG.2")
    @pytest.mark.parametrize("how", ["missing", "half", "panic"])
    @pytest.mark.parametrize("rows", [1, 100_000])
    def test_a_file_of_a_table_that_is_damaged_is_damage(
        self, tmp_path: Path, how: str, rows: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lance, "ANN_ROWS", rows)
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        inside = self.folder_of_tables / "segment.lance"
        for path in inside.glob("_versions/*.manifest" if how == "panic" else "data/*"):
            data = path.read_bytes()
            if how == "missing":
                path.unlink()
            else:
                path.write_bytes(data[: len(data) // 2] if how == "half" else with_a_length_that_can_t_be(data))
        with pytest.raises(CorruptStoreError) as caught:
            self.engine.open(folder, 30, DIMENSION).take(np.arange(30))
        assert caught.value.hint.startswith("Repair the store")
        assert "rustc/" not in caught.value.message
        assert ".cargo" not in caught.value.message
        with pytest.raises(CorruptStoreError):
            self.outside.verify(folder, 30, DIMENSION)
        self.outside.remove({"segment"})
        assert self.outside.held() == frozenset()

    @pytest.mark.requirement("ENG.2")
    @pytest.mark.parametrize("told", ["Permission denied (os error 13)", "Input/output error (os error 5)"])
    def test_a_file_that_the_system_doesn_t_give_is_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
    ) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))

        def refused(*_: object, **__: object) -> None:
            raise RuntimeError(f"lance error: LanceError(IO): {told}, /home/build/.cargo/registry/src/lib.rs:1:2")

        monkeypatch.setattr("cairn.engines.lance_remote.reader_of", refused)
        with pytest.raises(ProbeFailedError, match=r"can't be reached: .* \(os error \d+\)\.$"):
            self.engine.open(folder, 30, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    def test_an_address_that_can_t_be_reached_says_nothing_of_what_lies_there(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(30))
        path = Path(self.store) / "engine.json"
        path.write_text(path.read_text().replace(str(self.bucket), "nonsense://bucket/cairn"))
        nowhere = RemoteLanceEngine(self.store, LanceSettings("nonsense://bucket/cairn", timeout_s=20))
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
