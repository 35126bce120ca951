"""The bundled model: pinned, quick to load, and the same vector for a text in any company."""

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import ConfigError, CorruptStoreError
from cairn.embed import Embedder, prepared, static
from cairn.embed.static import StaticEmbedder
from cairn.engines import Vectors
from cairn.kernel.wordpiece import MAX_CHARS, MAX_WORD_CHARS, WordPieces

CODE = [
    "def take_over(lease): return steal(lease, epoch=lease.epoch + 1)",
    "class HTTPResponseParser2 { parseJSON(utf8: Buffer): XMLHttpRequest }",
    "// naïve Größe, Ωμέγας ΟΔΟΣ, 日本語 and İstanbul",
    "x" * (MAX_WORD_CHARS + 1),
    "",
]
# What Python's tables don't know may be known to another version of Unicode.
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cn", "Co"), max_codepoint=0x2FFFF), max_size=120)
NAMES = st.from_regex(r"([A-Za-z0-9_.]{1,30}[ (){};]?){0,8}", fullmatch=True)
BUNDLED = StaticEmbedder()


def similarity(left: str, right: str) -> float:
    first, second = BUNDLED.embed([left, right])
    return float(first @ second)


def write_model(path: Path, words: list[str], table: Vectors) -> None:
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = json.dumps({"model": {"type": "WordPiece", "vocab": vocabulary}}).encode()
    np.savez(
        path,
        q=table.astype(np.int8),
        scale=np.ones(len(words), np.float16),
        tokenizer=np.frombuffer(tokenizer, np.uint8),
    )


@pytest.mark.requirement("ART.1")
def test_the_bundled_file_is_the_pinned_one_and_part_of_the_identity() -> None:
    digest = hashlib.sha256(Path(static.MODEL_PATH).read_bytes()).hexdigest()
    assert digest == static.MODEL_SHA256
    embedder: Embedder = StaticEmbedder()
    assert embedder.identity == f"code-static-32k-128d-int8@sha256:{digest}"
    assert embedder.dimension == 128


@pytest.mark.requirement("ART.1")
def test_a_damaged_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(Path(static.MODEL_PATH).read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "model.npz").write_bytes(data)
    monkeypatch.setattr(static, "MODEL_PATH", str(tmp_path / "model.npz"))
    with pytest.raises(CorruptStoreError, match="not the pinned one") as caught:
        StaticEmbedder().embed(["x"])
    assert "pip install" in caught.value.hint


def test_a_missing_model_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "MODEL_PATH", str(tmp_path / "none.npz"))
    with pytest.raises(CorruptStoreError, match="can't be read"):
        StaticEmbedder().embed(["x"])


@pytest.mark.slow
@given(st.lists(TEXT | NAMES, max_size=6))
def test_vectors_are_of_unit_length_or_zero(texts: list[str]) -> None:
    vectors = BUNDLED.embed(texts)
    assert vectors.shape == (len(texts), 128)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    for length in np.linalg.norm(vectors, axis=1):
        assert length == 0 or abs(length - 1) < 1e-5


@pytest.mark.parametrize("text", ["", " \n\t", "+-*/(){}", "___", "x" * (MAX_WORD_CHARS + 1)])
def test_a_text_without_known_tokens_is_the_zero_vector(text: str) -> None:
    assert not BUNDLED.embed([text]).any()


@pytest.mark.slow
@pytest.mark.requirement("ROW.3")
@given(st.lists(TEXT | NAMES, min_size=1, max_size=8))
@settings(max_examples=200)
def test_a_text_is_embedded_the_same_alone_and_in_any_company(texts: list[str]) -> None:
    together = BUNDLED.embed(texts)
    assert BUNDLED.embed(texts[::-1])[::-1].tobytes() == together.tobytes()
    for number, text in enumerate(texts):
        assert BUNDLED.embed([text])[0].tobytes() == together[number].tobytes()


def test_long_texts_count_up_to_a_bound() -> None:
    text = "alpha beta " * MAX_CHARS
    assert BUNDLED.embed([text]).tobytes() == BUNDLED.embed([text[:MAX_CHARS]]).tobytes()


def test_one_line_of_five_megabytes_is_no_trouble() -> None:
    assert BUNDLED.embed(["a" * 5_000_000, "var x=1;" * 600_000]).shape == (2, 128)


@pytest.mark.slow
def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import sys; from cairn.embed.static import StaticEmbedder; "
        f"sys.stdout.buffer.write(StaticEmbedder().embed({CODE!r}).tobytes())"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, check=True)
    assert done.stdout == BUNDLED.embed(CODE).tobytes()
    assert done.stderr == b""


@pytest.mark.slow
def test_a_child_of_a_process_that_has_it_loaded_goes_on_with_it() -> None:
    BUNDLED.embed(CODE)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for vectors in pool.map(BUNDLED.embed, [CODE] * 4):
            assert vectors.tobytes() == BUNDLED.embed(CODE).tobytes()


@pytest.mark.slow
@pytest.mark.requirement("SEC.1")
def test_nothing_heavy_is_loaded() -> None:
    code = (
        "import sys; from cairn.embed.static import StaticEmbedder; StaticEmbedder().embed(['x']); "
        "sys.exit(bool({'tokenizers', 'onnx', 'onnxruntime', 'torch', 'socket', 'urllib.request'} & set(sys.modules)))"
    )
    assert subprocess.run((sys.executable, "-c", code), check=False).returncode == 0


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("parse json from a string", "def loads(s): return JSONDecoder().decode(s)", "class Button: colour = 'red'"),
        (
            "open a database connection",
            "def connect(dsn): return sqlite3.Connection(dsn)",
            "def area(r): return pi * r",
        ),
        ("read a file line by line", "with open(path) as f:\n    for line in f: yield line", "assert login(user)"),
    ],
)
def test_what_a_text_asks_for_is_nearer_than_something_else(query: str, near: str, far: str) -> None:
    assert similarity(query, near) > similarity(query, far) + 0.05


