"""Vectors that lie elsewhere and are kept here."""

import errno
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cairn.base.errors import CorruptStoreError, VectorsLostError
from cairn.base.values import replace
from cairn.engines import Vectors, lance, lance_remote
from cairn.engines.kept import KeptVectors
from cairn.engines.lance import connect
from cairn.engines.lance_remote import RemoteLanceEngine
from cairn.engines.places import places_of
from cairn.engines.record import VectorRecord, digest_of, read_record
from cairn.engines.settings import LanceSettings
from tests.engines.conformance import DIMENSION, unit_vectors
from tests.engines.kinds import require

COUNT = 40


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "store" / "cache").mkdir(parents=True)
    (tmp_path / "store").chmod(0o700)
    return tmp_path / "store"


def record_of(vectors: Vectors) -> VectorRecord:
    return VectorRecord("somewhere", len(vectors), vectors.shape[1], digest_of([vectors]))


def matrices(store: Path) -> set[str]:
    return {path.name[len("vectors-") : -len(".npy")] for path in (store / "cache").glob("vectors-*.npy")}


@pytest.mark.requirement("ENG.2")
def test_what_is_kept_is_what_was_written(store: Path) -> None:
    vectors = unit_vectors(COUNT)
    kept = KeptVectors(str(store), 1 << 20)
    assert kept.reader(record_of(vectors)) is None
    kept.keep(record_of(vectors), vectors)
    reader = KeptVectors(str(store), 1 << 20).reader(record_of(vectors))
    assert reader is not None
    assert np.array_equal(reader.take(np.arange(COUNT)), vectors)
    assert {path.stat().st_mode & 0o777 for path in (store / "cache").iterdir()} == {0o600}


@pytest.mark.requirement("ENG.2")
def test_without_a_budget_nothing_that_is_kept_answers(store: Path) -> None:
    vectors = unit_vectors(COUNT)
    KeptVectors(str(store), 1 << 20).keep(record_of(vectors), vectors)
    assert KeptVectors(str(store), 0).reader(record_of(vectors)) is None


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("at", [0, 100, -1])
def test_a_byte_that_changed_is_noticed(store: Path, at: int) -> None:
    vectors = unit_vectors(COUNT)
    kept = KeptVectors(str(store), 1 << 20)
    kept.keep(record_of(vectors), vectors)
    (path,) = (store / "cache").glob("*.npy")
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert kept.reader(record_of(vectors)) is None


@pytest.mark.requirement("ENG.2")
def test_what_was_touched_is_held_against_its_digest_again(store: Path) -> None:
    vectors = unit_vectors(COUNT)
    kept = KeptVectors(str(store), 1 << 20)
    kept.keep(record_of(vectors), vectors)
    (path,) = (store / "cache").glob("*.npy")
    os.utime(path)
    assert kept.reader(record_of(vectors)) is not None
    other = unit_vectors(COUNT, seed=9)
    # The same file under another's name.
    assert kept.reader(replace(record_of(other), digest=record_of(vectors).digest)) is not None
    path.rename(path.with_name(f"vectors-{record_of(other).digest}.npy"))
    assert kept.reader(record_of(other)) is None


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("number", [errno.EROFS, errno.EPERM])
def test_where_nothing_can_be_written_what_is_kept_answers(
    store: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    vectors = unit_vectors(COUNT)
    kept = KeptVectors(str(store), 1 << 20)
    kept.keep(record_of(vectors), vectors)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "utime", refuse)
    assert kept.reader(record_of(vectors)) is not None


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("digest", ["", "\0abc", "\ud800", "../../x", "A" * 64, "0" * 63, "0" * 5000])
def test_a_digest_that_is_none_is_damage(store: Path, tmp_path: Path, digest: str) -> None:
    record = replace(record_of(unit_vectors(COUNT)), digest=digest)
    assert KeptVectors(str(store), 1 << 20).reader(record) is None
    (tmp_path / "vectors.json").write_text(record.text())
    with pytest.raises(CorruptStoreError, match="doesn't say what the vectors are"):
        read_record(str(tmp_path), COUNT, DIMENSION)


