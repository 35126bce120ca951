"""`rows.sqlite`: the rows and files of one segment, written once and opened immutable."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from cairn.errors import CorruptStoreError
from cairn.store.rows import MARKER_KIND, ChunkRow, FileRow

ROWS_FILE = "rows.sqlite"
_MARKER_NUMBER = -1
_COLUMNS = (
    "row_id, chunk_id, path_key, path_key_ci, ordinal, file_hash, chunk_hash, chunker_version, kind, text, "
    "start_line, end_line, byte_start, byte_end, language"
)
_SCHEMA = """
    CREATE TABLE rows (
        number INTEGER PRIMARY KEY, row_id TEXT NOT NULL, chunk_id TEXT NOT NULL, path_key TEXT NOT NULL,
        path_key_ci TEXT NOT NULL, ordinal INTEGER NOT NULL, file_hash TEXT NOT NULL, chunk_hash TEXT NOT NULL,
        chunker_version TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, start_line INTEGER NOT NULL,
        end_line INTEGER NOT NULL, byte_start INTEGER NOT NULL, byte_end INTEGER NOT NULL, language TEXT NOT NULL
    );
    CREATE TABLE files (
        path_key TEXT PRIMARY KEY, file_hash TEXT NOT NULL, size INTEGER NOT NULL, language TEXT NOT NULL,
        chunks INTEGER NOT NULL, first_number INTEGER NOT NULL
    ) WITHOUT ROWID;
"""
_INDEXES = "CREATE UNIQUE INDEX rows_row_id ON rows (row_id);"


class RowFileWriter:
    """Rows get consecutive numbers in the order in which they are added."""

    def __init__(self, folder: str) -> None:
        self._connection = sqlite3.connect(os.path.join(folder, ROWS_FILE), isolation_level=None)
        # The file is new and counts only once the barrier has synced it: no journal is needed.
        self._connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=8192;")
        self._connection.executescript(_SCHEMA)
        self._connection.execute("BEGIN")
        self.rows = 0
        self.files = 0

    def add_file(self, file: FileRow, rows: Sequence[ChunkRow]) -> None:
        self._connection.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?)",
            (file.path_key, file.file_hash, file.size, file.language, file.chunks, self.rows),
        )
        self._connection.executemany(
            f"INSERT INTO rows (number, {_COLUMNS}) VALUES (?{', ?' * 15})",  # noqa: S608
            ((self.rows + offset, *_values(row)) for offset, row in enumerate(rows)),
        )
        self.rows += len(rows)
        self.files += 1

    def add_marker(self, marker: dict[str, Any]) -> None:
        text = json.dumps(marker, sort_keys=True)
        values = (_MARKER_NUMBER, MARKER_KIND, MARKER_KIND, "", "", 0, "", "", "", MARKER_KIND, text, 0, 0, 0, 0, "")
        self._connection.execute(f"INSERT INTO rows (number, {_COLUMNS}) VALUES (?{', ?' * 15})", values)  # noqa: S608

    def close(self) -> None:
        self._connection.execute("COMMIT")
        self._connection.executescript(_INDEXES)
        self._connection.close()

    def abandon(self) -> None:
        self._connection.close()


class RowFileReader:
    """Read access to one segment's rows; the marker never shows among them."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, ROWS_FILE)
        # `immutable` promises SQLite that nobody writes: it takes no lock and makes no side files.
        address = f"file:{quote(self.path)}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._corrupt(error) from error

    def files(self) -> Iterator[FileRow]:
        for values in self._all("SELECT path_key, file_hash, size, language, chunks FROM files"):
            yield FileRow(*values)

    def file(self, path_key: str) -> FileRow | None:
        found = self._all("SELECT path_key, file_hash, size, language, chunks FROM files WHERE path_key = ?", path_key)
        return FileRow(*found[0]) if found else None

    def spans(self, paths: Iterable[str]) -> Iterator[tuple[int, int]]:
        """(first number, count) of the rows of given files; a file's rows stand together."""
        for path in paths:
            yield from (
                (first, count)
                for first, count in self._all("SELECT first_number, chunks FROM files WHERE path_key = ?", path)
            )

    def rows_of(self, path_key: str) -> list[ChunkRow]:
        spans = list(self.spans([path_key]))
        if not spans:
            return []
        first, count = spans[0]
        found = self._all(
            f"SELECT {_COLUMNS} FROM rows WHERE number >= ? AND number < ? ORDER BY number",  # noqa: S608
            first,
            first + count,
        )
        return [ChunkRow(*values) for values in found]

    def rows(self, numbers: Sequence[int]) -> list[ChunkRow]:
        """Rows by number, in the order asked for."""
        found: dict[int, ChunkRow] = {}
        for start in range(0, len(numbers), 500):
            part = [int(number) for number in numbers[start : start + 500] if number >= 0]
            marks = ",".join("?" * len(part))
            query = f"SELECT number, {_COLUMNS} FROM rows WHERE number IN ({marks})"  # noqa: S608
            found |= {values[0]: ChunkRow(*values[1:]) for values in self._all(query, *part)}
        missing = [number for number in numbers if number not in found]
        if missing:
            raise CorruptStoreError(f"{self.path} has no row {missing[0]}.")
        return [found[number] for number in numbers]

    def marker(self) -> dict[str, Any] | None:
        found = self._all("SELECT text FROM rows WHERE number = ?", _MARKER_NUMBER)
        return json.loads(found[0][0]) if found else None

    def counts(self) -> tuple[int, int]:
        """(rows, files)"""
        rows = self._all("SELECT count(*) FROM rows WHERE number >= 0")[0][0]
        return rows, self._all("SELECT count(*) FROM files")[0][0]

    def close(self) -> None:
        self._connection.close()

    def _all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._corrupt(error) from error

    def _corrupt(self, error: sqlite3.Error) -> CorruptStoreError:
        return CorruptStoreError(f"{self.path} can't be read: {error}.")


def _values(row: ChunkRow) -> tuple[object, ...]:
    return (
        row.row_id,
        row.chunk_id,
        row.path_key,
        row.path_key_ci,
        row.ordinal,
        row.file_hash,
        row.chunk_hash,
        row.chunker_version,
        row.kind,
        row.text,
        row.start_line,
        row.end_line,
        row.byte_start,
        row.byte_end,
        row.language,
    )
