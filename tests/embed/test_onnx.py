"""MiniLM on onnxruntime: the graph that is built here gives the published model's vectors."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import ConfigError, CorruptStoreError
from cairn.embed import Embedder, onnx
from cairn.embed.onnx import INSTALL, OnnxEmbedder

PARTS = ("onnxruntime", "onnx", "tokenizers", onnx.PACKAGE)
MISSING = [name for name in PARTS if importlib.util.find_spec(name) is None]
installed = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} ({INSTALL})")


@pytest.fixture(scope="module")
def minilm() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.mark.parametrize("name", PARTS)
def test_a_missing_part_is_one_clear_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda asked: None if asked == name else object())
    with pytest.raises(ConfigError, match=f"needs {name.replace('_', '-')}, which is not installed") as caught:
        OnnxEmbedder()
    assert caught.value.hint.startswith("pip install 'cairn-index[onnx]'")


@installed
@pytest.mark.requirement("ART.1")
def test_the_identity_is_the_pinned_hash(minilm: OnnxEmbedder) -> None:
    embedder: Embedder = minilm
    assert embedder.identity == f"all-MiniLM-L6-v2@sha256:{onnx.WEIGHTS_SHA256}"
    assert embedder.dimension == 384


@installed
def test_the_vectors_are_those_of_the_published_model(minilm: OnnxEmbedder) -> None:
    vectors = minilm.embed(["This is an example sentence", "Each sentence is converted"])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
    # The first numbers that the model's card shows.
    assert vectors[0, :3] == pytest.approx([0.0676569, 0.0634959, 0.0487131], abs=1e-4)
    assert vectors[1, :3] == pytest.approx([0.0864386, 0.1027626, 0.0053945], abs=1e-4)


@installed
def test_a_text_is_embedded_the_same_alone_and_in_any_company(minilm: OnnxEmbedder) -> None:
    texts = ["a", "def take_over(lease): ...", "word " * 2000, "naïve 日本語"]
    together = minilm.embed(texts)
    for number, text in enumerate(texts):
        assert minilm.embed([text])[0].tobytes() == together[number].tobytes()


@installed
def test_a_text_without_content_is_the_zero_vector(minilm: OnnxEmbedder) -> None:
    assert not minilm.embed(["", " \n"]).any()
    assert minilm.embed([]).shape == (0, 384)


@installed
@pytest.mark.requirement("ART.1")
@pytest.mark.parametrize(
    ("name", "pin"), [("model.safetensors", "WEIGHTS_SHA256"), ("tokenizer.json", "TOKENIZER_SHA256")]
)
def test_files_other_than_the_pinned_ones_are_refused(name: str, pin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, pin, "0" * 64)
    with pytest.raises(CorruptStoreError, match=f"{name} of all-MiniLM-L6-v2 is not the pinned file"):
        OnnxEmbedder().embed(["x"])


@installed
def test_a_wheel_without_its_files_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty_wheel.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(onnx, "PACKAGE", "empty_wheel")
    with pytest.raises(CorruptStoreError, match="can't be read: No such file"):
        OnnxEmbedder().embed(["x"])
