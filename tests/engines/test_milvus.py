"""Milvus, as Lite in the store and as a server at an address."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench.relay import Relay

from cairn.base.errors import (
    CorruptStoreError,
    EngineDeniedError,
    IncompatibleError,
    ProbeFailedError,
    StoreRefusedError,
    VectorsLostError,
)
from cairn.base.ulid import new_ulid
from cairn.base.values import replace
from cairn.engines import (
    Mask,
    OutsideEngine,
    VectorEngine,
    Vectors,
    milvus,
    milvus_chunks,
    milvus_reader,
    nearest_in,
)
from cairn.engines.milvus import MilvusEngine
from cairn.engines.milvus_chunks import MilvusChunks, expire_chunks
from cairn.engines.milvus_link import Link, link_to
from cairn.engines.milvus_reader import MilvusReader
from cairn.engines.places import places_of
from cairn.engines.record import VectorRecord, read_record
from cairn.engines.settings import MILVUS_INDEXES, MilvusSettings
from tests.engines.conformance import DIMENSION, EngineConformance, brute_force, unit_vectors
from tests.engines.kinds import require
from tests.engines.servers import Server
from tests.trees import Repo, cairn


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    require("milvus")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("milvus")).start()
    yield running
    running.kill()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Server]:
    """One that nobody else writes to."""
    running = Server(tmp_path / "milvus").start()
    yield running
    running.kill()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    made: list[tuple[str, dict[str, Any]]] = []
    call = Link.call

    def noted(link: Link, method: str, **arguments: Any) -> Any:
        made.append((method, arguments))
        return call(link, method, **arguments)

    monkeypatch.setattr(Link, "call", noted)
    return made


@pytest.mark.requirement("ENG.1")
class TestLite(EngineConformance):
    def make(self, store: str) -> VectorEngine:
        return MilvusEngine(store, MilvusSettings())

    def test_its_files_are_for_nobody_else(self, tmp_path: Path) -> None:
        self.written(tmp_path / "segment", unit_vectors(5))
        assert (Path(self.store) / "milvus.db").stat().st_mode & 0o777 == 0o700

    def test_it_is_flushed_before_it_returns(self, tmp_path: Path, calls: list[tuple[str, dict[str, Any]]]) -> None:
        """A server sees to that itself."""
        self.written(tmp_path / "segment", unit_vectors(5))
        assert [method for method, _ in calls][-1] == "flush"

    def test_a_shared_store_is_refused(self, tmp_path: Path) -> None:
        Path(self.store).chmod(0o2770)
        with pytest.raises(StoreRefusedError, match="one process of one user"):
            self.written(tmp_path / "segment", unit_vectors(5))


@pytest.mark.requirement("ENG.1")
class TestServer(EngineConformance):
    """At an address, with everything that only the outside of a store brings."""

    @pytest.fixture(autouse=True)
    def _server(self, server: Server, _engine: None) -> None:
        self.settings = MilvusSettings(server.uri, timeout_s=30)
        self.outside = MilvusEngine(self.store, self.settings)
        self.engine = self.outside

    def make(self, store: str) -> VectorEngine:
        return MilvusEngine(store, MilvusSettings())

    @property
    def link(self) -> Link:
        return link_to(self.settings, self.store)

    @property
    def collection(self) -> str:
        return places_of(self.store)[-1].name

    def test_segments_share_a_collection_and_not_an_answer(self, tmp_path: Path) -> None:
        one, two = unit_vectors(50), unit_vectors(60, seed=9)
        first = self.engine.open(self.written(tmp_path / "seg_a", one), 50, DIMENSION)
        second = self.engine.open(self.written(tmp_path / "seg_b", two), 60, DIMENSION)
        assert np.array_equal(first.take(np.arange(50)), one)
        assert np.array_equal(second.take(np.arange(60)), two)
        numbers, _ = first.nearest(two[3], 50, None)
        assert sorted(numbers.tolist()) == list(range(50))
        assert self.outside.held() == {"seg_a", "seg_b"}

    @pytest.mark.requirement("ENG.2")
    def test_a_question_of_many_segments_takes_three_requests_and_later_ones_take_one(
        self, tmp_path: Path, calls: list[tuple[str, dict[str, Any]]]
    ) -> None:
        readers = [
            self.engine.open(self.written(tmp_path / f"seg_{each}", unit_vectors(30, seed=each)), 30, DIMENSION)
            for each in range(5)
        ]
        lives: list[Mask | None] = [None, np.arange(30) // 10 != 1, None, np.zeros(30, dtype=np.bool_), None]
        self.link.forget(self.collection)
        nearest_in(readers, unit_vectors(1)[0], 7, lives)
        once = {"describe_collection", "list_indexes", "describe_index"}
        calls[:] = [call for call in calls if call[0] not in once]
        assert sorted(method for method, _ in calls[-3:]) == ["get", "query", "search"]
        (search,) = (arguments for method, arguments in calls[-3:] if method == "search")
        assert "seg_3" not in search["filter"]
        assert "number >= 20" in search["filter"]
        calls.clear()
        for _ in range(2):
            nearest_in(readers, unit_vectors(1)[0], 7, lives)
        assert [method for method, _ in calls] == ["search", "search"]

    @pytest.mark.requirement("ENG.2")
    def test_reads_are_strong_until_one_that_lies_behind_must_know_the_rows(
        self, tmp_path: Path, calls: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        vectors = unit_vectors(30)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 30, DIMENSION)
        reader.nearest(vectors[3], 1, None)
        now = time.monotonic()
        asked = []
        for after in (0, milvus_reader.BOUND_S - 1, milvus_reader.BOUND_S + 1, milvus_reader.LOOK_EACH_S + 1):
            monkeypatch.setattr("cairn.engines.milvus_link.monotonic", lambda after=after: now + after)
            calls.clear()
            assert reader.nearest(vectors[3], 1, None)[0].tolist() == [3]
            (level,) = (arguments["consistency_level"] for method, arguments in calls if method == "search")
            asked.append((level, len(calls)))
        assert asked == [("Strong", 1), ("Strong", 1), ("Bounded", 1), ("Strong", 3)]

    @pytest.mark.requirement("ENG.2")
    def test_of_segments_that_are_asked_together_the_one_that_lost_something_is_named(self, tmp_path: Path) -> None:
        readers = [
            self.engine.open(self.written(tmp_path / f"seg_{each}", unit_vectors(20, seed=each)), 20, DIMENSION)
            for each in range(3)
        ]
        self._delete("seg_1:000000003")
        with pytest.raises(VectorsLostError, match=r"seg_1 in .* has 19 rows, not 20"):
            nearest_in(readers, unit_vectors(1)[0], 5, [None] * 3)
        self._delete("seg_2:marker")
        with pytest.raises(VectorsLostError, match=r"seg_2 in .* lacks its marker"):
            nearest_in(readers, unit_vectors(1)[0], 5, [None] * 3)

    def test_what_was_written_passes_its_digest(self, tmp_path: Path) -> None:
        self.outside.verify(self.written(tmp_path / "segment", unit_vectors(1500)), 1500, DIMENSION)

    def test_a_changed_vector_fails_the_digest(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(20))
        self._put("segment", 7, unit_vectors(1, seed=5)[0])
        with pytest.raises(CorruptStoreError, match="not those that were written"):
            self.outside.verify(folder, 20, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    def test_rows_that_somebody_removed_are_noticed_by_the_next_look(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(20))
        reader = self.engine.open(folder, 20, DIMENSION)
        self._delete("segment:000000003")
        with pytest.raises(CorruptStoreError, match="19 rows, not 20"):
            reader.nearest(unit_vectors(1)[0], 5, None)
        with pytest.raises(CorruptStoreError, match="lacks 1 row"):
            reader.take(np.array([2, 3]))

    @pytest.mark.requirement("ENG.2")
    def test_rows_that_somebody_added_are_noticed_too(self, tmp_path: Path) -> None:
        reader = self.engine.open(self.written(tmp_path / "segment", unit_vectors(20)), 20, DIMENSION)
        self._put("segment", 20, unit_vectors(1)[0])
        with pytest.raises(CorruptStoreError, match="21 rows, not 20"):
            reader.nearest(unit_vectors(1)[0], 5, None)

    @pytest.mark.requirement("ENG.2")
    @pytest.mark.parametrize("detail", [None, "writing", "{}", '{"schema_version": 1}'])
    def test_a_segment_without_its_marker_is_not_whole(self, tmp_path: Path, detail: str | None) -> None:
        reader = self.engine.open(self.written(tmp_path / "segment", unit_vectors(20)), 20, DIMENSION)
        if detail is None:
            self._delete("segment:marker")
        else:
            row = milvus._row("segment", milvus.MARKER, 0, detail, unit_vectors(1)[0])
            self.link.call("upsert", collection_name=self.collection, data=[row])
            self.link.forget(self.collection)
        with pytest.raises(CorruptStoreError, match="lacks its marker"):
            reader.nearest(unit_vectors(1)[0], 5, None)

    @pytest.mark.requirement("ENG.2")
    def test_a_collection_that_somebody_dropped_is_damage_and_can_be_written_again(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(20))
        self.link.call("drop_collection", collection_name=self.collection)
        with pytest.raises(CorruptStoreError, match="somebody dropped it"):
            self.engine.open(folder, 20, DIMENSION).nearest(unit_vectors(1)[0], 5, None)
        with pytest.raises(CorruptStoreError):
            self.outside.verify(folder, 20, DIMENSION)
        assert self.outside.held() == frozenset()
        again = self.written(tmp_path / "seg_again", unit_vectors(20))
        self.outside.verify(again, 20, DIMENSION)

    @pytest.mark.requirement("ENG.2")
    @pytest.mark.parametrize("after", [0, 30])
    @pytest.mark.parametrize("lost", ["rows", "collection", "made anew"])
    def test_what_was_seen_to_be_whole_and_is_lost_meanwhile_ends_in_no_wrong_answer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str, after: int
    ) -> None:
        vectors = unit_vectors(50)
        folder = self.written(tmp_path / "segment", vectors)
        reader = self.engine.open(folder, 50, DIMENSION)
        reader.nearest(vectors[3], 5, None)
        ids = [f"segment:{number:09d}" for number in range(40)]
        other = Link(self.settings.uri, "", "", 30)
        if lost == "rows":
            other.call("delete", collection_name=self.collection, ids=ids)
        else:
            other.call("drop_collection", collection_name=self.collection)
        if lost == "made anew":
            self.outside._make(other, read_record(folder, 50, DIMENSION))
        now = time.monotonic()
        monkeypatch.setattr("cairn.engines.milvus_link.monotonic", lambda: now + after)
        what = {"rows": "has 10 rows, not 50", "collection": "somebody dropped it", "made anew": "lacks its marker"}
        for _ in range(2):
            with pytest.raises(VectorsLostError, match=what[lost]):
                reader.nearest(vectors[3], 5, None)

    @pytest.mark.requirement("ENG.2")
    def test_rows_that_are_lost_are_told_though_another_thread_has_just_seen_them_all(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        vectors = unit_vectors(50)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 50, DIMENSION)
        reader.nearest(vectors[3], 5, None)
        ids = [f"segment:{number:09d}" for number in range(40)]
        Link(self.settings.uri, "", "", 30).call("delete", collection_name=self.collection, ids=ids)
        forget = Link.forget

        def forget_and_see(link: Link, collection: str) -> None:
            seen = list(link._whole)
            forget(link, collection)
            link.note_whole(seen)

        monkeypatch.setattr(Link, "forget", forget_and_see)
        with pytest.raises(VectorsLostError, match="has 10 rows, not 50"):
            reader.nearest(vectors[3], 5, None)

    @pytest.mark.requirement("ENG.2")
    def test_a_collection_of_another_shape_is_no_place_to_write(self, tmp_path: Path) -> None:
        self.written(tmp_path / "segment", unit_vectors(20))
        with pytest.raises(CorruptStoreError, match="vectors of another dimension: somebody made it anew"):
            self.written(tmp_path / "seg_b", unit_vectors(20, dimension=DIMENSION + 1))
        assert not (tmp_path / "seg_b" / "vectors.json").exists()

    def test_only_what_is_named_is_removed(self, tmp_path: Path) -> None:
        kept = self.written(tmp_path / "seg_a", unit_vectors(20))
        self.written(tmp_path / "seg_b", unit_vectors(20))
        self.outside.remove({"seg_b", "seg_never"})
        assert self.outside.held() == {"seg_a"}
        self.outside.verify(kept, 20, DIMENSION)
        self.outside.remove_all()
        assert self.outside.held() == frozenset()

    def test_two_stores_of_one_tree_have_collections_of_their_own(self, tmp_path: Path) -> None:
        self.written(tmp_path / "seg_a", unit_vectors(20))
        (tmp_path / "second").mkdir(mode=0o700)
        second = MilvusEngine(str(tmp_path / "second"), self.settings)
        assert second.held() == frozenset()
        second.remove({"seg_a"})
        second.remove_all()
        assert self.outside.held() == {"seg_a"}

    def test_more_hidden_rows_than_a_server_gives_at_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(milvus_reader, "MOST_ROWS", 40)
        vectors = unit_vectors(100)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 100, DIMENSION)
        best = np.argsort(-(vectors @ vectors[0]))
        live = np.ones(100, dtype=np.bool_)
        live[best[:60]] = False
        numbers, _ = reader.nearest(vectors[0], 10, live)
        assert numbers.tolist() == best[60:70].tolist()

    @pytest.mark.parametrize("kind", MILVUS_INDEXES)
    def test_an_index_that_is_not_exact_finds_nearly_the_same(self, tmp_path: Path, kind: str) -> None:
        engine = MilvusEngine(self.store, MilvusSettings(self.settings.uri, timeout_s=30, exact=False, index=kind))
        vectors = unit_vectors(2000)
        folder = tmp_path / "segment"
        folder.mkdir()
        engine.write(str(folder), vectors)
        reader = engine.open(str(folder), 2000, DIMENSION)
        hits = 0
        for query in unit_vectors(20, seed=4):
            numbers, scores = reader.nearest(query, 10, None)
            hits += len(set(numbers.tolist()) & set(np.argsort(-(vectors @ query))[:10].tolist()))
            assert list(scores) == sorted(scores, reverse=True)
        assert hits >= 190
        assert self.link.indexes(self.collection, "vector") == {kind}

    def test_a_collection_that_somebody_made_anew_is_damage(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(20))
        self.link.call("drop_collection", collection_name=self.collection)
        self.link.call("create_collection", collection_name=self.collection, dimension=DIMENSION)
        self.link.forget(self.collection)
        (tmp_path / "seg_b").mkdir()
        for ask in (
            lambda: self.engine.open(folder, 20, DIMENSION).nearest(unit_vectors(1)[0], 5, None),
            lambda: self.outside.verify(folder, 20, DIMENSION),
            self.outside.held,
            lambda: self.engine.write(str(tmp_path / "seg_b"), unit_vectors(3)),
        ):
            with pytest.raises(CorruptStoreError, match="somebody made it anew") as caught:
                ask()
            assert caught.value.hint == "Clear the index, then index the codebase."
        self.outside.remove_all()
        assert self.outside.held() == frozenset()

    @pytest.mark.requirement("ENG.2")
    @pytest.mark.parametrize("is_known", [False, True])
    def test_a_collection_that_was_made_anew_with_another_dimension_is_damage_to_everybody(
        self, tmp_path: Path, is_known: bool
    ) -> None:
        vectors = unit_vectors(20)
        folder = self.written(tmp_path / "segment", vectors)
        reader = self.engine.open(folder, 20, DIMENSION)
        reader.nearest(vectors[0], 3, None)
        self.link.call("drop_collection", collection_name=self.collection)
        other = replace(read_record(folder, 20, DIMENSION), dimension=2 * DIMENSION)
        self.outside._make(self.link, other)
        (tmp_path / "seg_b").mkdir()
        for ask in (
            lambda: reader.nearest(vectors[0], 3, None),
            lambda: reader.take(np.arange(3)),
            lambda: self.outside.verify(folder, 20, DIMENSION),
            lambda: self.engine.write(str(tmp_path / "seg_b"), vectors),
        ):
            if not is_known:
                self.link.forget(self.collection)
            with pytest.raises(CorruptStoreError):
                ask()
        assert list((tmp_path / "seg_b").iterdir()) == []
        self.outside.remove_all()
        self.outside.verify(self.written(tmp_path / "seg_c", vectors), 20, DIMENSION)

    @pytest.mark.parametrize("number", [-1, 20, 4])
    def test_numbers_that_were_never_written_are_damage(self, tmp_path: Path, number: int) -> None:
        vectors = unit_vectors(20)
        folder = self.written(tmp_path / "segment", vectors)
        reader = self.engine.open(folder, 20, DIMENSION)
        row = milvus._row("segment", milvus_reader.ROW, 3, "", vectors[3]) | {"number": number}
        self.link.call("upsert", collection_name=self.collection, data=[row])
        for ask in (
            lambda: reader.nearest(vectors[3], 5, np.ones(20, dtype=np.bool_)),
            lambda: reader.take(np.array([3])),
            lambda: self.outside.verify(folder, 20, DIMENSION),
        ):
            with pytest.raises(CorruptStoreError, match="never written"):
                ask()

    def test_rows_that_changed_places_with_those_of_another_segment_are_damage(self, tmp_path: Path) -> None:
        vectors = unit_vectors(20)
        folders = {name: self.written(tmp_path / name, vectors) for name in ("seg_a", "seg_b")}
        for name, other in (("seg_a", "seg_b"), ("seg_b", "seg_a")):
            row = milvus._row(name, milvus_reader.ROW, 3, "", vectors[3]) | {"segment": other}
            self.link.call("upsert", collection_name=self.collection, data=[row])
        for folder in folders.values():
            with pytest.raises(CorruptStoreError, match="said to be of another"):
                self.outside.verify(folder, 20, DIMENSION)
            with pytest.raises(CorruptStoreError, match="never written"):
                self.engine.open(folder, 20, DIMENSION).nearest(vectors[3], 5, None)

    def test_the_marker_of_another_is_not_its_own(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(20))
        self.written(tmp_path / "seg_b", unit_vectors(20, seed=9))
        (other,) = self.link.call(
            "get", collection_name=self.collection, ids=["seg_b:marker"], output_fields=["detail"]
        )
        row = milvus._row("segment", milvus.MARKER, 0, other["detail"], unit_vectors(1)[0])
        self.link.call("upsert", collection_name=self.collection, data=[row])
        self.link.forget(self.collection)
        with pytest.raises(CorruptStoreError, match="has the marker of another"):
            self.engine.open(folder, 20, DIMENSION).nearest(unit_vectors(1)[0], 5, None)

    def test_a_collection_that_was_let_go_meanwhile_is_loaded_again(self, tmp_path: Path) -> None:
        """As by a server that was started anew between two questions."""
        vectors = unit_vectors(30)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 30, DIMENSION)
        reader.nearest(vectors[0], 3, None)
        for ask in (
            lambda: reader.nearest(vectors[0], 3, None)[0].tolist(),
            lambda: reader.take(np.array([2])).tolist(),
            self.outside.held,
        ):
            before = ask()
            self.link.call("release_collection", collection_name=self.collection)
            assert ask() == before

    def test_what_a_server_lets_go_of_is_loaded_by_the_next_question(self, tmp_path: Path) -> None:
        vectors = unit_vectors(30)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 30, DIMENSION)
        assert (self.outside.let_go(), self.outside.let_go()) == (1, 0)
        assert not self.link.is_loaded(self.collection)
        assert reader.nearest(vectors[7], 1, None)[0].tolist() == [7]
        assert self.link.is_loaded(self.collection)

    @pytest.mark.requirement("ENG.2")
    def test_a_collection_that_lost_rows_while_nobody_had_it_loaded_is_looked_at_again(self, tmp_path: Path) -> None:
        """As a server that was killed and has lost what it hadn't written down."""
        vectors = unit_vectors(60)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 60, DIMENSION)
        reader.nearest(vectors[3], 2, None)
        other = Link(self.settings.uri, "", "", 30)
        other.call("delete", collection_name=self.collection, ids=["segment:000000003"])
        other.call("release_collection", collection_name=self.collection)
        with pytest.raises(VectorsLostError, match="has 59 rows, not 60"):
            reader.nearest(vectors[3], 2, None)

    @pytest.mark.parametrize(("made_exact", "is_asked"), [(False, False), (True, True)])
    def test_settings_that_come_to_say_exact_are_kept_over_a_collection_that_is_not(
        self, tmp_path: Path, calls: list[tuple[str, dict[str, Any]]], made_exact: bool, is_asked: bool
    ) -> None:
        vectors = unit_vectors(300)
        folder = tmp_path / "segment"
        folder.mkdir()
        MilvusEngine(self.store, replace(self.settings, exact=made_exact)).write(str(folder), vectors)
        live = np.arange(300) % 3 != 0
        numbers, _ = self.engine.open(str(folder), 300, DIMENSION).nearest(vectors[7], 10, live)
        assert numbers.tolist() == brute_force(vectors, vectors[7], 10, live)
        assert ("search" in {method for method, _ in calls}) is is_asked

    def test_the_kind_of_an_index_is_asked_for_once_and_anew_where_the_collection_is_another(
        self, tmp_path: Path, calls: list[tuple[str, dict[str, Any]]]
    ) -> None:
        vectors = unit_vectors(30)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 30, DIMENSION)
        for _ in range(2):
            reader.nearest(vectors[0], 3, None)
        assert [method for method, _ in calls].count("describe_index") == 1
        self.outside.remove_all()
        self.engine = MilvusEngine(self.store, replace(self.settings, exact=False))
        self.written(tmp_path / "seg_b", vectors)
        del calls[:]
        self.outside.open(str(tmp_path / "seg_b"), 30, DIMENSION).nearest(vectors[0], 3, None)
        assert "search" not in {method for method, _ in calls}

    def _put(self, segment: str, number: int, vector: object) -> None:
        row = milvus._row(segment, milvus_reader.ROW, number, "", vector)  # type: ignore[arg-type]
        self.link.call("upsert", collection_name=self.collection, data=[row])
        self.link.forget(self.collection)

    def _delete(self, identity: str) -> None:
        """As somebody else does it, and noticed by whoever looks next."""
        self.link.call("delete", collection_name=self.collection, ids=[identity])
        self.link.forget(self.collection)


