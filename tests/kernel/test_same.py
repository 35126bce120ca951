"""The native core gives the same bytes as the reference."""

import random
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cairn
from cairn.embed.static import StaticEmbedder
from cairn.engines.order import ROUNDING
from cairn.kernel.characters import described
from cairn.kernel.codes import code_products, code_products_by_reference
from cairn.kernel.core import core
from cairn.kernel.grams import gathered_by_reference, grams_by_reference, grams_of
from cairn.kernel.halves import half_products, half_products_by_reference
from cairn.kernel.postings import MOST_ROWS, inverted_by_reference
from cairn.kernel.terms import TermTable
from cairn.kernel.tokens import tokens_of_run
from cairn.kernel.wordpiece import NativeSums, ReferenceSums, WordPieces, words_of

NATIVE: Any = core()
pytestmark = pytest.mark.skipif(NATIVE is None, reason="the native core is not installed")

SOURCE = Path(cairn.__file__).resolve().parent
PARTS = (
    "lease LeaseState lease_state größe Straße ŞİI ıK x __init__ HTTPServer2 _ ___ getHTTPResponseCode v2Beta3 ſ ١٢ "
    "validation validates ties tied took written shutting hopping passes buses ÀÉ\u0301 ΟΔΟΣ 漢字 naïve"
).split()
TEXT = st.lists(
    st.one_of(st.sampled_from(PARTS), st.text(max_size=12), st.sampled_from([" ", "\n", ".", "\u00a0", "\u2028", "-"])),
    max_size=60,
).map(lambda parts: "".join(parts).encode("utf-8", "replace").decode())
WORDS = ["[PAD]", "[UNK]", *"abcdefghijklmnopqrstuvwxyz0", *(f"##{letter}" for letter in "abcdefghiklmnopqrstuvwyz")]
WORDS += ["lease", "state", "##ing", "##ate", "größe", "##ße", "http", "##tp"]


def sums(dimension: int) -> tuple[ReferenceSums, NativeSums]:
    made = np.random.default_rng(dimension)
    table = made.integers(-128, 128, (len(WORDS), dimension), dtype=np.int8)
    scale = made.normal(size=len(WORDS)).astype(np.float16).astype(np.float32)
    pieces = WordPieces(dict(zip(WORDS, range(len(WORDS)), strict=True)), [0, 1])
    return ReferenceSums(pieces, table, scale), NativeSums(NATIVE, pieces, table, scale)


@pytest.mark.slow
@given(st.lists(TEXT, max_size=12), st.data())
@settings(max_examples=60, deadline=None)
def test_terms_are_the_same(texts: list[str], data: st.DataObject) -> None:
    symbols = data.draw(st.lists(TEXT, min_size=len(texts), max_size=len(texts)))
    native = NATIVE.TermTable(described, tokens_of_run, 300_000)
    assert [*map(tuple, TermTable().count(texts, symbols))] == native.count(texts, symbols)