@pytest.mark.requirement("ENG.2")
def test_a_link_in_its_place_is_not_followed(store: Path, tmp_path: Path) -> None:
    vectors = unit_vectors(COUNT)
    kept = KeptVectors(str(store), 1 << 20)
    kept.keep(record_of(vectors), vectors)
    (path,) = (store / "cache").glob("*.npy")
    path.rename(tmp_path / "moved.npy")
    path.symlink_to(tmp_path / "moved.npy")
    assert kept.reader(record_of(vectors)) is None


def test_the_budget_is_kept_and_what_was_used_last_stays(store: Path) -> None:
    each = [unit_vectors(COUNT, seed=seed) for seed in range(4)]
    kept = KeptVectors(str(store), 3 * (each[0].nbytes + 128))
    for age, vectors in enumerate(each[:3]):
        kept.keep(record_of(vectors), vectors)
        os.utime(store / "cache" / f"vectors-{record_of(vectors).digest}.json", (age, age))
    assert kept.reader(record_of(each[0])) is not None
    kept.keep(record_of(each[3]), each[3])
    assert matrices(store) == {record_of(each[number]).digest for number in (0, 2, 3)}


def test_there_is_room_beside_what_was_used_in_the_last_day(store: Path) -> None:
    vectors = unit_vectors(COUNT)
    kept = KeptVectors(str(store), 3 * (vectors.nbytes + 128))
    assert kept.has_room(COUNT, DIMENSION)
    assert not kept.has_room(2 * COUNT, DIMENSION)
    for seed in range(3):
        own = unit_vectors(COUNT, seed=seed)
        kept.keep(record_of(own), own)
    assert not kept.has_room(COUNT, DIMENSION)
    for path in (store / "cache").glob("*.json"):
        os.utime(path, (0, 0))
    assert kept.has_room(COUNT, DIMENSION)
    assert not KeptVectors(str(store / "nowhere"), 1 << 20).has_room(1, 1)


def test_what_would_take_most_of_the_budget_is_not_kept(store: Path) -> None:
    vectors = unit_vectors(COUNT)
    KeptVectors(str(store), 2 * vectors.nbytes - 1).keep(record_of(vectors), vectors)
    KeptVectors(str(store), 0).keep(record_of(vectors), vectors)
    assert matrices(store) == set()