@pytest.mark.requirement("ENG.2")
class TestAway:
    """A server of one's own, since it doesn't survive."""

    @pytest.fixture(autouse=True)
    def _written(self, tmp_path: Path) -> Iterator[None]:
        self.server = Server(tmp_path / "milvus").start()
        (tmp_path / "store").mkdir(mode=0o700)
        store, uri = str(tmp_path / "store"), self.server.uri
        # Only one that is away is not worth the time.
        self.patient = MilvusEngine(store, MilvusSettings(uri, timeout_s=60))
        self.engine: OutsideEngine = MilvusEngine(store, MilvusSettings(uri, timeout_s=1))
        self.folder = tmp_path / "segment"
        self.folder.mkdir()
        self.vectors = unit_vectors(30)
        self.patient.write(str(self.folder), self.vectors)
        self.reader = self.engine.open(str(self.folder), 30, DIMENSION)
        yield
        self.server.kill()

    def assert_probe_failed(self, tmp_path: Path) -> None:
        other = tmp_path / "seg_other"
        other.mkdir(exist_ok=True)
        for ask in (
            lambda: self.reader.nearest(self.vectors[0], 3, None),
            lambda: self.reader.take(np.array([1])),
            lambda: self.engine.verify(str(self.folder), 30, DIMENSION),
            lambda: self.engine.held(),
            lambda: self.engine.remove({"segment"}),
            lambda: self.engine.write(str(other), self.vectors),
        ):
            with pytest.raises(ProbeFailedError, match=f"127.0.0.1:{self.server.port} gave no answer"):
                ask()
        assert list(other.iterdir()) == []

    def take_in_the_end(self) -> Vectors:
        """By the very reader that has seen the server go, be it with another attempt."""
        for _ in range(60):
            with contextlib.suppress(ProbeFailedError):
                return self.reader.take(np.arange(30))
        return self.reader.take(np.arange(30))

    def test_one_that_is_gone_says_nothing_of_what_it_holds(self, tmp_path: Path) -> None:
        self.server.kill()
        self.assert_probe_failed(tmp_path)
        self.server.start()
        self.patient.verify(str(self.folder), 30, DIMENSION)
        assert np.array_equal(self.take_in_the_end(), self.vectors)

    def test_what_was_known_of_one_that_went_is_asked_for_anew(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        self.reader.nearest(self.vectors[0], 3, None)
        self.server.kill()
        with pytest.raises(ProbeFailedError):
            self.reader.nearest(self.vectors[0], 3, None)
        self.server.start()
        del calls[:]
        self.take_in_the_end()
        assert "describe_collection" in {method for method, _ in calls}

    def test_one_that_doesn_t_answer_is_not_waited_for(self, tmp_path: Path) -> None:
        self.server.pause()
        self.assert_probe_failed(tmp_path)
        self.server.resume()
        self.patient.verify(str(self.folder), 30, DIMENSION)

    def test_a_write_that_breaks_off_leaves_no_record_and_a_marker_that_tells(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(milvus_reader, "_BATCH_ROWS", 10)
        batches = milvus._batches

        def dying(vectors: object) -> Iterator[object]:
            for number, batch in enumerate(batches(vectors)):  # type: ignore[arg-type]
                if number == 2:
                    self.server.kill()
                yield batch

        monkeypatch.setattr(milvus, "_batches", dying)
        partial = tmp_path / "seg_partial"
        partial.mkdir()
        engine = MilvusEngine(str(tmp_path / "store"), MilvusSettings(self.server.uri, timeout_s=10))
        with pytest.raises(ProbeFailedError):
            engine.write(str(partial), unit_vectors(50))
        assert list(partial.iterdir()) == []
        self.server.start()
        assert self.patient.held() == {"segment", "seg_partial"}
        self.patient.remove({"seg_partial"})
        assert self.patient.held() == {"segment"}
        self.patient.verify(str(self.folder), 30, DIMENSION)


class _StatusError(Exception):
    def __init__(self, code: object, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        (1800, "auth check failure, please check api key is correct", EngineDeniedError),
        (65535, "rpc error: code = Unauthenticated desc = auth check failure", EngineDeniedError),
        (100, "can't find collection", VectorsLostError),
        (8, "rate limit", ProbeFailedError),
        (2, "disk is full on the server", ProbeFailedError),
    ],
)
def test_what_a_server_says_has_a_meaning(code: int, message: str, kind: type[Exception]) -> None:
    error = Link("http://host:1", "", "", 1)._meaning(_StatusError(code, message), "cairn_x")
    assert type(error) is kind
    assert "host:1" in str(error)


@pytest.mark.requirement("ENG.2")
def test_a_call_that_a_server_doesn_t_know_is_an_incompatible_version() -> None:
    from grpc import StatusCode

    error = Link("http://host:1", "", "", 1)._meaning(_StatusError(StatusCode.UNIMPLEMENTED, "unknown method"), "")
    assert type(error) is IncompatibleError


class _Client:
    """Fails where a server doesn't answer, and everywhere once it was closed; `meanwhile` runs amid a call."""

    def __init__(self) -> None:
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True

    def fail(self, **_: object) -> None:
        raise RuntimeError("no answer")

    def work(self, meanwhile: Callable[[], object], **_: object) -> str:
        meanwhile()
        if self.is_closed:
            raise ValueError("Cannot invoke RPC on closed channel!")
        return "done"


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[_Client]:
    made: list[_Client] = []

    def make(**_: object) -> _Client:
        made.append(_Client())
        return made[-1]

    monkeypatch.setattr("pymilvus.MilvusClient", make)
    return made


@pytest.mark.requirement("ENG.2")
def test_a_call_that_fails_takes_no_other_along(clients: list[_Client]) -> None:
    link = Link("http://127.0.0.1:1", "", "", 1)

    def fail() -> None:
        with pytest.raises(ProbeFailedError):
            link.call("fail")

    def meanwhile() -> None:
        # The first gives up the connection of the one that is under way, the second has one of its own.
        fail()
        fail()

    assert link.call("work", meanwhile=meanwhile) == "done"
    assert [client.is_closed for client in clients] == [True, True]
    assert link.call("work", meanwhile=lambda: None) == "done"
    assert [client.is_closed for client in clients] == [True, True, False]


def test_a_late_failure_doesn_t_give_up_what_came_after(clients: list[_Client]) -> None:
    link = Link("http://127.0.0.1:1", "", "", 1)

    def meanwhile() -> None:
        with pytest.raises(ProbeFailedError):
            link.call("fail")
        link.call("work", meanwhile=lambda: None)
        raise RuntimeError("no answer")

    with pytest.raises(ProbeFailedError):
        link.call("work", meanwhile=meanwhile)
    assert link.call("work", meanwhile=lambda: None) == "done"
    assert [client.is_closed for client in clients] == [True, False]


@pytest.mark.requirement("ENG.2")
def test_a_server_that_is_slow_to_take_a_connection_is_waited_for(server: Server) -> None:
    with Relay(server.port, connect_s=1.5) as relay:
        link = link_to(MilvusSettings(relay.uri, timeout_s=30), "")
        assert link.call("has_collection", collection_name="nowhere") is False


def test_chunks_are_shared_under_their_hashes(server: Server) -> None:
    settings = MilvusSettings(server.uri, timeout_s=30)
    vectors = dict(zip("abc", unit_vectors(3), strict=True))
    mine, theirs = (MilvusChunks(settings, "f" * 64, DIMENSION) for _ in range(2))
    mine.put_many(vectors)
    mine.put_many({"a": vectors["a"]})
    found = theirs.get_many(["c", "a", "unknown"])
    assert {key: value.tobytes() for key, value in found.items()} == {key: vectors[key].tobytes() for key in "ac"}
    assert MilvusChunks(settings, "0" * 64, DIMENSION).get_many(["a"]) == {}


def test_chunks_that_nobody_takes_go_and_those_that_somebody_takes_stay(
    alone: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = MilvusSettings(alone.uri, timeout_s=30, chunk_days=90)
    link, today = link_to(settings, ""), milvus_chunks._today()
    vectors = dict(zip("abcd", unit_vectors(4), strict=True))
    monkeypatch.setattr(milvus_chunks, "_BATCH_ROWS", 2)

    def on_day(day: int) -> MilvusChunks:
        monkeypatch.setattr(milvus_chunks, "_today", lambda: today + day)
        return MilvusChunks(settings, "d" * 64, DIMENSION)

    on_day(0).put_many(vectors)
    MilvusChunks(settings, "9" * 64, DIMENSION).put_many({"x": vectors["a"]})
    assert on_day(5).get_many("a").keys() == {"a"}
    assert on_day(60).get_many("b").keys() == {"b"}
    on_day(90)
    assert expire_chunks(settings) == 0
    chunks = on_day(91)
    assert link.is_loaded("cairn_chunks_" + "d" * 32)
    # Of those that nobody took since day 0, and of another way to embed.
    assert expire_chunks(settings) == 4
    assert chunks.get_many("abcd").keys() == {"b"}
    assert not link.call("has_collection", collection_name="cairn_chunks_" + "9" * 32)
    assert link.is_loaded("cairn_chunks_" + "d" * 32)
    assert expire_chunks(settings) == 0


def test_a_removal_of_chunks_that_broke_off_goes_on(alone: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = MilvusSettings(alone.uri, timeout_s=30)
    chunks = MilvusChunks(settings, "7" * 64, DIMENSION)
    today = milvus_chunks._today()
    monkeypatch.setattr(milvus_chunks, "_BATCH_ROWS", 2)
    monkeypatch.setattr(milvus_chunks, "_today", lambda: today - 100)
    chunks.put_many({str(each): vector for each, vector in enumerate(unit_vectors(6))})
    monkeypatch.setattr(milvus_chunks, "_today", lambda: today)
    call, removals = Link.call, 0

    def breaking(link: Link, method: str, **arguments: Any) -> Any:
        nonlocal removals
        removals += method == "delete"
        if removals == 2:
            raise ProbeFailedError("The server gave no answer.")
        return call(link, method, **arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Link, "call", breaking)
        with pytest.raises(ProbeFailedError):
            expire_chunks(settings)
    assert expire_chunks(settings) == 4
    assert chunks._link.call("has_collection", collection_name="cairn_chunks_" + "7" * 32) is False


def test_a_collection_of_chunks_of_a_former_version_is_made_anew(server: Server) -> None:
    settings = MilvusSettings(server.uri, timeout_s=30)
    link = link_to(settings, "")
    for digit, is_collected in (("6", True), ("5", False)):
        place = "cairn_chunks_" + digit * 32
        link.call("create_collection", collection_name=place, dimension=DIMENSION)
        if is_collected:
            assert expire_chunks(settings) == 0
            assert not link.call("has_collection", collection_name=place)
        chunks = MilvusChunks(settings, digit * 64, DIMENSION)
        chunks.put_many({"a": unit_vectors(1)[0]})
        assert chunks.get_many("a").keys() == {"a"}


def test_what_can_t_be_the_vector_of_a_chunk_is_as_good_as_none(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others write there too."""
    chunks = MilvusChunks(MilvusSettings(server.uri, timeout_s=30), "e" * 64, DIMENSION)
    chunks.put_many({"fine": unit_vectors(1)[0]})
    call = Link.call

    def odd(link: Link, method: str, **arguments: Any) -> Any:
        found = call(link, method, **arguments)
        infinite, short = [float("inf")] * DIMENSION, [1.0]
        odd_ones = [{"id": "a", "day": 0, "vector": infinite}, {"id": "b", "day": 0, "vector": short}]
        return [*found, *odd_ones] if method == "get" else found

    monkeypatch.setattr(Link, "call", odd)
    assert chunks.get_many(["fine", "a", "b"]).keys() == {"fine"}


def test_a_reader_of_a_record_asks_nothing_before_it_is_asked(calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Views open every segment, and most questions are not about vectors."""
    link = Link("http://127.0.0.1:1", "", "", 1)
    reader = MilvusReader(link, [("seg", VectorRecord("cairn_x", 1, 2, ""))], exact=True)
    assert reader.nearest(np.zeros(2, dtype=np.float32), 0, None)[0].tolist() == []
    assert reader.take(np.empty(0, dtype=np.int64)).shape == (0, 2)
    assert calls == []
    with pytest.raises(ProbeFailedError):
        reader.nearest(np.zeros(2, dtype=np.float32), 1, None)
    assert [method for method, _ in calls] == ["describe_collection"]


def test_nothing_that_is_stored_depends_on_a_clock(server: Server, tmp_path: Path) -> None:
    """Machines of a team have clocks of their own."""
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    folder = tmp_path / "segment"
    folder.mkdir()
    MilvusEngine(str(store), MilvusSettings(server.uri, timeout_s=30)).write(str(folder), unit_vectors(3))
    record = json.loads((folder / "vectors.json").read_text())
    assert sorted(record) == ["digest", "dimension", "place", "rows", "schema_version"]


def fresh_engine(tmp_path: Path, server: Server) -> tuple[MilvusEngine, Path]:
    store = tmp_path / "store"
    store.mkdir(mode=0o700)
    folder = tmp_path / "segment"
    folder.mkdir()
    return MilvusEngine(str(store), MilvusSettings(server.uri, timeout_s=30)), folder


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("lost", ["rows", "marker"])
def test_a_server_that_takes_less_than_it_says_is_found_out_before_anything_counts_on_it(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    put = milvus._put

    def put_less(link: Link, place: str, rows: list[dict[str, Any]]) -> None:
        whole = [row for row in rows if not (row["detail"] if lost == "marker" else row["number"] == 3)]
        put(link, place, whole or [{**rows[0], "id": "elsewhere"}])

    monkeypatch.setattr(milvus, "_put", put_less)
    engine, folder = fresh_engine(tmp_path, server)
    with pytest.raises(CorruptStoreError):
        engine.write(str(folder), unit_vectors(9))
    assert not (folder / "vectors.json").exists()


def test_a_row_that_was_written_is_there_for_whoever_asks_next(
    server: Server, tmp_path: Path, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    engine, folder = fresh_engine(tmp_path, server)
    engine.write(str(folder), unit_vectors(3))
    MilvusChunks(MilvusSettings(server.uri, timeout_s=30), new_ulid().lower() + "0" * 38, DIMENSION).put_many({})
    made = [arguments["consistency_level"] for method, arguments in calls if method == "create_collection"]
    assert made == ["Strong", "Strong"]


def test_a_marker_is_the_last_thing_that_is_removed(
    server: Server, tmp_path: Path, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    engine, folder = fresh_engine(tmp_path, server)
    engine.write(str(folder), unit_vectors(3))
    engine.remove(["segment"])
    removed = [arguments["filter"] for method, arguments in calls if method == "delete"]
    assert ["cairn_segment_v1" in each for each in removed] == [False, True]
    assert engine.held() == frozenset()


@pytest.mark.requirement("ENG.2")
@pytest.mark.parametrize("name", ["MILVUS_URI", "MILVUS_CONN_TIMEOUT", "MILVUS_DEFAULT_CONNECTION"])
def test_variables_of_pymilvus_have_no_say(server: Server, repo: Repo, name: str) -> None:
    repo.write("a.py", "x = 1\n")
    environment = {"CAIRN_ENGINE": "milvus", "CAIRN_MILVUS_URI": server.uri, name: "no such thing"}
    done = cairn("index", str(repo.path), cwd=None, **environment)
    assert (done.returncode, done.stderr) == (0, "")
