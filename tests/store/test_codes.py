"""Vectors told by codes: how near rows are is told nearly, and in the order of the nearest."""

import numpy as np
import pytest

from cairn.store._codes import CODES, CodedReader, coded, codes_bytes, learnt, pieces_of


def clustered(rows: int, dimension: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(7).standard_normal((60, dimension))
    found = centres[random.integers(0, 60, rows)] + 0.6 * random.standard_normal((rows, dimension))
    unit: np.ndarray = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return clustered(6_000, 64)


@pytest.fixture(scope="module")
def reader(vectors: np.ndarray) -> CodedReader:
    known = learnt(vectors)
    return CodedReader(coded(vectors, known), known)


def test_a_vector_is_cut_into_pieces_of_one_length() -> None:
    assert [pieces_of(each) for each in (128, 384, 768, 1024, 3, 7, 13)] == [32, 64, 64, 64, 1, 1, 1]


def test_rows_have_a_byte_for_each_piece(vectors: np.ndarray) -> None:
    assert codes_bytes(500, 64) == coded(vectors[:500], learnt(vectors[:500])).nbytes


@pytest.mark.slow
def test_the_nearest_are_found_with_nearly_their_products(reader: CodedReader, vectors: np.ndarray) -> None:
    recalled, off = [], []
    for query in clustered(20, 64, seed=2):
        numbers, scores = reader.nearest(query, 100, None)
        exact = vectors @ query
        assert (np.diff(scores) <= 0).all()
        recalled.append(len(set(numbers[:100]) & set(np.argsort(-exact)[:100])) / 100)
        off.append(float(np.abs(scores - exact[numbers]).mean()))
    assert np.mean(recalled) > 0.8
    assert np.mean(off) < 0.05


@pytest.mark.slow
def test_only_live_rows_are_found(reader: CodedReader, vectors: np.ndarray) -> None:
    live = np.zeros(len(vectors), dtype=np.bool_)
    live[100:130] = True
    numbers, _ = reader.nearest(vectors[110], 10, live)
    assert numbers[0] == 110
    assert live[numbers].all()
    assert len(reader.nearest(vectors[110], 50, live)[0]) == 30
    assert len(reader.nearest(vectors[110], 10, ~np.ones_like(live))[0]) == 0


@pytest.mark.slow
def test_vectors_are_told_nearly_and_alike_each_time(reader: CodedReader, vectors: np.ndarray) -> None:
    numbers = np.array([5, 3, 5999])
    assert (np.sum(reader.take(numbers) * vectors[numbers], axis=1) > 0.85).all()
    known = learnt(vectors)
    assert known.shape == (16, CODES, 4)
    assert np.array_equal(known, learnt(vectors.copy()))


@pytest.mark.slow
def test_numbers_that_tell_most_may_stand_first() -> None:
    """As those of models do that were cut to their principal axes: no piece may have all of them."""
    falling = 0.93 ** np.arange(128)
    vectors, queries = (
        (clustered(rows, 128, seed) * falling).astype(np.float32) for rows, seed in ((6_000, 1), (20, 2))
    )
    known = learnt(vectors)
    reader = CodedReader(coded(vectors, known), known)
    recalled = [
        len({*reader.nearest(each, 100, None)[0][:100]} & {*np.argsort(-(vectors @ each))[:100]}) for each in queries
    ]
    assert np.mean(recalled) > 90


def test_few_vectors_are_told_exactly() -> None:
    vectors = clustered(40, 8)
    known = learnt(vectors)
    assert np.allclose(CodedReader(coded(vectors, known), known).take(np.arange(40)), vectors, atol=1e-6)
