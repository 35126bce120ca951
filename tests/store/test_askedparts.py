"""The parts of a segment that lies elsewhere, read from its table."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import CorruptStoreError, IncompatibleError
from cairn.base.steps import worded_hint
from cairn.kernel.postings import MOST_ROWS
from cairn.store._askedparts import ROWS_FILE, AskedRows, AskedTerms, said_in
from cairn.store._rowfile import write_files
from cairn.store.askable import VERSION, PostedRows, _symbols, join_posted, number_key, term_key
from cairn.store.blocktable import BlockPlace, BlockTable, TableWriter
from cairn.store.rows import SymbolRow
from cairn.surfaces.cli.notes import command

EARLY, LATE, BOTH, NOWHERE = (number.to_bytes(8, "little") for number in (7, 11, 13, 17))


class InMemory:
    """The blocks of one table."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, wanted: Sequence[tuple[str, BlockPlace]]) -> list[bytes]:
        return [self._data[place.at : place.at + place.size] for _, place in wanted]


def terms_of(folder: Path, rows: int, held: dict[bytes, list[int]]) -> AskedTerms:
    np.concatenate((np.full(rows, 9), np.zeros(rows))).astype("<u4").tofile(folder / ROWS_FILE)
    file = io.BytesIO()
    writer = TableWriter(file)
    for key in sorted(held, key=term_key):
        numbers = np.array(held[key], dtype=np.int64)
        counts = np.arange(1, len(numbers) + 1, dtype=np.uint8)
        writer.add(term_key(key), join_posted(PostedRows(numbers, counts, 2 * counts)))
    return AskedTerms(str(folder), rows, BlockTable("table", writer.finish(), InMemory(file.getvalue())))


@pytest.mark.parametrize("absent", [(), (BOTH,)])
def test_a_term_may_be_in_one_section_of_many_rows_alone(tmp_path: Path, absent: tuple[bytes, ...]) -> None:
    last = MOST_ROWS + 2
    held = {EARLY: [3], LATE: [last], BOTH: [3, last]}
    terms = terms_of(tmp_path, MOST_ROWS + 4, {key: rows for key, rows in held.items() if key not in absent})
    wanted = np.frombuffer(EARLY + LATE + BOTH + NOWHERE, dtype="<u8")
    both = [0, 0] if absent else [1, 2]
    for found in (
        terms.matrix_of(np.array([3, last, 5]), wanted),
        terms.matrix([(3, 1), (last, 1), (5, 1)], wanted),
    ):
        assert found.text.tolist() == [[1, 0, both[0], 0], [0, 1, both[1], 0], [0] * 4]
        assert found.symbols.tolist() == (2 * found.text).tolist()
        assert found.lengths.tolist() == [9] * 3


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
def test_a_table_of_another_version_is_told_with_what_helps(version: int) -> None:
    with pytest.raises(IncompatibleError, match=f"of version {version}") as refused:
        said_in(json.dumps({"schema_version": version}).encode(), "table")
    assert "--askable --again" in worded_hint(refused.value.hint, command)


def test_an_entry_that_cannot_be_read_is_told_with_what_helps(tmp_path: Path) -> None:
    file = io.BytesIO()
    writer = TableWriter(file)
    symbol = SymbolRow("ast", "n", "n", "function", "", 1, 2, 1, "", True, "")
    writer.add(number_key(b"f", 0), b"x")
    writer.add(b"n\xff", _symbols([(0, symbol)]))
    write_files(str(tmp_path), [], None)
    rows = AskedRows(str(tmp_path), BlockTable("table", writer.finish(), InMemory(file.getvalue())))
    asked: tuple[Callable[[], object], ...] = (
        lambda: rows.text(0),
        lambda: rows.names_starting(""),
        lambda: rows.text(1),
    )
    for ask in asked:
        with pytest.raises(CorruptStoreError, match="The table table has") as refused:
            ask()
        assert "--askable --again" in worded_hint(refused.value.hint, command)
