"""Rows: identities that follow from content and place."""

from dataclasses import replace

import pytest

from cairn.indexing import terms_of
from cairn.indexing.prepare import row_of
from cairn.store import ChunkRow
from cairn.store.rows import row_faults
from cairn.syntax.lines import chunk_lines
from cairn.syntax.versions import CHUNKER_VERSION
from cairn.workspace.reads import content_hash

DATA = b"def main():\n    return LeaseState()\n"
HASH = content_hash(DATA)


def a_row(path: str = "src/main.py", ordinal: int = 0, data: bytes = DATA) -> ChunkRow:
    (chunk,) = chunk_lines(data, 1500, 10)
    return row_of(path, ordinal, chunk, content_hash(data), "python")


@pytest.mark.requirement("ROW.1")
def test_a_row_conforms_to_the_schema() -> None:
    row = a_row("Src/Größe.py")
    assert row_faults(row) == []
    assert (row.kind, row.chunker_version, row.language) == ("text", CHUNKER_VERSION, "python")
    assert (row.path_key, row.path_key_ci) == ("Src/Größe.py", "src/grösse.py")
    assert (row.file_hash, row.chunk_hash) == (HASH, HASH)
    assert (row.start_line, row.end_line, row.byte_start, row.byte_end) == (1, 2, 0, len(DATA))


@pytest.mark.requirement("ROW.2")
def test_equal_content_has_one_chunk_id_wherever_it_stands() -> None:
    here, there, later = a_row("a.py"), a_row("b.py"), a_row("a.py", 1)
    assert here.chunk_id == there.chunk_id == later.chunk_id
    assert len({here.row_id, there.row_id, later.row_id}) == 3


@pytest.mark.requirement("ROW.2")
def test_other_content_has_another_chunk_id() -> None:
    assert a_row(data=b"x = 1\n").chunk_id != a_row(data=b"x = 2\n").chunk_id


@pytest.mark.requirement("ROW.1")
@pytest.mark.parametrize(
    "change",
    [
        {"kind": "cairn_index_completion_v1"},
        {"path_key": ""},
        {"path_key_ci": ""},
        {"ordinal": -1},
        {"file_hash": "abc"},
        {"chunk_hash": "0" * 64},
        {"text": "other"},
        {"chunk_id": "0" * 64},
        {"row_id": "0" * 64},
        {"chunker_version": "other"},
        {"start_line": 0},
        {"end_line": 0},
        {"byte_start": -1},
        {"byte_end": -1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_departure_from_the_schema_is_named(change: dict[str, object]) -> None:
    assert row_faults(replace(a_row(), **change))  # type: ignore[arg-type]


@pytest.mark.requirement("SRCH.2")
def test_a_row_is_found_by_the_words_of_its_text_and_its_path() -> None:
    terms = terms_of(a_row("src/readLease.py"))
    assert terms.body.split() == ["def", "main", "return", "leasestate", "leas", "stat"]
    assert terms.path.split() == ["src", "readlease", "read", "leas", "py"]