class TestTables:
    """LanceDB's at an address."""

    @pytest.fixture(autouse=True)
    def _tables(self, store: Path, tmp_path: Path) -> None:
        require("lancedb")
        self.store = store
        self.folder = tmp_path / "segment"
        self.folder.mkdir()
        self.address = tmp_path / "tables"
        self.vectors = unit_vectors(COUNT)
        self.engine().write(str(self.folder), self.vectors)

    def engine(self) -> RemoteLanceEngine:
        return RemoteLanceEngine(str(self.store), LanceSettings(str(self.address)))

    def nearest(self) -> list[int]:
        reader = self.engine().open(str(self.folder), COUNT, DIMENSION)
        found: list[int] = reader.nearest(self.vectors[3], 5, None)[0].tolist()
        return found

    def test_whoever_wrote_a_segment_reads_it_from_here(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = self.nearest()
        monkeypatch.setattr(lance_remote, "reader_of", lambda *_, **__: pytest.fail("the table was read"))
        assert self.nearest() == before

    def test_whoever_didn_t_reads_it_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = self.nearest()
        for path in (self.store / "cache").iterdir():
            path.unlink()
        assert self.nearest() == before
        monkeypatch.setattr(lance_remote, "reader_of", lambda *_, **__: pytest.fail("the table was read again"))
        assert self.nearest() == before

    def test_what_is_kept_asks_nobody_and_loads_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = self.nearest()
        monkeypatch.setattr(RemoteLanceEngine, "_done", lambda *_: pytest.fail("somebody was asked"))
        monkeypatch.setitem(sys.modules, "lancedb", None)
        assert self.nearest() == before

    def test_a_table_that_is_gone_doesn_t_take_along_what_is_kept_and_health_tells(self) -> None:
        before = self.nearest()
        connect(f"{self.address}/{places_of(str(self.store))[-1].name}").drop_table("segment")
        assert self.nearest() == before
        with pytest.raises(VectorsLostError, match="gone"):
            self.engine().verify(str(self.folder), COUNT, DIMENSION)
        for path in (self.store / "cache").iterdir():
            path.unlink()
        with pytest.raises(VectorsLostError, match="gone"):
            self.nearest()

    @pytest.mark.parametrize(("kept_mb", "reads"), [(1024, 1), (0, 3)])
    def test_a_large_table_is_read_whole_where_it_finds_room(
        self, kept_mb: int, reads: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lance, "ANN_ROWS", 10)
        before = self.nearest()
        for path in (self.store / "cache").iterdir():
            path.unlink()
        read: list[str] = []
        made = lance.reader_of

        def noted(table: object, place: str, *rest: object, **named: bool) -> object:
            read.append(place)
            return made(table, place, *rest, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(lance_remote, "reader_of", noted)
        monkeypatch.setattr(
            self,
            "engine",
            lambda: RemoteLanceEngine(str(self.store), LanceSettings(str(self.address), kept_mb=kept_mb)),
        )
        assert [self.nearest() for _ in range(3)] == [before] * 3
        assert len(read) == reads
        assert len(matrices(self.store)) == (kept_mb > 0)

    @pytest.mark.parametrize(
        ("kept_mb", "index_from", "times"), [(1024, 50_000, COUNT), (0, 50_000, COUNT), (1024, 10, COUNT), (0, 10, 0)]
    )
    def test_whoever_reads_a_table_whole_has_time_for_all_of_it(
        self, kept_mb: int, index_from: int, times: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lance, "ANN_ROWS", index_from)
        monkeypatch.setattr(lance_remote, "_NUMBERS_AT_ONCE", DIMENSION)
        for path in (self.store / "cache").iterdir():
            path.unlink()
        asked: list[int] = []
        done = RemoteLanceEngine._done

        def noted(engine: RemoteLanceEngine, work: Any, guard: Any, most: int = 1) -> Any:
            asked.append(most)
            return done(engine, work, guard, most)

        monkeypatch.setattr(RemoteLanceEngine, "_done", noted)
        engine = RemoteLanceEngine(str(self.store), LanceSettings(str(self.address), kept_mb=kept_mb))
        engine.open(str(self.folder), COUNT, DIMENSION).take(np.arange(7))
        assert asked == [1, 3 + times, 3 + 7]

    def test_a_table_with_other_vectors_is_not_kept(self) -> None:
        table = connect(f"{self.address}/{places_of(str(self.store))[-1].name}").open_table("segment")
        table.update(where="number = 3", values={"vector": self.vectors[5].tolist()})
        record = read_record(str(self.folder), COUNT, DIMENSION)
        (self.folder / "vectors.json").write_text(replace(record, version=table.version).text())
        for path in (self.store / "cache").iterdir():
            path.unlink()
        with pytest.raises(VectorsLostError, match="not those that were written"):
            self.nearest()
        assert matrices(self.store) == set()

    @pytest.mark.parametrize("kind", ["data", "_indices"])
    def test_a_look_notices_what_is_gone_and_reads_no_whole_table(
        self, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lance, "ANN_ROWS", 10)
        other = self.folder.with_name("large")
        other.mkdir()
        self.engine().write(str(other), self.vectors)
        monkeypatch.setattr(lance_remote, "reader_of", lambda *_, **__: pytest.fail("the table was read"))
        self.engine().look(str(other), COUNT, DIMENSION)
        place = places_of(str(self.store))[-1].name
        files = [path for path in (self.address / place / "large.lance" / kind).rglob("*") if path.is_file()]
        assert files
        for path in files:
            path.unlink()
        with pytest.raises(VectorsLostError):
            self.engine().look(str(other), COUNT, DIMENSION)

    def test_a_table_whose_version_is_another_was_changed(self) -> None:
        record = read_record(str(self.folder), COUNT, DIMENSION)
        (self.folder / "vectors.json").write_text(replace(record, version=record.version + 1).text())
        for path in (self.store / "cache").iterdir():
            path.unlink()
        for ask in (self.engine().open, self.engine().look, self.engine().verify):
            with pytest.raises(VectorsLostError, match="was changed since it was written"):
                ask(str(self.folder), COUNT, DIMENSION)

    def test_verifying_reads_the_table_itself(self, monkeypatch: pytest.MonkeyPatch) -> None:
        read: list[str] = []
        made = lance.reader_of

        def noted(table: object, place: str, *rest: object, **named: bool) -> object:
            read.append(place)
            return made(table, place, *rest, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(lance_remote, "reader_of", noted)
        self.engine().verify(str(self.folder), COUNT, DIMENSION)
        assert len(read) == 1
