"""`rows.sqlite`: the rows, files and facts of one segment, written once and opened immutable."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from cairn.base.errors import CorruptStoreError
from cairn.store._immutable import AT_ONCE, ImmutableFile, new_file
from cairn.store.rows import (
    MARKER_KIND,
    NO_FACTS,
    ChunkRow,
    EdgeRow,
    Facts,
    FileRow,
    OccurrenceRow,
    RowHead,
    SymbolRow,
)

ROWS_FILE = "rows.sqlite"
_LAST = chr(0x10FFFF)
_MARKER_NUMBER = -1
_KNOWN_FILES = 20_000
_COLUMNS = (
    "row_id, chunk_id, path_key, path_key_ci, ordinal, file_hash, chunk_hash, chunker_version, kind, text, "
    "start_line, end_line, byte_start, byte_end, language, symbols"
)
_FILE = "path_key, file_hash, size, language, chunks, lines, interface_hash, blanks"
_SYMBOL = "layer, name, qualified_name, kind, signature, start_line, end_line, name_line, container, exported, doc"
_OCCURRENCE = "layer, name, role, line, within, receiver"
_EDGE = "layer, kind, target, line, names"
_SCHEMA = """
    CREATE TABLE rows (
        number INTEGER PRIMARY KEY, row_id TEXT NOT NULL, chunk_id TEXT NOT NULL, path_key TEXT NOT NULL,
        path_key_ci TEXT NOT NULL, ordinal INTEGER NOT NULL, file_hash TEXT NOT NULL, chunk_hash TEXT NOT NULL,
        chunker_version TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, start_line INTEGER NOT NULL,
        end_line INTEGER NOT NULL, byte_start INTEGER NOT NULL, byte_end INTEGER NOT NULL, language TEXT NOT NULL,
        symbols TEXT NOT NULL
    );
    CREATE TABLE files (
        number INTEGER PRIMARY KEY, path_key TEXT NOT NULL UNIQUE, file_hash TEXT NOT NULL, size INTEGER NOT NULL,
        language TEXT NOT NULL, chunks INTEGER NOT NULL, lines INTEGER NOT NULL, interface_hash TEXT NOT NULL,
        blanks TEXT NOT NULL, first_number INTEGER NOT NULL
    );
    CREATE TABLE symbols (
        file INTEGER NOT NULL, layer TEXT NOT NULL, name TEXT NOT NULL, qualified_name TEXT NOT NULL,
        kind TEXT NOT NULL, signature TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
        name_line INTEGER NOT NULL, container TEXT NOT NULL, exported INTEGER NOT NULL, doc TEXT NOT NULL,
        name_folded TEXT NOT NULL
    );
    CREATE TABLE occurrences (
        file INTEGER NOT NULL, layer TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, line INTEGER NOT NULL,
        within TEXT NOT NULL, receiver TEXT NOT NULL
    );
    CREATE TABLE edges (
        file INTEGER NOT NULL, layer TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, line INTEGER NOT NULL,
        names TEXT NOT NULL
    );
"""
_INDEXES = """
    CREATE UNIQUE INDEX rows_row_id ON rows (row_id);
    CREATE INDEX symbols_file ON symbols (file);
    CREATE INDEX symbols_name ON symbols (name_folded);
    CREATE INDEX occurrences_file ON occurrences (file);
    CREATE INDEX occurrences_name ON occurrences (name);
    CREATE INDEX edges_file ON edges (file);
    CREATE INDEX edges_target ON edges (target);
