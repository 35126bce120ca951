"""Occurrences are stored by name, and come back by name, by file, and from segment to segment."""

import contextlib
import random
import sqlite3
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.columns import DAMAGE, join_columns, split_columns, transposed
from cairn.base.errors import CorruptStoreError
from cairn.indexing.terms import terms_of
from cairn.store import NamePlace, SnapshotView, Store, _occurrences
from cairn.store._occurrences import OccurrencesWriter, OccurrenceTable
from cairn.store._rowfile import RowFileReader, RowFileWriter
from cairn.store.nameblocks import NameBlock
from cairn.store.packed import PackedFile, pack
from tests.store.samples import make_store, prepare, publish

Rows = list[tuple[str, str, int, int, int, int, int, int]]
"""name, receiver; line, column, what, bound, within, function"""


def joined(rows: Rows) -> bytes:
    columns = transposed(rows, 8)
    return join_columns(columns[:2], columns[2:])


def split(block: bytes) -> Rows:
    columns = split_columns(block, 2, 6)
    return [*zip(columns.text(0), columns.text(1), *columns.numbers, strict=True)]


def written(folder: Path, files: dict[int, Rows]) -> OccurrenceTable:
    """A table of some files, by their numbers."""
    folder.mkdir()
    writer = RowFileWriter(str(folder))
    for number in range(max(files) + 1):
        ready = prepare(f"{number}.txt", "x\n")
        plain = pack(ready.file, ready.data, ready.rows)
        writer.add_file(PackedFile(plain.file, plain.text, plain.chunks, occurrences=joined(files.get(number, []))))
    writer.close()
    return RowFileReader(str(folder))


def some_rows(made: random.Random, names: list[str], count: int) -> Rows:
    places = sorted((made.randint(1, 70_000), made.randint(0, 300)) for _ in range(count))
    return [
        (
            made.choice(names),
            made.choice(["", "self", "é.b"]),
            line,
            column,
            made.randrange(2048),
            made.randrange(3),
            0,
            0,
        )
        for line, column in dict.fromkeys(places)
    ]


@pytest.fixture(params=[7, 2_000_000])
def runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small runs and blocks, and the ordinary ones."""
    monkeypatch.setattr(_occurrences, "_RUN_ROWS", request.param)
    monkeypatch.setattr(_occurrences, "_BLOCK_ROWS", min(request.param, 2_000))
    monkeypatch.setattr(_occurrences, "_KEPT_BLOCKS", min(request.param, 256))


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_by_file_is_read_by_name(tmp_path: Path, seed: int) -> None:
    made = random.Random(seed)
    names = ["a", "b", "ab", "é", "𝒳", "z" * 300]
    files = {number: some_rows(made, names, made.choice([0, 1, 5, 40])) for number in range(12)}
    files[12] = some_rows(made, names, 9)
    table = written(tmp_path / "segment", files)
    for name in (*names, "none", ""):
        expected = {number: [row for row in rows if row[0] == name] for number, rows in files.items()}
        found = {
            each.file: [
                (name, receiver, *numbers)
                for receiver, *numbers in zip(
                    each.receivers,
                    each.lines,
                    each.columns,
                    each.whats,
                    each.bounds,
                    each.withins,
                    each.functions,
                    strict=True,
                )
            ]
            for each in table.placed(name)
        }
        assert found == {number: rows for number, rows in expected.items() if rows}
        assert [*found] == sorted(found)
        for number in files:
            alone = table.placed_in(name, number)
            assert (alone is not None) == bool(expected[number])
            assert alone is None or [*alone.lines] == [row[2] for row in expected[number]]


@pytest.mark.usefixtures("runs")
def test_files_come_out_as_they_went_in_whatever_the_order(tmp_path: Path) -> None:
    made = random.Random(1)
    files = {number: some_rows(made, ["a", "b", "c"], made.choice([0, 3, 30])) for number in range(9)}
    files[9] = some_rows(made, ["a"], 2)
    table = written(tmp_path / "segment", files)
    for number in (*files, 3, 0, 8, 1):
        by_name = sorted(files[number], key=lambda row: row[0])
        assert split(table.occurrences_in(number)) == by_name
    again = written(tmp_path / "again", {number: split(table.occurrences_in(number)) for number in files})
    assert [*again.placed("b")] == [*table.placed("b")]


def test_a_table_without_rows_says_nothing(tmp_path: Path) -> None:
    table = written(tmp_path / "segment", {0: [], 1: []})
    assert ([*table.placed("a")], table.placed_in("a", 1), table.occurrences_in(1)) == ([], None, b"")


def block_of(rows: Rows) -> bytes:
    writer = OccurrencesWriter()
    assert [*writer.add(0, joined(rows))] == []
    ((_, _, _, block),) = writer.finish()
    return block


@pytest.mark.parametrize("cut", [0, 3, 11, 12, 20, 40, -1])
def test_a_block_that_is_cut_is_damage(cut: int) -> None:
    whole = zlib.decompress(block_of([("a", "é", 1, 2, 3, 4, 5, 6), ("b", "", 2, 2, 3, 4, 5, 6)]))
    with pytest.raises(DAMAGE):
        NameBlock(zlib.compress(whole[:cut]))


@given(st.binary(max_size=40))
def test_what_is_no_block_is_damage(data: bytes) -> None:
    for block in (data, zlib.compress(data)):
        with contextlib.suppress(*DAMAGE):
            assert not NameBlock(block).names


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path / "home")


def test_a_damaged_block_is_told_as_such(store: Store) -> None:
    publish(store, {"a.py": "def f(x):\n    return x\n"})
    (rows,) = Path(store.layout.path).glob("segments/*/rows.sqlite")
    for damage in (b"", b"nothing", zlib.compress(b"\1\0\0\0" * 9)):
        with sqlite3.connect(rows) as connection:
            connection.execute("UPDATE occurrences SET block = ?", (damage,))
        connection.close()
        with pytest.raises(CorruptStoreError, match="block that can't be read"):
            [*RowFileReader(str(rows.parent)).placed("x")]


def said(view: SnapshotView, name: str) -> dict[str, list[NamePlace]]:
    return {path: view.occurrences.rows(here) for path, here in sorted(view.occurrences.named(name).items())}


def test_dead_files_have_no_occurrences_and_compaction_changes_none(store: Store) -> None:
    publish(store, {"a.py": "x = 1\n", "b.py": "x = 2\nx.y()\n", "c.py": "é = x\n"})
    publish(store, {"a.py": "y = 1\n", "b.py": None, "d.py": "def f(x): return x\n"})
    with store.view() as view:
        before = [said(view, name) for name in ("x", "y", "é", "none")]
        assert [[*each] for each in before] == [["c.py", "d.py"], ["a.py"], ["c.py"], []]
        assert view.occurrences.named_in("x", "b.py") == view.occurrences.named_in("x", "gone.py") == []
        assert view.occurrences.named_in("x", "d.py") == before[0]["d.py"]
    assert store.compact(terms_of, force=True) is not None
    with store.view() as view:
        assert len(view.segments) == 1
        assert [said(view, name) for name in ("x", "y", "é", "none")] == before
