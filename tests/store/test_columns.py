"""Blocks of columns: what is packed comes back, and what is none is told."""

import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.columns import DAMAGE, pack_columns, transposed, unpack_columns
from cairn.base.errors import CorruptStoreError
from cairn.base.values import replace
from cairn.indexing.terms import terms_of
from cairn.store import SYNTACTIC, ChunkRow, EdgeRow, Facts, FileRow, OccurrenceRow, SymbolRow, pack
from cairn.store.packed import called_in, columns_of, facts_in, rows_in, symbols_where, text_in
from tests.store.samples import begin, facts, make_store, prepare

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
NUMBERS = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@given(st.lists(st.tuples(TEXTS, TEXTS, NUMBERS), max_size=9))
def test_columns_come_back(rows: list[tuple[str, str, int]]) -> None:
    first, second, numbers = transposed(rows, 3)
    block = pack_columns([first, second], [numbers])
    found = unpack_columns(block, 2, 1)
    assert [*zip(found.text(0), found.text(1), found.numbers[0], strict=True)] == rows
    assert bool(block) == bool(rows)
    assert len(set(found.strings)) == len(found.strings)


@pytest.mark.parametrize(
    "block",
    [
        b"no zlib",
        zlib.compress(b""),
        zlib.compress(b"\1\0\0\0" * 4),
        pack_columns([["a"]], [[1]])[:-1],
        pack_columns([["a"], ["b"]], [[1]]),
        zlib.compress(zlib.decompress(pack_columns([["a"]], [[1]])) + b"more"),
    ],
)
def test_what_is_no_block_is_damage(block: bytes) -> None:
    with pytest.raises(DAMAGE):
        unpack_columns(block, 1, 1)


FACTS = Facts(
    (SymbolRow(SYNTACTIC, "Ärger", "Ärger", "class", "class Ärger:", 1, 3, 1, "", True, "First.\nSecond."),),
    (
        OccurrenceRow(SYNTACTIC, "take", "call", 2, "Ärger", "self"),
        OccurrenceRow(SYNTACTIC, "drop", "call", 3, "Ärger"),
        OccurrenceRow(SYNTACTIC, "take", "call", 3, ""),
    ),
    (EdgeRow(SYNTACTIC, "import", "os", 1, ":os"),),
)


def made() -> tuple[FileRow, bytes, list[ChunkRow]]:
    ready = prepare("Größe.py", "wälrus\n" * 30)
    return ready.file, ready.data, ready.rows


@pytest.mark.requirement("ROW.1")
def test_a_packed_file_gives_back_its_text_its_rows_and_its_facts() -> None:
    file, data, rows = made()
    packed = pack(file, data, rows, FACTS)
    assert text_in(packed.text) == data
    chunks = columns_of("chunks", packed.chunks)
    assert rows_in(file, data, chunks) == rows
    assert rows_in(file, data, chunks, [2, 0]) == [rows[2], rows[0]]
    assert facts_in(packed) == FACTS
    assert facts_in(pack(file, data, rows)) == Facts()
    symbols = columns_of("symbols", packed.symbols)
    assert symbols_where(symbols, "ärger".__eq__) == [*FACTS.symbols]
    assert symbols_where(symbols, "Ärger".__eq__) == []
    assert packed.defined == ("ärger",)
    uses = columns_of("uses", packed.uses)
    assert list(called_in(uses)) == [("take", "self"), ("drop", ""), ("take", "")]


@pytest.mark.requirement("ROW.1")
def test_a_block_that_cannot_be_read_is_corrupt(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    ready = prepare("a.py", "walrus\n")
    packed = pack(ready.file, ready.data, ready.rows, FACTS)
    with store.writer() as lease, begin(store, lease) as transaction:
        bad = replace(packed, text=b"x", chunks=b"x", symbols=b"x", uses=b"x")
        transaction.add_file(bad, [terms_of(row) for row in ready.rows], ready.vectors, b"\0" * 16)
        transaction.publish(lease, facts(transaction.live_paths))
    with store.view() as view:
        for ask in (
            lambda: view.rows.of("a.py"),
            lambda: view.rows.whole_text_of("a.py"),
            lambda: view.facts.of("a.py"),
            lambda: view.facts.occurrences_in("a.py"),
            lambda: view.facts.symbols_named(["Ärger"], 5),
        ):
            with pytest.raises(CorruptStoreError, match="block"):
                ask()
