"""Rows: identities that follow from content and place."""

import hashlib
from dataclasses import fields, replace
from pathlib import Path

import pytest

from cairn.base.errors import InvalidRowError
from cairn.store import ChunkRow, chunk_hash_of, chunk_id_of, row_id_of
from cairn.store.rows import row_faults
from tests.store.samples import begin, make_store, prepare, publish

REQUIRED = "row_id chunk_id path_key path_key_ci ordinal file_hash chunk_hash chunker_version kind text".split()


def sha(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@pytest.mark.requirement("ROW.2")
def test_ids_follow_the_two_layer_scheme() -> None:
    text_hash = hashlib.sha256(b"walrus\n").hexdigest()
    assert chunk_hash_of("walrus\n") == text_hash
    chunk_id = chunk_id_of(text_hash, "lines-1", "text")
    assert chunk_id == sha(text_hash, "lines-1", "text")
    assert row_id_of("a.py", chunk_id, 3) == sha("a.py", chunk_id, "3")
    assert chunk_id_of(text_hash, "lines-1", "anchor") != chunk_id
    assert chunk_id_of(text_hash, "lines-2", "text") != chunk_id
    assert len({row_id_of("a.py", chunk_id, 0), row_id_of("a.py", chunk_id, 1), row_id_of("b.py", chunk_id, 0)}) == 3


@pytest.mark.requirement("ROW.2")
def test_a_rename_keeps_the_chunk_id_and_changes_the_row_id() -> None:
    old, new = prepare("old.py", "walrus\n" * 20), prepare("new.py", "walrus\n" * 20)
    assert [row.chunk_id for row in old.rows] == [row.chunk_id for row in new.rows]
    assert not {row.row_id for row in old.rows} & {row.row_id for row in new.rows}


@pytest.mark.requirement("ROW.1")
def test_a_row_comes_back_with_every_required_column(tmp_path: Path) -> None:
    assert set(REQUIRED) <= {field.name for field in fields(ChunkRow)}
    store = make_store(tmp_path)
    publish(store, {"Sub/A.py": "walrus\n" * 20})
    rows = prepare("Sub/A.py", "walrus\n" * 20).rows
    assert len(rows) > 1
    with store.view() as view:
        assert view.rows.of("Sub/A.py") == rows
    assert {row.path_key_ci for row in rows} == {"sub/a.py"}


@pytest.mark.requirement("ROW.1")
def test_a_sound_row_has_no_faults_and_a_bad_one_names_them() -> None:
    row = prepare("a.py", "walrus\n").rows[0]
    assert row_faults(row) == []
    assert row_faults(replace(row, kind="picture"))[0] == "kind 'picture' is unknown"
    assert "path_key is empty" in row_faults(replace(row, path_key=""))
    assert "ordinal is negative" in row_faults(replace(row, ordinal=-1))
    assert row_faults(replace(row, file_hash="0" * 63)) == ["file_hash is not a sha256"]
    assert "chunk_hash is not the hash of text" in row_faults(replace(row, text="other"))
    assert row_faults(replace(row, row_id="x")) == ["row_id does not follow from its parts"]
    assert row_faults(replace(row, start_line=2, end_line=1)) == ["lines 2-1 are no range"]
    assert row_faults(replace(row, byte_start=2, byte_end=1)) == ["bytes 2-1 are no range"]


@pytest.mark.requirement("ROW.1")
@pytest.mark.parametrize("file_hash", ["Z" * 64, " " * 64])
def test_sixty_four_characters_alone_are_no_hash(file_hash: str) -> None:
    row = prepare("a.py", "walrus\n").rows[0]
    assert row_faults(replace(row, file_hash=file_hash)) == ["file_hash is not a sha256"]


@pytest.mark.requirement("ROW.1")
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    ready = prepare("a.py", "walrus\n")
    with store.writer() as lease, begin(store, lease) as transaction:
        for bad in (replace(ready, file=ready.file._replace(size=9)), replace(ready, data=b"walrus")):
            with pytest.raises(InvalidRowError, match="bytes"):
                bad.add_to(transaction)
        with pytest.raises(InvalidRowError, match="its bytes are not its text"):
            replace(ready, data=b"otters\n").add_to(transaction)
