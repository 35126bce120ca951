"""Training a model, end to end on a tiny tree, and its parts."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from training.__main__ import Plan, make_model
from training.bags import Floats, matrix, pack
from training.contrast import Examples, Recipe, _step, mean_reciprocal_rank, train
from training.model_file import first_table, quantise, read_model, reduce, write_model
from training.pairs import Pair, mine, pairs_of
from training.vocabulary import SPECIAL, find_pieces, find_vocabulary, pieces_of, size_of

from cairn.embed.static import MODEL_PATH, StaticEmbedder
from tests.trees import Repo

ROOT = Path(__file__).resolve().parent.parent.parent
TINY = Recipe(epochs=30, batch=32, block=8, rate=2e-2)
VERBS = "open close read write parse render delete create update verify".split()
NOUNS = "lease snapshot segment manifest buffer socket token window".split()


@pytest.fixture
def tree(repo: Repo) -> str:
    for verb in VERBS:
        parts = [
            f'def {verb}_{noun}(target):\n    """{verb.title()} the {noun} that belongs to a target."""\n'
            f"    handle = target.{noun}_handle\n    return handle.{verb}(target.{noun}, retry=True)\n\n"
            for noun in NOUNS
        ]
        repo.write(f"src/{verb}_all.py", f'"""How to {verb} all the things of a store."""\n\n' + "".join(parts))
    repo.commit()
    return str(repo.path)


def kinds(language: str, text: str) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in pairs_of("src/some_file.x", language, text):
        found.setdefault(pair.kind, []).append(pair)
    return found


def plan(tree: str, out: Path, base: str | None) -> Plan:
    return Plan((tree,), str(out), base, tokens=400, width=32, dimension=16, recipe=TINY)


def test_a_model_from_nothing_learns_and_is_one_that_cairn_loads(tree: str, tmp_path: Path) -> None:
    told: list[str] = []
    outcome = make_model(plan(tree, tmp_path / "mine.npz", None), told.append)
    assert outcome.pairs >= 100
    assert outcome.after >= outcome.before
    assert any("loss" in line for line in told)
    embedder = StaticEmbedder(str(tmp_path / "mine.npz"))
    assert embedder.dimension == 16
    query, near, far = embedder.embed(["verify the manifest", "handle.verify(target.manifest)", "handle.open(socket)"])
    assert query @ near > query @ far


@pytest.mark.slow
def test_the_same_code_gives_the_same_model(tree: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_model(plan(tree, tmp_path / name, None))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.slow
def test_a_base_model_is_trained_further(tree: str, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    table, tokenizer = read_model(MODEL_PATH)
    write_model(str(tmp_path / "base.npz"), table[:, random.permutation(128)[:16]], tokenizer)
    outcome = make_model(plan(tree, tmp_path / "mine.npz", str(tmp_path / "base.npz")))
    assert outcome.after >= outcome.before
    assert StaticEmbedder(str(tmp_path / "mine.npz")).dimension == 16
    assert read_model(str(tmp_path / "mine.npz"))[1] == tokenizer


@pytest.mark.slow
def test_the_command_says_what_it_did(tree: str, tmp_path: Path) -> None:
    out = tmp_path / "mine.npz"
    done = subprocess.run(
        (sys.executable, "-m", "training", tree, "--out", str(out), "--batch", "64"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pairs of text and code" in done.stdout
    assert "mean reciprocal rank" in done.stdout
    assert StaticEmbedder(str(out)).dimension == 128


@pytest.mark.slow
def test_too_little_code_is_told(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x = 1\n")
    repo.commit()
    done = subprocess.run(
        (sys.executable, "-m", "training", str(repo.path), "--out", str(tmp_path / "mine.npz")),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "give more code" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "mine.npz").exists()


def test_pairs_come_from_what_cairn_would_index(repo: Repo) -> None:
    text = 'def take_over(lease):\n    """Take over a stale lease."""\n    return steal(lease, epoch=lease.epoch + 1)\n'
    for name in ("seen.py", "ignored.py", "again.py"):
        repo.write(name, text)
    repo.write(".gitignore", "ignored.py\n")
    repo.commit()
    pairs = mine([str(repo.path)])
    assert [pair.text for pair in pairs if pair.kind == "doc"] == ["Take over a stale lease."]


def test_the_pairs_of_python() -> None:
    text = (
        '"""How leases are kept and lost."""\n\nimport os\n\n\nclass Lease:\n    epoch = 1\n\n'
        '    def take_over(self):\n        """Steal a stale lease.\n\n        More of it.\n        """\n'
        "        return os.rename(self.path, self.path_of_the_other)\n"
    )
    found = kinds("python", text)
    assert [(pair.text, "Steal" in pair.code) for pair in found["doc"]] == [("Steal a stale lease.", False)]
    assert found["name"][0].text == "take over"
    assert found["head"][0].text == "How leases are kept and lost."
    assert found["path"][0].text == "src some file"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("go", "package x\n\n// Steals a stale lease.\nfunc TakeOver(l *Lease) error {\n\treturn steal(l, 1)\n}\n"),
        ("java", "/**\n * Steals a stale lease.\n * @param l it\n */\nvoid takeOver(Lease l) {\n  steal(l, 1);\n}\n"),
        ("ruby", "x = 1\n\n# Steals a stale lease.\ndef take_over(lease)\n  steal(lease, 1 + lease.epoch)\nend\n"),
        ("lua", "-- Steals a stale lease.\nfunction take_over(lease)\n  return steal(lease, 1)\nend\n"),
    ],
)
def test_the_pairs_of_other_languages(language: str, text: str) -> None:
    (pair,) = kinds(language, text)["doc"]
    assert pair.text == "Steals a stale lease."
    assert "steal(l" in pair.code


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def broken(:\n"),
        ("python", "x = '\0'"),
        ("python", "(" * 10_000),
        (
            "c",
            "/* Copyright the authors of all this. */\nint main(void) { return compute(1, 2, 3); }\n",
        ),
        ("c", "/* never closed " + "x" * 10_000),
        ("json", "{}" * 100),
        ("go", ""),
    ],
)
def test_what_says_nothing_gives_no_doc(language: str, text: str) -> None:
    assert "doc" not in kinds(language, text)


def test_a_vocabulary_is_found_and_bounded() -> None:
    tokenizer = find_vocabulary(["parseRequest parse_response", "request response"] * 10, 60)
    assert size_of(tokenizer) <= 60
    pieces = pieces_of(tokenizer)
    assert len(pieces.encode("parseRequest response")) == 3
    assert pieces.encode("parseRequest") == pieces.encode("parse request")


def test_the_most_frequent_neighbours_become_pieces_first() -> None:
    assert find_pieces(Counter({"abab": 5, "abc": 3, "x": 1}), 100) == [
        *("a", "x", "##a", "##b", "##c"),
        *("ab", "##ab", "abab", "abc"),
    ]
    assert find_pieces(Counter({"ab": 9}), 2) == ["a", "##b"]
    assert find_pieces(Counter(), 10) == []


def test_the_tokenizers_library_reads_the_vocabulary() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the reference tokenizer is not installed")
    tokenizer = find_vocabulary(["parseHTTPRequest naïve", "read_request(Größe)"] * 3, 80)
    for text in ("parseHTTPRequest(naïve)", "read größe REQUEST", "unknown ✓ words"):
        reference = tokenizers.Tokenizer.from_buffer(tokenizer).encode(text).ids
        assert pieces_of(tokenizer).encode(text) == [number for number in reference if number > 1]


@pytest.mark.slow
@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 5), st.integers(1, 5)),
        elements=st.floats(-1000, 1000, width=32, allow_subnormal=False),
    )
)
def test_quantised_rows_are_near_to_what_they_were(table: Floats) -> None:
    rows, scale = quantise(table)
    assert rows.dtype == np.int8
    assert scale.dtype == np.float16
    again = rows.astype(np.float32) * scale.astype(np.float32)[:, None]
    largest = np.abs(table).max(axis=1, keepdims=True)
    # A scale beneath what float16 resolves makes a row coarse; such rows weigh nothing in a sum.
    assert (np.abs(again - table) <= largest / 100 + 1e-5).all()


def test_fewer_dimensions_keep_what_matters_most() -> None:
    random = np.random.default_rng(0)
    table = np.asarray(random.standard_normal((50, 2)) @ random.standard_normal((2, 10)), np.float32)
    assert reduce(table, 2) @ reduce(table, 2).T == pytest.approx(table @ table.T, abs=1e-3)
    assert reduce(table, 10) is table


def examples() -> Examples:
    vocabulary = {
        word: number for number, word in enumerate([*SPECIAL, *VERBS, *NOUNS, "the", "handle", "retry", "of"])
    }
    pieces = pieces_of(b'{"model": {"vocab": %s}}' % str(vocabulary).replace("'", '"').encode())
    wanted = [(verb, noun) for verb in VERBS for noun in NOUNS]
    texts = pack([f"{verb} the {noun}" for verb, noun in wanted], pieces)
    codes = pack([f"{noun} of handle {verb} retry {noun} {NOUNS[0]} {VERBS[0]}" for verb, noun in wanted], pieces)
    rows = np.arange(len(wanted))
    return Examples(texts, codes, rows // len(NOUNS), rows // 2)


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    given_examples = examples()
    table = np.random.default_rng(0).standard_normal((24, 6), np.float32)
    rows, recipe = np.arange(20), Recipe(drop=0)
    _, gradient = _step(table, given_examples, rows, recipe, np.random.default_rng(0))
    random = np.random.default_rng(1)
    for _ in range(10):
        direction = np.asarray(random.standard_normal(table.shape), np.float32)
        step = np.float32(1e-3)
        above, _ = _step(table + step * direction, given_examples, rows, recipe, np.random.default_rng(0))
        below, _ = _step(table - step * direction, given_examples, rows, recipe, np.random.default_rng(0))
        assert (above - below) / (2 * step) == pytest.approx(float((gradient * direction).sum()), rel=0.02, abs=0.02)


def test_training_brings_texts_nearer_to_their_code() -> None:
    given_examples = examples()
    rows = np.arange(80)
    table = first_table(given_examples.frequencies(24), 8, 0)
    trained = train(table, given_examples, rows, Recipe(epochs=40, batch=40, block=8, rate=2e-2))
    before = mean_reciprocal_rank(table, given_examples, rows)
    assert mean_reciprocal_rank(trained, given_examples, rows) > before
    assert np.isfinite(trained).all()


def test_a_batch_is_a_matrix_of_counts() -> None:
    pieces = pieces_of(b'{"model": {"vocab": {"a": 0, "b": 1, "c": 2}}}')
    counts, used = matrix(pack(["a b a", "", "c"], pieces), np.array([2, 0, 1]))
    assert used.tolist() == [0, 1, 2]
    assert counts.tolist() == [[0, 0, 1], [2, 1, 0], [0, 0, 0]]
