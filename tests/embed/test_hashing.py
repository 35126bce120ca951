"""The hashing embedder: deterministic, and near where words are shared."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.embed import Embedder, HashingEmbedder

TEXTS = ["def read_lease(layout): return None", "class SnapshotView: pass", "日本語 naïve", "x " * 5000]


def similarity(embedder: HashingEmbedder, left: str, right: str) -> float:
    first, second = embedder.embed([left, right])
    return float(first @ second)


def test_it_is_an_embedder() -> None:
    embedder: Embedder = HashingEmbedder()
    assert (embedder.identity, embedder.dimension) == ("hashing-1", 128)


@pytest.mark.requirement("FUZZ.1")
def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import sys; from cairn.embed import HashingEmbedder; "
        f"sys.stdout.buffer.write(HashingEmbedder().embed({TEXTS!r}).tobytes())"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, check=True)
    assert done.stdout == HashingEmbedder().embed(TEXTS).tobytes()


@pytest.mark.requirement("FUZZ.1")
def test_a_text_is_embedded_the_same_alone_and_in_any_company() -> None:
    embedder = HashingEmbedder()
    together = embedder.embed(TEXTS)
    for number, text in enumerate(TEXTS):
        assert embedder.embed([text])[0].tobytes() == together[number].tobytes()
    assert embedder.embed(TEXTS[::-1])[::-1].tobytes() == together.tobytes()


@given(st.lists(st.text(max_size=200), max_size=5), st.sampled_from([1, 2, 16, 128]))
@settings(max_examples=100)
def test_vectors_are_of_unit_length_or_zero(texts: list[str], dimension: int) -> None:
    vectors = HashingEmbedder(dimension).embed(texts)
    assert vectors.shape == (len(texts), dimension)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    for length in np.linalg.norm(vectors, axis=1):
        assert length == 0 or abs(length - 1) < 1e-5


@pytest.mark.parametrize("text", ["", " \n\t", "+-*/(){}", "___"])
def test_a_text_without_words_is_the_zero_vector(text: str) -> None:
    assert not HashingEmbedder().embed([text]).any()


@pytest.mark.requirement("FUZZ.1")
def test_texts_that_share_words_are_nearer_than_others() -> None:
    embedder = HashingEmbedder()
    query = "take over a stale writer lease"
    near = "def take_over(lease): steal a stale lease from a dead writer"
    far = "render the colour of a button in the toolbar"
    assert similarity(embedder, query, near) > similarity(embedder, query, far) + 0.1
    assert similarity(embedder, near, near) == pytest.approx(1.0, abs=1e-5)


def test_identifiers_are_near_to_their_words() -> None:
    embedder = HashingEmbedder()
    assert similarity(embedder, "snapshot view", "SnapshotView") > 0.5
    assert similarity(embedder, "snapshot view", "snapshot_view") > 0.5