def test_characters_of_every_script_are_the_same() -> None:
    made = random.Random(3)
    known = [chr(code) for code in range(0x80, 0x20000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    odd = ["Σ", "\u302e", "\u212a", "İ", "\u0345", "ŉ", "٣", "²", "ª", *known[:: len(known) // 300]]
    parts = [*odd, "_", "A", "b", "9", "Ab", "HTTP", "ing", " "]
    texts = [f"{each} a{each}B x_{each}" + "".join(made.choices(parts, k=8)) for each in odd]
    native = NATIVE.TermTable(described, tokens_of_run, 300_000)
    assert native.count(texts, texts[::-1]) == [*map(tuple, TermTable().count(texts, texts[::-1]))]
    letters = ["[PAD]", "[UNK]", *sorted(set("".join(text for line in texts for text in words_of(line))))]
    vocabulary = dict(zip(letters + [f"##{letter}" for letter in letters], range(2 * len(letters)), strict=True))
    pieces = WordPieces(vocabulary, [0, 1])
    table = np.random.default_rng(1).integers(-128, 128, (len(vocabulary), 8), dtype=np.int8)
    scale = np.ones(len(vocabulary), dtype=np.float32)
    reference = ReferenceSums(pieces, table, scale).embed(texts)
    assert NativeSums(NATIVE, pieces, table, scale).embed(texts).tobytes() == reference.tobytes()


def test_a_table_that_forgets_counts_the_same() -> None:
    native = NATIVE.TermTable(described, tokens_of_run, 20)
    for number in range(30):
        texts = [f"lease number{number} of Größe{number}" * 300, f"{'q' * 90} {number} {'é' * 90}"]
        assert native.count(texts, ["a", "b"]) == [*map(tuple, TermTable().count(texts, ["a", "b"]))]


@given(st.one_of(st.binary(max_size=400), TEXT.map(str.encode)))
@settings(max_examples=80, deadline=None)
def test_trigrams_are_the_same(data: bytes) -> None:
    assert NATIVE.grams_of(data) == grams_by_reference(data)


@pytest.mark.parametrize("dimension", [1, 3, 8, 12, 128, 136, 300])
def test_sums_are_the_same_to_the_last_bit(dimension: int) -> None:
    reference, native = sums(dimension)
    made = random.Random(dimension)
    texts = ["", "__ ..", *("".join(made.choices([*PARTS, " ", "_"], k=40)) for _ in range(20)), "lease " * 5000]
    if dimension > 1:  # a single column is added up in another order
        assert native.embed(texts).tobytes() == reference.embed(texts).tobytes()
    assert native.embed([]).shape == (0, dimension)


def test_files_of_the_package_itself_are_the_same() -> None:
    embedder = StaticEmbedder()
    embedder.load()
    native = NATIVE.TermTable(described, tokens_of_run, 300_000)
    reference = TermTable()
    for path in sorted(SOURCE.rglob("*.py"))[:60]:
        data = path.read_bytes()
        text = data.decode()
        chunks = [text[at : at + 1500] for at in range(0, len(text), 1500)]
        assert NATIVE.grams_of(data) == grams_by_reference(data)
        assert native.count(chunks, chunks[::-1]) == [*map(tuple, reference.count(chunks, chunks[::-1]))]
        assert embedder.embed(chunks).tobytes() == StaticEmbedder().embed(chunks).tobytes()


@pytest.mark.parametrize("dimension", [1, 15, 16, 128, 200])
def test_products_with_halves_differ_by_less_than_any_engine_may(dimension: int) -> None:
    rows = np.random.default_rng(dimension).normal(size=(5000, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    halves = rows.astype(np.float16)
    halves[1], halves[2, 0], halves[3] = 0, 6e-8, -halves[4]
    query = rows[7].astype(np.float32)
    exact = halves.astype(np.float64) @ query.astype(np.float64)
    assert np.abs(half_products(halves, query) - exact).max() < ROUNDING / 4
    assert np.abs(half_products_by_reference(halves, query) - exact).max() < ROUNDING / 4


@pytest.mark.parametrize(("pieces", "rows"), [(1, 1), (32, 4096), (32, 9000), (7, 8193), (3, 0)])
def test_products_with_codes_are_the_same(pieces: int, rows: int) -> None:
    random = np.random.default_rng(rows)
    codes = random.integers(0, 256, (pieces, rows), dtype=np.uint8)
    tables = random.standard_normal((pieces, 256)).astype(np.float32)
    assert code_products(codes, tables).tobytes() == code_products_by_reference(codes, tables).tobytes()
    # Some of the columns of a larger array aren't one behind the other.
    part = codes[:, : rows // 2]
    assert code_products(part, tables).tobytes() == code_products_by_reference(part, tables).tobytes()


@pytest.mark.parametrize("tables", [[], [0.0] * 255, [0.0] * 512])
def test_codes_that_do_not_fit_their_tables_are_refused(tables: list[float]) -> None:
    with pytest.raises(ValueError, match="as many as"):
        NATIVE.code_products(np.zeros((3, 5), dtype=np.uint8), tables)


def test_rows_that_do_not_fit_the_query_are_refused() -> None:
    with pytest.raises(ValueError, match="as long as"):
        NATIVE.half_products(np.zeros((2, 3), dtype=np.uint16), [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError, match="behind the other"):
        NATIVE.half_products(np.zeros((3, 2), dtype=np.uint16).T, [1.0, 2.0, 3.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "terms", "most"), [(0, 1, 1), (1, 1, 1), (300, 40, 255), (65_536, 9, 2), (900, 3000, 3)]
)
def test_terms_of_rows_are_the_same(rows: int, terms: int, most: int) -> None:
    chance = np.random.default_rng(rows)
    known = chance.integers(0, 1 << 64, terms, dtype=np.uint64)
    held = [chance.permutation(terms)[: chance.integers(0, min(terms, 12) + 1)] for _ in range(rows)]
    hashes = known[np.concatenate([np.zeros(0, dtype=np.int64), *held])].tobytes()
    text, symbols = (chance.integers(0, most, len(hashes) // 8, dtype=np.uint8).tobytes() for _ in range(2))
    sizes = [len(each) for each in held]
    given = NATIVE.inverted(np.array(sizes, dtype="<u4").tobytes(), hashes, text, symbols)
    assert given == tuple(inverted_by_reference(sizes, hashes, text, symbols))


@pytest.mark.parametrize("pairs", [254, 255, 256, 900])
def test_the_same_pairs_are_rare(pairs: int) -> None:
    sizes = [1] * pairs + [0] * 9
    text, symbols = bytes(number & 255 for number in range(pairs)), bytes(number >> 8 for number in range(pairs))
    given = NATIVE.inverted(np.array(sizes, dtype="<u4").tobytes(), bytes(8 * pairs), text, symbols)
    assert given == tuple(inverted_by_reference(sizes, bytes(8 * pairs), text, symbols))


def test_terms_that_are_not_all_there_are_refused() -> None:
    with pytest.raises(ValueError, match="as they say"):
        NATIVE.inverted(np.array([2], dtype="<u4").tobytes(), bytes(16), bytes(2), bytes(1))
    with pytest.raises(ValueError, match="as they say"):
        NATIVE.inverted(bytes(4 * (MOST_ROWS + 1)), b"", b"", b"")


@pytest.mark.parametrize("files", [0, 1, 3, 700])
def test_files_of_trigrams_are_the_same(files: int) -> None:
    chance = random.Random(files)
    texts = [bytes(chance.choices(b"abcxyz_(\xc3", k=chance.randrange(40))) for _ in range(files)]
    grams = [grams_of(text) for text in texts]
    assert NATIVE.gathered(grams) == tuple(gathered_by_reference(grams))


@pytest.mark.parametrize("cut", [0, 15, 17, 18])
def test_trigrams_that_are_cut_short_are_refused(cut: int) -> None:
    with pytest.raises(ValueError, match="no trigrams"):
        NATIVE.gathered([grams_of(b"some text"), grams_of(b"some text")[:cut]])