"""
_values = attrgetter(*_COLUMNS.split(", "))
_file_values = attrgetter(*_FILE.split(", "))


class RowFileWriter:
    """Rows get consecutive numbers in the order in which they are added."""

    def __init__(self, folder: str) -> None:
        self._connection = new_file(os.path.join(folder, ROWS_FILE), _SCHEMA)
        self.rows = 0
        self.files = 0

    def add_file(self, file: FileRow, rows: Sequence[ChunkRow], facts: Facts = NO_FACTS) -> None:
        """Add a file with its rows and its facts."""
        number = self.files
        self._connection.execute(
            f"INSERT INTO files (number, {_FILE}, first_number) VALUES (?{', ?' * 9})",  # noqa: S608
            (number, *_file_values(file), self.rows),
        )
        self._connection.executemany(
            f"INSERT INTO rows (number, {_COLUMNS}) VALUES (?{', ?' * 16})",  # noqa: S608
            ((self.rows + offset, *_values(row)) for offset, row in enumerate(rows)),
        )
        self._connection.executemany(
            f"INSERT INTO symbols VALUES (?{', ?' * 12})",  # noqa: S608
            ((number, *symbol, symbol.name.casefold()) for symbol in facts.symbols),
        )
        self._connection.executemany(
            "INSERT INTO occurrences VALUES (?, ?, ?, ?, ?, ?, ?)", ((number, *row) for row in facts.occurrences)
        )
        self._connection.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?)", ((number, *row) for row in facts.edges)
        )
        self.rows += len(rows)
        self.files += 1

    def add_marker(self, marker: dict[str, Any]) -> None:
        """Add the row that says that the snapshot is complete."""
        text = json.dumps(marker, sort_keys=True)
        row = ChunkRow(MARKER_KIND, MARKER_KIND, "", "", 0, "", "", "", MARKER_KIND, text, 0, 0, 0, 0, "")
        self._connection.execute(
            f"INSERT INTO rows (number, {_COLUMNS}) VALUES (?{', ?' * 16})",  # noqa: S608
            (_MARKER_NUMBER, *_values(row)),
        )

    def close(self) -> None:
        """Commit all rows, then make the indexes over them."""
        self._connection.execute("COMMIT")
        self._connection.executescript(_INDEXES)
        self._connection.close()

    def abandon(self) -> None:
        """Close the database without a commit."""
        self._connection.close()


class RowFileReader(ImmutableFile):
    """Read access to one segment's rows; the marker never shows among them."""

    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, ROWS_FILE))
        self._files: dict[int, tuple[FileRow, int]] = {}

    def files(self) -> Iterator[FileRow]:
        """Every file, in the order of their numbers."""
        return map(FileRow._make, self._all(f"SELECT {_FILE} FROM files ORDER BY number"))  # noqa: S608

    def contents(self) -> list[tuple[str, str, int]]:
        """(path, hash, chunks) of every file."""
        return self._all("SELECT path_key, file_hash, chunks FROM files")

    def shows(self) -> list[tuple[str, str, str]]:
        """(path, hash, interface hash) of every file."""
        return self._all("SELECT path_key, file_hash, interface_hash FROM files")

    def file(self, path_key: str) -> FileRow | None:
        """A file by its path."""
        found = self._all(f"SELECT {_FILE} FROM files WHERE path_key = ?", path_key)  # noqa: S608
        return FileRow(*found[0]) if found else None

    def file_number(self, path_key: str) -> int | None:
        """The number of a file by its path."""
        found = self._all("SELECT number FROM files WHERE path_key = ?", path_key)
        return found[0][0] if found else None

    def numbered_files(self, numbers: Sequence[int]) -> dict[int, tuple[FileRow, int]]:
        """File number -> (file, number of its first row)."""
        known = self._files
        missing = [number for number in numbers if number not in known]
        if len(known) + len(missing) > _KNOWN_FILES:
            # Never emptied: another thread may be reading it.
            known, missing = {}, list(numbers)
            self._files = known
        query = f"SELECT number, first_number, {_FILE} FROM files WHERE number IN ({{}})"  # noqa: S608
        known.update((values[0], (FileRow(*values[2:]), values[1])) for values in self._in(query, missing))
        return {number: known[number] for number in numbers if number in known}

    def placed_files(self) -> list[tuple[int, int, FileRow]]:
        """(file number, number of its first row, file) of every file."""
        found = self._all(f"SELECT number, first_number, {_FILE} FROM files ORDER BY number")  # noqa: S608
        return [(values[0], values[1], FileRow(*values[2:])) for values in found]

    def pieces(self, first: int, count: int) -> list[tuple[int, int, bytes]]:
        """(first byte, last byte + 1, text) of the chunks among rows that stand together."""
        return self._all(
            "SELECT byte_start, byte_end, CAST(text AS BLOB) FROM rows "
            "WHERE number >= ? AND number < ? AND kind = 'text' ORDER BY number",
            first,
            first + count,
        )

    def definitions_in(self, file: int) -> list[tuple[int, int, str]]:
        """(start line, end line, qualified name) of what a file defines, the outer before the inner."""
        return self._all(
            "SELECT start_line, end_line, qualified_name FROM symbols WHERE file = ? "
            "ORDER BY start_line, end_line DESC, rowid",
            file,
        )

    def spans(self, paths: Iterable[str]) -> Iterator[tuple[int, int]]:
        """(first number, count) of the rows of given files; a file's rows stand together."""
        for path in paths:
            yield from self._all("SELECT first_number, chunks FROM files WHERE path_key = ?", path)

    def rows_of(self, path_key: str) -> list[ChunkRow]:
        """A file's rows in order."""
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
        query = f"SELECT number, {_COLUMNS} FROM rows WHERE number IN ({{}})"  # noqa: S608
        found = {values[0]: ChunkRow(*values[1:]) for values in self._in(query, [n for n in numbers if n >= 0])}
        missing = [number for number in numbers if number not in found]
        if missing:
            raise CorruptStoreError(f"{self.path} has no row {missing[0]}.")
        return [found[number] for number in numbers]

    def heads(self, numbers: Sequence[int]) -> dict[int, RowHead]:
        """Rows by number, without their texts."""
        query = "SELECT number, start_line, end_line, kind, symbols FROM rows WHERE number IN ({})"
        return {values[0]: RowHead(*values[1:]) for values in self._in(query, numbers)}

    def imports_of(self, files: Sequence[int]) -> Iterator[tuple[int, str]]:
        """(file number, target) of what some files import, in order."""
        query = "SELECT file, target FROM edges WHERE kind IN ('import', 'reexport') AND file IN ({}) ORDER BY rowid"
        return ((values[0], values[1]) for values in self._in(query, files))

    def symbols_named(self, folded: Sequence[str]) -> list[tuple[int, SymbolRow]]:
        """(file number, symbol) of every definition with one of some casefolded names."""
        marks = ",".join("?" * len(folded))
        query = f"SELECT file, {_SYMBOL} FROM symbols WHERE name_folded IN ({marks})"  # noqa: S608
        return [(values[0], _symbol(values[1:])) for values in self._all(query, *folded)]

    def symbols_starting(self, folded: str) -> list[tuple[int, SymbolRow]]:
        """(file number, symbol) of definitions whose casefolded names begin with a text."""
        query = f"SELECT file, {_SYMBOL} FROM symbols WHERE name_folded >= ? AND name_folded < ?"  # noqa: S608
        return [(values[0], _symbol(values[1:])) for values in self._all(query, folded, folded + _LAST)]

    def all_symbols(self) -> Iterator[tuple[str, SymbolRow]]:
        """(path_key, symbol) of every definition."""
        columns = ", ".join(f"symbols.{name}" for name in _SYMBOL.split(", "))
        query = f"SELECT path_key, {columns} FROM symbols JOIN files ON files.number = symbols.file"  # noqa: S608
        return ((values[0], _symbol(values[1:])) for values in self._all(query))

    def defined(self) -> list[tuple[str, str, str, str, int, int]]:
        """(path_key, name, kind, container, whether others see it, bytes of its signature, else of its name)."""
        return self._all(
            "SELECT path_key, symbols.name, kind, container, exported, "
            "length(CAST(CASE WHEN signature = '' THEN symbols.name ELSE signature END AS BLOB)) "
            "FROM symbols JOIN files ON files.number = symbols.file ORDER BY symbols.rowid"
        )

    def languages(self) -> list[tuple[str, str]]:
        """(path_key, language) of every file."""
        return self._all("SELECT path_key, language FROM files")

    def renaming_imports(self) -> list[tuple[str, str]]:
        """(path_key, names) of imports that give something another name."""
        return self._all(
            "SELECT path_key, names FROM edges JOIN files ON files.number = edges.file WHERE names LIKE '%_:%'"
        )

    def module_imports(self, languages: Sequence[str]) -> list[tuple[str, str, str]]:
        """(path_key, target, names) of imports that name a module as a whole, in files of some languages."""
        marks = ",".join("?" * len(languages))
        return self._all(
            "SELECT path_key, target, names FROM edges JOIN files ON files.number = edges.file "  # noqa: S608
            f"WHERE names LIKE ':%' AND language IN ({marks})",
            *languages,
        )

    def names_of(self, paths: Sequence[str]) -> dict[str, tuple[str, tuple[SymbolRow, ...], tuple[EdgeRow, ...]]]:
        """The language, definitions and imports of some files, each in the order in which they were written."""
        files: dict[int, tuple[str, str]] = {}
        for start in range(0, len(paths), AT_ONCE):
            part = paths[start : start + AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT number, path_key, language FROM files WHERE path_key IN ({marks})"  # noqa: S608
            files |= {number: (path, language) for number, path, language in self._all(query, *part)}
        numbers = sorted(files)
        symbols: dict[int, list[SymbolRow]] = {number: [] for number in numbers}
        edges: dict[int, list[EdgeRow]] = {number: [] for number in numbers}
        for values in self._in(f"SELECT file, {_SYMBOL} FROM symbols WHERE file IN ({{}}) ORDER BY rowid", numbers):  # noqa: S608
            symbols[values[0]].append(_symbol(values[1:]))
        for values in self._in(f"SELECT file, {_EDGE} FROM edges WHERE file IN ({{}}) ORDER BY rowid", numbers):  # noqa: S608
            edges[values[0]].append(EdgeRow(*values[1:]))
        return {
            path: (language, tuple(symbols[number]), tuple(edges[number])) for number, (path, language) in files.items()
        }

    def occurrences_of(self, name: str) -> list[tuple[str, OccurrenceRow]]:
        """(path_key, use) of every use of a name."""
        columns = ", ".join(f"occurrences.{column}" for column in _OCCURRENCE.split(", "))
        query = (
            f"SELECT path_key, {columns} FROM occurrences JOIN files ON files.number = occurrences.file "  # noqa: S608
            "WHERE occurrences.name = ?"
        )
        return [(values[0], OccurrenceRow(*values[1:])) for values in self._all(query, name)]

    def called(self) -> list[tuple[str, str, str]]:
        """(path_key, name, receiver) of every use: grouping or joining them here would cost more than it saves."""
        paths = dict(self._all("SELECT number, path_key FROM files"))
        uses = self._all("SELECT file, name, receiver FROM occurrences")
        return [(paths[file], name, receiver) for file, name, receiver in uses]

    def imports(self) -> list[tuple[str, str, str, str]]:
        """(path_key, kind, target, names) of every import, those of one file in order."""
        return self._all(
            "SELECT path_key, edges.kind, target, names FROM edges JOIN files ON files.number = edges.file "
            "ORDER BY edges.rowid"
        )

    def facts_of(self, file: int) -> Facts:
        """Everything that is known of a file, in the order in which it was written."""
        uses = self._all(f"SELECT {_OCCURRENCE} FROM occurrences WHERE file = ? ORDER BY rowid", file)  # noqa: S608
        edges = self._all(f"SELECT {_EDGE} FROM edges WHERE file = ? ORDER BY rowid", file)  # noqa: S608
        return Facts(
            self.symbols_of(file),
            tuple(OccurrenceRow(*values) for values in uses),
            tuple(EdgeRow(*values) for values in edges),
        )

    def symbols_of(self, file: int) -> tuple[SymbolRow, ...]:
        """What a file defines, in order."""
        found = self._all(f"SELECT {_SYMBOL} FROM symbols WHERE file = ? ORDER BY rowid", file)  # noqa: S608
        return tuple(_symbol(values) for values in found)

    def marker(self) -> dict[str, Any] | None:
        """The completion marker, where this segment carries one."""
        found = self._all("SELECT text FROM rows WHERE number = ?", _MARKER_NUMBER)
        return json.loads(found[0][0]) if found else None

    def counts(self) -> tuple[int, int]:
        """(rows, files)"""
        rows = self._all("SELECT count(*) FROM rows WHERE number >= 0")[0][0]
        return rows, self._all("SELECT count(*) FROM files")[0][0]


def _symbol(values: Sequence[Any]) -> SymbolRow:
    layer, name, qualified_name, kind, signature, start, end, name_line, container, exported, doc = values
    return SymbolRow(
        layer, name, qualified_name, kind, signature, start, end, name_line, container, bool(exported), doc
    )