@pytest.mark.parametrize("text", CODE)
def test_tokens_of_code_are_those_of_the_models_own_tokenizer(text: str) -> None:
    assert own_tokens(text) == reference_tokens(text)


@pytest.mark.slow
@given(TEXT | NAMES)
@settings(max_examples=400)
def test_tokens_are_those_of_the_models_own_tokenizer(text: str) -> None:
    assert own_tokens(text) == reference_tokens(text)


def own_tokens(text: str) -> list[int]:
    if not _OWN:
        _, _, words = static._unpack(Path(static.MODEL_PATH).read_bytes())
        vocabulary = {word: number for number, word in enumerate(words)}
        _OWN.append(WordPieces(vocabulary, (vocabulary["[PAD]"], vocabulary["[UNK]"])))
    return _OWN[0].encode(text)


def reference_tokens(text: str) -> list[int]:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference tokenizer is not installed")
    if not _REFERENCE:
        with np.load(static.MODEL_PATH) as parts:
            _REFERENCE.append(tokenizers.Tokenizer.from_buffer(parts["tokenizer"].tobytes()))
    return [number for number in _REFERENCE[0].encode(text).ids if number > 1]  # type: ignore[attr-defined]


_OWN: list[WordPieces] = []
_REFERENCE: list[object] = []


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A process that has not loaded the model yet."""
    with monkeypatch.context() as patched:
        patched.setattr(static, "_bundled", {})
        yield static._bundled


def test_all_codebases_of_a_process_share_the_model() -> None:
    one, other = StaticEmbedder(), StaticEmbedder(home="/nosuch")
    assert one._loaded() is other._loaded()


@pytest.mark.requirement("ART.1")
def test_the_prepared_form_is_kept_and_gives_the_same_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unloaded: dict[str, Any]
) -> None:
    home = str(tmp_path / "home")
    expected = BUNDLED.embed(CODE).tobytes()
    assert StaticEmbedder(home=home).embed(CODE).tobytes() == expected
    (kept,) = (tmp_path / "home" / prepared.FOLDER).glob("*.bin")
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == static.PREPARED_SHA256
    assert kept.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(static, "MODEL_PATH", str(tmp_path / "gone.npz"))
    assert StaticEmbedder(home=home).embed(CODE).tobytes() == expected


@pytest.mark.slow
@pytest.mark.requirement("ART.1")
def test_a_damaged_prepared_form_is_not_used_but_made_anew(tmp_path: Path, unloaded: dict[str, Any]) -> None:
    StaticEmbedder(home=str(tmp_path)).embed(["x"])
    (kept,) = (tmp_path / prepared.FOLDER).glob("*.bin")
    data = bytearray(kept.read_bytes())
    data[100] ^= 1
    kept.write_bytes(data)
    unloaded.clear()
    assert StaticEmbedder(home=str(tmp_path)).embed(CODE).tobytes() == BUNDLED.embed(CODE).tobytes()
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == static.PREPARED_SHA256


@pytest.mark.requirement("ART.1")
def test_bytes_that_were_not_pinned_are_not_kept(tmp_path: Path) -> None:
    assert not prepared.keep_prepared(str(tmp_path), "model.bin", b"something else", static.PREPARED_SHA256)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.requirement("ART.1")
def test_many_processes_prepare_it_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from cairn.embed.static import StaticEmbedder; "
        f"sys.stdout.buffer.write(StaticEmbedder(home={str(tmp_path)!r}).embed({CODE!r}).tobytes())"
    )
    running = [subprocess.Popen((sys.executable, "-c", code), stdout=subprocess.PIPE) for _ in range(4)]
    assert {process.communicate()[0] for process in running} == {BUNDLED.embed(CODE).tobytes()}
    assert [name for name in os.listdir(tmp_path / prepared.FOLDER) if ".tmp-" in name] == []


def test_a_home_that_can_not_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    embedder = StaticEmbedder(home=str(tmp_path / "file"))
    assert embedder.embed(CODE).tobytes() == BUNDLED.embed(CODE).tobytes()


def test_a_model_of_ones_own_is_named_by_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    write_model(path, ["[PAD]", "[UNK]", "lease", "##s"], np.array([[9, 9], [9, 9], [3, 0], [0, 4]], np.float32))
    embedder = StaticEmbedder(str(path))
    assert embedder.identity == f"mine@sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert embedder.dimension == 2
    assert embedder.embed(["Leases", "lease", "unknown [PAD]"]).tolist() == [
        pytest.approx([0.6, 0.8]),
        [1.0, 0.0],
        [0.0, 0.0],
    ]


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut short", b"\x93NUMPY"])
def test_a_file_that_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "mine.npz").write_bytes(content)
    with pytest.raises(ConfigError, match="is no static model"):
        StaticEmbedder(str(tmp_path / "mine.npz"))


def test_a_model_whose_parts_do_not_fit_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path / "mine.npz", ["a", "b", "c"], np.ones((2, 4), np.float32))
    with pytest.raises(ConfigError, match="is no static model"):
        StaticEmbedder(str(tmp_path / "mine.npz"))


def test_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read: No such file"):
        StaticEmbedder(str(tmp_path / "none.npz"))
