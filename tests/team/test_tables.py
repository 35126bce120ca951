"""Blocks of tables at a remote: nothing that a remote gives is believed, and none of it makes a reader fall over."""

import hashlib
import json
import random
import shutil
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import pytest

from cairn.base.errors import CorruptStoreError
from cairn.base.steps import worded_hint
from cairn.base.values import replace
from cairn.store import askable
from cairn.store._askedparts import said_in
from cairn.store.asked import AskableTable
from cairn.store.blocktable import BLOCK_BYTES, PUSH_ANEW, BlockTable, TableWriter
from cairn.store.layout import StoreKind, create_layout
from cairn.surfaces.cli.notes import command
from cairn.team import exchange, listing, tables
from cairn.team.remote import FolderRemote, Span
from cairn.team.tables import RemoteBlocks, make_table, read_directory
from tests.team.samples import at_home, committed, done, refused

NUMBERS = (0, 1, 2, 63, 1 << 14, 1 << 16, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
FORMS = (("Q", 8), ("I", 4), ("I", 4))
SEED = 20_261


class Table:
    """A table of a few blocks at a remote that is a folder, and its reader."""

    def __init__(self, folder: Path) -> None:
        (folder / "remote").mkdir(parents=True)
        self.entries = {b"k%03d" % each: random.Random(each).randbytes(BLOCK_BYTES // 2) for each in range(12)}
        self.remote = FolderRemote(str(folder / "remote"))
        self._file = str(folder / "table")
        self.table = make_table("seg", self._file, self._write)
        exchange.write_table(self.remote, self.table, self._file)
        self.path = folder / "remote" / exchange.table_name(self.table)
        self.data = self.path.read_bytes()
        self.layout = create_layout(str(folder / "store"), StoreKind.PRIVATE)
        self.directory = self.data[self.table.at :]

    def _write(self, file: BinaryIO) -> bytes:
        writer = TableWriter(file)
        for key, value in self.entries.items():
            writer.add(key, value)
        return writer.finish()

    def get(self, directory: bytes, at: int | None = None) -> dict[bytes, bytes]:
        """All that the table holds by a directory that somebody made, as a machine that has nothing reads it."""
        shutil.rmtree(Path(self.layout.cache) / "blocks", ignore_errors=True)
        start = self.table.at if at is None else at
        self.path.write_bytes(self.data[: self.table.at].ljust(min(start, 1 << 20), b"\0")[:start] + directory)
        digest = hashlib.sha256(directory).hexdigest()
        said = AskableTable("seg", self.table.name, start + len(directory), start, digest)
        blocks = RemoteBlocks(self.remote, self.layout)
        return BlockTable(said.name, read_directory(self.remote, said), blocks).get(self.entries)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def changed(directory: bytes, column: int, row: int, value: int) -> bytes:
    """A directory with another number in it."""
    raw = bytearray(zlib.decompress(directory))
    (count,) = struct.unpack_from("<I", raw)
    form, size = FORMS[column]
    at = 4 + sum(count * width for _, width in FORMS[:column]) + row % count * size
    struct.pack_into(f"<{form}", raw, at, value % (1 << 8 * size))
    return zlib.compress(raw)


def same(directory: bytes) -> bytes:
    return zlib.compress(zlib.decompress(directory))


def test_no_number_of_a_directory_is_believed(table: Table) -> None:
    assert table.get(same(table.directory)) == table.entries
    whole, refusals = same(table.directory), 0
    chance, told = random.Random(SEED), set[tuple[int, str]]()
    for _ in range(300):
        directory = whole
        for _ in range(chance.randint(1, 3)):
            number = chance.choice((chance.choice(NUMBERS), chance.randrange(1 << 64)))
            directory = changed(directory, chance.randrange(3), chance.randrange(12), number)
        try:
            assert table.get(directory) == table.entries
        except CorruptStoreError as error:
            told.add((error.message.count("\n"), worded_hint(error.hint, command)))
            refusals += 1
    assert told == {(0, worded_hint(PUSH_ANEW, command))}
    assert "push --askable --again" in worded_hint(PUSH_ANEW, command)
    assert refusals > 250


@pytest.mark.parametrize(("column", "value"), [(0, 1 << 63), (0, 5), (1, 0), (2, 1 << 31)])
def test_blocks_follow_each_other(table: Table, column: int, value: int) -> None:
    with pytest.raises(CorruptStoreError, match="directory"):
        table.get(changed(table.directory, column, 1, value))


def test_blocks_end_where_the_directory_begins(table: Table) -> None:
    for at in (table.table.at - 1, table.table.at + 1):
        with pytest.raises(CorruptStoreError, match="not what was written"):
            table.get(table.directory, at)


def test_what_is_read_at_once_is_bounded(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("cairn.store.blocktable", "cairn.team.tables"):
        with monkeypatch.context() as patch:
            patch.setattr(f"{module}.MOST_READ_BYTES", BLOCK_BYTES)
            with pytest.raises(CorruptStoreError, match="more than can be read at once"):
                table.get(table.directory)
    asked: list[Span] = []
    pieces = FolderRemote.pieces

    def noted(remote: FolderRemote, name: str, spans: Sequence[Span]) -> list[bytes]:
        asked.extend(spans)
        return pieces(remote, name, spans)

    monkeypatch.setattr(FolderRemote, "pieces", noted)
    monkeypatch.setattr(tables, "_MOST_JOINED", 2 * BLOCK_BYTES)
    assert table.get(table.directory) == table.entries
    assert max(end - start for start, end in asked) <= 2 * BLOCK_BYTES


@pytest.mark.parametrize("at", [0, BLOCK_BYTES, -1])
def test_every_byte_that_comes_is_checked(table: Table, at: int) -> None:
    """The entries of these blocks stand as they are, so nothing else would notice."""
    place = at % table.table.at
    data = table.data
    table.data = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
    with pytest.raises(CorruptStoreError, match="not what was written"):
        table.get(table.directory)
    assert not (Path(table.layout.cache) / "blocks").exists()


def test_a_listing_names_no_table_of_impossible_size() -> None:
    manifest: Any = SimpleNamespace(segments=[SimpleNamespace(segment_id="seg")])
    fine = AskableTable("seg", "0" * 64, 1_000, 900, "1" * 64)
    assert listing._are_of([fine], manifest)
    for at in (1 << 40, (1 << 63) - 1, 1 << 63, 1 << 70):
        assert not listing._are_of([replace(fine, at=at, size=at + 1)], manifest)


SAID = {
    "schema_version": askable.VERSION,
    "segment_id": "seg",
    "rows": 3,
    "files": 2,
    "dimension": 8,
    "bytes_a_number": 2,
    "vectors": "0" * 64,
    "marker": {"snapshotId": "it"},
}
WRONG: Sequence[tuple[str, object]] = (
    ("marker", [1]),
    ("marker", "x"),
    ("marker", 1),
    ("segment_id", [1]),
    ("vectors", None),
    ("rows", 1 << 40),
    ("rows", -1),
    ("rows", True),
    ("files", 1 << 63),
    ("dimension", 1.5),
)


def encoded(document: dict[str, object]) -> bytes:
    return json.dumps(document).encode()


@pytest.mark.parametrize(("field", "value"), WRONG)
def test_no_field_of_what_a_table_says_is_believed(field: str, value: object) -> None:
    assert said_in(encoded(SAID), "it").rows == 3
    with pytest.raises(CorruptStoreError, match="doesn't say what it is") as refused_it:
        said_in(encoded(SAID | {field: value}), "it")
    assert "push --askable --again" in worded_hint(refused_it.value.hint, command)


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    (tmp_path / "remote").mkdir()
    made = (tmp_path / "one", tmp_path / "two")
    for home in made:
        with at_home(home):
            done("remote", "add", "team", str(tmp_path / "remote"))
    return made


def test_whoever_asks_is_told_in_one_sentence(
    machines: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, said = committed(tmp_path / "repo"), askable._said
    with at_home(machines[0]), monkeypatch.context() as patch:
        patch.setattr(askable, "_said", lambda *of: {**said(*of), "marker": [1]})
        done("push", "--askable", str(repo.path))
    with at_home(machines[1]):
        told = refused("search", "--remote", "team", "heron", str(repo.path))
    assert told.returncode == 14
    assert "its marker is wrong" in told.stderr
    assert "push --askable --again" in told.stderr
    assert "repair" not in told.stderr
