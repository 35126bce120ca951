"""What every vector engine has to do; an engine's own test file subclasses this."""

import os
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import CorruptStoreError
from cairn.engines import Mask, Numbers, VectorEngine, Vectors, engine_named, nearest_in

DIMENSION = 16


def unit_vectors(count: int, seed: int = 7, dimension: int = DIMENSION) -> Vectors:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((count, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def brute_force(vectors: Vectors, query: Vectors, limit: int, live: Mask | None = None) -> list[int]:
    scores = vectors @ query
    alive = range(len(vectors)) if live is None else np.flatnonzero(live).tolist()
    return sorted(alive, key=lambda number: (-float(scores[number]), number))[:limit]


class EngineConformance:
    """Give `make`, which makes the engine of the store in a folder."""

    engine: VectorEngine

    def make(self, store: str) -> VectorEngine:
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _engine(self, tmp_path: Path) -> None:
        store = tmp_path / "store"
        store.mkdir(mode=0o700)
        self.store = str(store)
        self.engine = self.make(self.store)

    def written(self, folder: Path, vectors: Vectors) -> str:
        folder.mkdir()
        self.engine.write(str(folder), vectors)
        return str(folder)

    def files_in(self, folder: str) -> list[Path]:
        return [Path(inside) / name for inside, _, names in os.walk(folder) for name in names]

    def test_it_is_found_by_its_name(self) -> None:
        assert isinstance(self.engine, VectorEngine)
        assert type(engine_named(self.engine.name, self.store)) is type(self.engine)

    @pytest.mark.parametrize("count", [1, 2, 1000])
    def test_values_are_bit_equal_after_reopening(self, tmp_path: Path, count: int) -> None:
        vectors = unit_vectors(count)
        vectors[0, :3] = [np.float32(1e-40), np.float32(-0.0), np.float32(3.4e38)]
        folder = self.written(tmp_path / "segment", vectors)
        for _ in range(2):
            reader = self.engine.open(folder, count, DIMENSION)
            taken = reader.take(np.arange(count, dtype=np.int64))
            assert taken.dtype == np.float32
            assert taken.tobytes() == vectors.tobytes()

    def test_rows_are_taken_in_the_order_asked_for(self, tmp_path: Path) -> None:
        vectors = unit_vectors(10)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 10, DIMENSION)
        numbers: Numbers = np.array([7, 0, 7, 3], dtype=np.int64)
        assert np.array_equal(reader.take(numbers), vectors[numbers])
        assert reader.take(np.empty(0, dtype=np.int64)).shape == (0, DIMENSION)

    def test_the_top_ten_are_those_of_brute_force(self, tmp_path: Path) -> None:
        vectors = unit_vectors(2000)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 2000, DIMENSION)
        for query in unit_vectors(20, seed=11):
            numbers, scores = reader.nearest(query, 10, None)
            assert numbers.tolist() == brute_force(vectors, query, 10)
            assert np.allclose(scores, (vectors @ query)[numbers], atol=1e-6)
            assert list(scores) == sorted(scores, reverse=True)

    def test_hidden_rows_never_show_and_don_t_take_the_place_of_others(self, tmp_path: Path) -> None:
        vectors = unit_vectors(500)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 500, DIMENSION)
        live = np.random.default_rng(3).random(500) < 0.2
        for query in unit_vectors(10, seed=12):
            numbers, _ = reader.nearest(query, 10, live)
            assert numbers.tolist() == brute_force(vectors, query, 10, live)
            assert live[numbers].all()

    def test_segments_that_are_asked_together_answer_like_one(self, tmp_path: Path) -> None:
        each = [unit_vectors(count, seed=count) for count in (60, 1, 90, 40)]
        folders = [self.written(tmp_path / f"seg_{place}", vectors) for place, vectors in enumerate(each)]
        readers = [
            self.engine.open(folder, len(vectors), DIMENSION) for folder, vectors in zip(folders, each, strict=True)
        ]
        scattered = np.random.default_rng(3).random(90) < 0.5
        hidden = np.zeros(40, dtype=np.bool_)
        runs = np.arange(60) // 20 != 1
        everything = np.concatenate(each)
        for lives in ([None] * 4, [runs, None, None, hidden], [runs, None, scattered, None]):
            masks = [
                np.ones(len(vectors), dtype=np.bool_) if live is None else live
                for vectors, live in zip(each, lives, strict=True)
            ]
            for query in unit_vectors(3, seed=13):
                answers = nearest_in(readers, query, 10, lives)
                rows = [
                    (float(score), sum(map(len, each[:place])) + int(number))
                    for place, answer in enumerate(answers)
                    for number, score in zip(*answer, strict=True)
                ]
                best = [number for _, number in sorted(rows, key=lambda row: (-row[0], row[1]))[:10]]
                assert best == brute_force(everything, query, 10, np.concatenate(masks))

    def test_with_every_row_hidden_nothing_is_found(self, tmp_path: Path) -> None:
        reader = self.engine.open(self.written(tmp_path / "segment", unit_vectors(5)), 5, DIMENSION)
        numbers, scores = reader.nearest(unit_vectors(1)[0], 10, np.zeros(5, dtype=np.bool_))
        assert (numbers.tolist(), scores.tolist()) == ([], [])

    @pytest.mark.parametrize("limit", [1, 3, 7, 8, 9, 100])
    def test_ties_with_the_last_place_come_along_in_the_order_of_their_numbers(
        self, tmp_path: Path, limit: int
    ) -> None:
        near, far = unit_vectors(2)
        vectors = np.stack([far, near, near, far, near, near, near, far]).astype(np.float32)
        reader = self.engine.open(self.written(tmp_path / "segment", vectors), 8, DIMENSION)
        numbers, _ = reader.nearest(near, limit, None)
        assert numbers.tolist() == [1, 2, 4, 5, 6, 0, 3, 7][: 5 if limit <= 5 else 8]

    def test_a_limit_of_nothing_finds_nothing(self, tmp_path: Path) -> None:
        reader = self.engine.open(self.written(tmp_path / "segment", unit_vectors(5)), 5, DIMENSION)
        numbers, scores = reader.nearest(unit_vectors(1)[0], 0, None)
        assert (len(numbers), len(scores)) == (0, 0)

    def test_a_segment_without_rows_is_fine(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", np.empty((0, DIMENSION), dtype=np.float32))
        reader = self.engine.open(folder, 0, DIMENSION)
        numbers, scores = reader.nearest(unit_vectors(1)[0], 10, None)
        assert (len(numbers), len(scores)) == (0, 0)
        assert reader.take(np.empty(0, dtype=np.int64)).shape == (0, DIMENSION)

    @pytest.mark.parametrize(
        "claim", [(4, DIMENSION), (6, DIMENSION), (0, DIMENSION), (5, DIMENSION - 1), (DIMENSION, 5)]
    )
    def test_another_shape_than_the_manifest_says_is_damage(self, tmp_path: Path, claim: tuple[int, int]) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(5))
        with pytest.raises(CorruptStoreError):
            self.engine.open(folder, *claim)

    @pytest.mark.parametrize("content", [b"", b"\x93NUM", b"no vectors", b"PK\x03\x04 no archive", b"\x80\x04]q\x00."])
    def test_a_file_of_another_kind_is_damage(self, tmp_path: Path, content: bytes) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(5))
        for path in self.files_in(folder):
            path.write_bytes(content)
        with pytest.raises(CorruptStoreError):
            self.engine.open(folder, 5, DIMENSION)

    def test_a_file_cut_in_half_is_damage(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(50))
        for path in self.files_in(folder):
            data = path.read_bytes()
            path.write_bytes(data[: len(data) // 2])
        with pytest.raises(CorruptStoreError):
            self.engine.open(folder, 50, DIMENSION)

    def test_missing_files_are_damage(self, tmp_path: Path) -> None:
        folder = self.written(tmp_path / "segment", unit_vectors(5))
        for path in self.files_in(folder):
            path.unlink()
        with pytest.raises(CorruptStoreError):
            self.engine.open(folder, 5, DIMENSION)

    def test_a_reader_outlives_the_removal_of_its_files(self, tmp_path: Path) -> None:
        vectors = unit_vectors(100)
        folder = self.written(tmp_path / "segment", vectors)
        reader = self.engine.open(folder, 100, DIMENSION)
        reader.take(np.array([0], dtype=np.int64))
        for path in self.files_in(folder):
            path.unlink()
        assert np.array_equal(reader.take(np.arange(100, dtype=np.int64)), vectors)
