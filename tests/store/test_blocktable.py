"""Sorted tables in blocks: every key is found, every byte is checked, and nothing is read that nobody asks for."""

import io
import zlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import CorruptStoreError
from cairn.store.blocktable import BLOCK_BYTES, BlockPlace, BlockTable, TableWriter, read_directory, read_together

ENTRIES = st.dictionaries(st.binary(min_size=1, max_size=6), st.binary(max_size=40), max_size=60)


class Written:
    """A table in memory, which counts the blocks that are read."""

    def __init__(self, entries: dict[bytes, bytes]) -> None:
        file = io.BytesIO()
        writer = TableWriter(file)
        for key in sorted(entries):
            writer.add(key, entries[key])
        self.directory = writer.finish()
        self.data = file.getvalue()
        self.looks = self.blocks = 0

    def read(self, wanted: Sequence[tuple[str, BlockPlace]]) -> list[bytes]:
        self.looks += 1
        self.blocks += len(wanted)
        return [self.data[place.at : place.at + place.size] for _, place in wanted]

    @property
    def table(self) -> BlockTable:
        return BlockTable("it", self.directory, self)


def large(count: int = 40) -> dict[bytes, bytes]:
    """Entries of which three fill a block."""
    return {b"k%04d" % number: bytes([number]) * (BLOCK_BYTES // 3) for number in range(count)}


@given(ENTRIES, st.lists(st.binary(min_size=1, max_size=6), max_size=10))
def test_every_key_is_found_and_no_other(entries: dict[bytes, bytes], others: list[bytes]) -> None:
    table = Written(entries).table
    asked = [*entries, *others]
    assert table.get(asked) == {key: entries[key] for key in asked if key in entries}


@given(ENTRIES, st.binary(min_size=1, max_size=2))
def test_what_begins_so_is_found_in_order(entries: dict[bytes, bytes], prefix: bytes) -> None:
    found = Written(entries).table.starting(prefix, 100)
    assert found is not None
    assert [*found] == [(key, entries[key]) for key in sorted(entries) if key.startswith(prefix)]


def test_only_blocks_that_are_asked_for_are_read_once_and_together() -> None:
    written = Written(large())
    table = written.table
    assert set(table.get([b"k0000", b"k0001", b"k0039"])) == {b"k0000", b"k0001", b"k0039"}
    assert (written.looks, written.blocks) == (1, 2)
    table.get([b"k0001"])
    assert (written.looks, written.blocks) == (1, 2)
    other = written.table
    read_together([(table, table.missing([b"k0020", b"k0000"])), (other, other.missing([b"k0020"]))])
    assert (written.looks, written.blocks) == (2, 4)
    other.get([b"k0020"])
    assert written.looks == 2
    assert table.missing([b"k0020"]) == []


def test_too_many_blocks_are_not_read_for_a_beginning() -> None:
    written = Written(large())
    assert written.table.starting(b"k", 5) is None
    assert written.looks == 0


def test_keys_ascend() -> None:
    writer = TableWriter(io.BytesIO())
    writer.add(b"b", b"")
    for key in (b"a", b"b"):
        with pytest.raises(ValueError, match="comes after"):
            writer.add(key, b"")


def test_a_block_tells_whether_bytes_are_its_own() -> None:
    written = Written(large())
    for _, place in [(0, each) for each in read_directory(written.directory, "it")]:
        data = written.data[place.at : place.at + place.size]
        assert place.holds(data)
        assert not place.holds(data[:-1])
        assert not place.holds(data[:-1] + bytes([data[-1] ^ 1]))


@pytest.mark.parametrize("data", [b"", b"no stream", zlib.compress(b""), zlib.compress(b"\xff" * 12)])
def test_what_is_no_directory_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptStoreError):
        read_directory(data, "it")


def test_a_directory_that_is_cut_or_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Written(large())
    raw = zlib.decompress(written.directory)
    for size in range(0, len(raw), 7):
        with pytest.raises(CorruptStoreError):
            read_directory(zlib.compress(raw[:size]), "it")
    monkeypatch.setattr("cairn.store.blocktable.MOST_DIRECTORY_BYTES", len(raw) - 1)
    with pytest.raises(CorruptStoreError):
        read_directory(written.directory, "it")


def test_a_block_that_unpacks_to_something_else_is_refused() -> None:
    written = Written({b"a": b"x" * 1000})
    written.data = zlib.compress(b"x" * 2000)
    with pytest.raises(CorruptStoreError):
        written.table.get([b"a"])
