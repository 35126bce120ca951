"""`rows.sqlite`: the files of one segment with their rows and facts, written once and opened immutable."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from cairn.base.columns import Columns
from cairn.base.errors import CorruptStoreError
from cairn.store import _names, _occurrences, _trees, packed
from cairn.store._immutable import new_file
from cairn.store._knownparts import KnownParts
from cairn.store._names import NamesWriter, NameTable
from cairn.store._occurrences import INDEX, OccurrencesWriter
from cairn.store._trees import ShapesWriter
from cairn.store.blocktable import BlockTable
from cairn.store.nameblocks import NamePlaces
from cairn.store.packed import NamedRows, PackedFile
from cairn.store.rows import ChunkRow, EdgeRow, Facts, FileRow, FlowRow, NamePlace, RowHead, SymbolRow

ROWS_FILE = "rows.sqlite"
_KNOWN_FILES = 20_000
_KNOWN_BLOCKS = 3_000
_KNOWN_ROWS = 2_000
_FILE = "path_key, file_hash, size, language, chunks, lines, interface_hash"
_EDGE = "layer, kind, target, line, names"
_SCHEMA = """
    CREATE TABLE files (
        number INTEGER PRIMARY KEY, path_key TEXT NOT NULL UNIQUE, file_hash TEXT NOT NULL, size INTEGER NOT NULL,
        language TEXT NOT NULL, chunks INTEGER NOT NULL, lines INTEGER NOT NULL, interface_hash TEXT NOT NULL,
        first_number INTEGER NOT NULL
    );
    CREATE TABLE texts (file INTEGER PRIMARY KEY, text BLOB NOT NULL);
    CREATE TABLE blocks (file INTEGER PRIMARY KEY, symbols BLOB NOT NULL, chunks BLOB NOT NULL, uses BLOB NOT NULL);
    CREATE TABLE edges (
        file INTEGER NOT NULL, layer TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, line INTEGER NOT NULL,
        names TEXT NOT NULL
    );
    CREATE TABLE marker (document TEXT NOT NULL);
"""
_INDEXES = f"CREATE INDEX edges_file ON edges (file); {INDEX}"
_file_values = attrgetter(*_FILE.split(", "))


def rows_schema() -> str:
    """All tables and indexes of such a file."""
    return _tables() + _INDEXES


def _tables() -> str:
    return _SCHEMA + _names.SCHEMA + _occurrences.SCHEMA + _trees.SCHEMA


class RowFileWriter:
    """Files and rows get consecutive numbers in the order in which they are added."""

    def __init__(self, folder: str) -> None:
        self._connection = new_file(os.path.join(folder, ROWS_FILE), _tables())
        self._names = NamesWriter()
        self._occurrences = OccurrencesWriter()
        self._shapes = ShapesWriter()
        self.rows = 0
        self.files = 0

    def add_file(self, each: PackedFile) -> None:
        """Add a file with its rows and its facts."""
        number = self.files
        execute = self._connection.execute
        execute(
            f"INSERT INTO files (number, {_FILE}, first_number) VALUES (?{', ?' * 8})",  # noqa: S608
            (number, *_file_values(each.file), self.rows),
        )
        execute("INSERT INTO texts VALUES (?, ?)", (number, each.text))
        execute("INSERT INTO blocks VALUES (?, ?, ?, ?)", (number, each.symbols, each.chunks, each.uses))
        self._connection.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?)", ((number, *row) for row in each.edges)
        )
        self._names.add(each.defined, number)
        self._add_occurrences(self._occurrences.add(number, each.occurrences))
        shapes, tree = each.tree
        if tree:
            execute("INSERT INTO trees VALUES (?, ?, ?)", (number, self._shapes.numbered(shapes), tree))
        if each.flows:
            execute("INSERT INTO flows VALUES (?, ?)", (number, each.flows))
        self.rows += each.file.chunks
        self.files += 1

    def add_marker(self, marker: dict[str, Any]) -> None:
        """Add the document that says that the snapshot is complete."""
        self._connection.execute("INSERT INTO marker VALUES (?)", (json.dumps(marker, sort_keys=True),))

    def close(self) -> None:
        """Write which files hold which names, commit, and make the indexes."""
        self._add_occurrences(self._occurrences.finish())
        self._connection.executemany("INSERT INTO shapes VALUES (?, ?)", self._shapes.rows())
        # Names come in the order in which they are kept, so that the table is only ever added to.
        self._connection.executemany("INSERT INTO defined VALUES (?, ?)", self._names.blocks())
        self._connection.execute("COMMIT")
        self._connection.executescript(_INDEXES)
        self._connection.close()

    def _add_occurrences(self, rows: Iterable[tuple[int, str, int, bytes]]) -> None:
        self._connection.executemany("INSERT INTO occurrences (run, name, file, block) VALUES (?, ?, ?, ?)", rows)

    def abandon(self) -> None:
        """Close the database without a commit."""
        self._connection.close()


def write_files(folder: str, files: Iterable[FileRow], marker: Mapping[str, Any] | None) -> None:
    """A file that tells which files there are, and nothing of what is in them."""
    connection = new_file(os.path.join(folder, ROWS_FILE), _tables())
    first = 0
    for number, file in enumerate(files):
        values = (number, *_file_values(file), first)
        connection.execute(f"INSERT INTO files (number, {_FILE}, first_number) VALUES (?{', ?' * 8})", values)  # noqa: S608
        first += file.chunks
    if marker is not None:
        connection.execute("INSERT INTO marker VALUES (?)", (json.dumps(marker, sort_keys=True),))
    connection.execute("COMMIT")
    connection.close()


class RowFileReader(NameTable):
    """Read access to the files of one segment, their rows and facts."""

    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, ROWS_FILE))
        self._files = KnownParts[int, tuple[FileRow, int]](_KNOWN_FILES)
        self._blocks = {name: KnownParts[int, Columns](_KNOWN_BLOCKS) for name in ("chunks", "symbols", "uses")}
        self._imports = KnownParts[int, list[str]](_KNOWN_BLOCKS)
        self._rows = KnownParts[tuple[int, int], ChunkRow](_KNOWN_ROWS)
        self._contents: list[tuple[str, str, int]] | None = None
        self._numbered_paths = KnownParts[str, int | None](_KNOWN_FILES)

    def files(self) -> Iterator[FileRow]:
        """Every file, in the order of their numbers."""
        return map(FileRow._make, self._all(f"SELECT {_FILE} FROM files ORDER BY number"))  # noqa: S608

    def missing(self, files: Sequence[int]) -> tuple[BlockTable, list[int]] | None:
        """The blocks of a table elsewhere that are read for what is in some files; None where it is all here."""

    def contents(self) -> list[tuple[str, str, int]]:
        """(path, hash, chunks) of every file."""
        found = self._contents
        if found is None:
            # Each sync asks for it, and a segment that is kept open has it then. A segment's rows bound its files.
            found = self._contents = self._all("SELECT path_key, file_hash, chunks FROM files")
        return found

    def shows(self) -> list[tuple[str, str, str]]:
        """(path, hash, interface hash) of every file."""
        return self._all("SELECT path_key, file_hash, interface_hash FROM files")

    def file(self, path_key: str) -> FileRow | None:
        """A file by its path."""
        found = self._all(f"SELECT {_FILE} FROM files WHERE path_key = ?", path_key)  # noqa: S608
        return FileRow(*found[0]) if found else None

    def paths_starting(self, start: str) -> list[str]:
        """The paths that begin with a text."""
        query = "SELECT path_key FROM files WHERE path_key >= ? AND path_key < ?"
        return [path for (path,) in self._all(query, start, start + chr(0x10FFFF))]

    def file_number(self, path_key: str) -> int | None:
        """The number of a file by its path."""

        def read(_: list[str]) -> Iterable[tuple[str, int | None]]:
            found = self._all("SELECT number FROM files WHERE path_key = ?", path_key)
            return [(path_key, found[0][0] if found else None)]

        return self._numbered_paths.of([path_key], read)[path_key]

    def numbered_files(self, numbers: Sequence[int]) -> dict[int, tuple[FileRow, int]]:
        """File number -> (file, number of its first row)."""
        query = f"SELECT number, first_number, {_FILE} FROM files WHERE number IN ({{}})"  # noqa: S608
        known = self._files.of(
            numbers,
            lambda missing: ((values[0], (FileRow(*values[2:]), values[1])) for values in self._in(query, missing)),
        )
        return {number: known[number] for number in numbers if number in known}

    def placed_files(self) -> list[tuple[int, int, FileRow]]:
        """(file number, number of its first row, file) of every file."""
        found = self._all(f"SELECT number, first_number, {_FILE} FROM files ORDER BY number")  # noqa: S608
        return [(values[0], values[1], FileRow(*values[2:])) for values in found]

    def spans(self, paths: Iterable[str]) -> Iterator[tuple[int, int]]:
        """(first number, count) of the rows of given files; a file's rows stand together."""
        for path in paths:
            yield from self._all("SELECT first_number, chunks FROM files WHERE path_key = ?", path)

    def text(self, file: int) -> bytes:
        """A file's whole text."""
        return self._unpacked(packed.text_in, self._text(file))

    def rows(self, file: int, ordinals: Sequence[int] | None = None) -> list[ChunkRow]:
        """A file's rows, or some of them in the order asked for."""
        (said, _), text = self._numbered(file), self.text(file)
        return self._unpacked(
            lambda chunks: packed.rows_in(said, text, chunks, ordinals), self._columns_of("chunks", file)
        )

    def row(self, file: int, ordinal: int) -> ChunkRow:
        """One row of a file. KnownParts: a file's text is unpacked whole, and good rows answer many questions."""
        place = (file, ordinal)
        return self._rows.of([place], lambda _: [(place, self.rows(file, [ordinal])[0])])[place]

    def heads(self, file: int, ordinals: Sequence[int]) -> dict[int, RowHead]:
        """Some rows of a file without their texts."""
        return self._unpacked(lambda chunks: packed.heads_in(chunks, ordinals), self._columns_of("chunks", file))

    def packed(self, file: int) -> PackedFile:
        """A file as another segment would take it in."""
        said, _ = self._numbered(file)
        query = "SELECT chunks, symbols, uses FROM blocks WHERE file = ?"
        chunks, symbols, uses = self._one(query, file)
        facts = self.facts_of(file)
        defined = packed.folded_names(symbol.name for symbol in facts.symbols)
        placed = self.occurrences_in(file), self.tree(file), self.packed_flows(file)
        return PackedFile(said, self._text(file), chunks, symbols, uses, facts.edges, defined, *placed)

    def definitions_in(self, file: int) -> list[tuple[int, int, str]]:
        """(start line, end line, qualified name) of what a file defines, the outer before the inner."""
        found = [(each.start_line, each.end_line, each.qualified_name) for each in self.symbols_in([file])[file]]
        return sorted(found, key=lambda each: (each[0], -each[1]))

    def imports_of(self, files: Sequence[int]) -> dict[int, list[str]]:
        """What each of some files imports, in order."""
        query = "SELECT file, target FROM edges WHERE kind IN ('import', 'reexport') AND file IN ({}) ORDER BY rowid"

        def read(missing: list[int]) -> Iterable[tuple[int, list[str]]]:
            found: dict[int, list[str]] = {number: [] for number in missing}
            for number, target in self._in(query, missing):
                found[number].append(target)
            return found.items()

        return self._imports.of(files, read)

    def symbols_named(self, folded: Sequence[str]) -> list[tuple[int, SymbolRow]]:
        """(file number, symbol) of every definition with one of some casefolded names."""
        return self.defining(self.files_with(folded), frozenset(folded).__contains__)

    def symbols_starting(self, folded: str) -> list[tuple[int, SymbolRow]]:
        """(file number, symbol) of definitions whose casefolded names begin with a text."""
        return self.defining(self.files_starting(folded), lambda name: name.startswith(folded))

    def all_symbols(self) -> Iterator[tuple[str, SymbolRow]]:
        """(path_key, symbol) of every definition."""
        query = "SELECT path_key, symbols FROM blocks JOIN files ON files.number = blocks.file ORDER BY blocks.file"
        for path, block in self._all(query):
            for symbol in packed.symbols_in(self._unpacked(partial(packed.columns_of, "symbols"), block)):
                yield path, symbol

    def defined(self) -> Iterator[tuple[str, str, str, str, int, int]]:
        """(path_key, name, kind, container, whether others see it, bytes of its signature, else of its name)."""
        for path, symbol in self.all_symbols():
            size = len((symbol.signature or symbol.name).encode())
            yield path, symbol.name, symbol.kind, symbol.container, symbol.exported, size

    def definitions_said(self) -> Iterator[tuple[str, NamedRows]]:
        """(path_key, what is said first of its definitions) of every file that has some."""
        query = "SELECT path_key, symbols FROM blocks JOIN files ON files.number = blocks.file ORDER BY blocks.file"
        for path, block in self._all(query):
            columns = self._unpacked(partial(packed.columns_of, "symbols"), block)
            if columns.rows:
                yield path, packed.named_in(columns)

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
        query = "SELECT number, path_key, language FROM files WHERE path_key IN ({})"
        files = {number: (path, language) for number, path, language in self._in(query, paths)}
        symbols, edges = self.symbols_in(sorted(files)), self._edges_of(sorted(files))
        return {path: (language, symbols[number], edges[number]) for number, (path, language) in files.items()}

    def placed_rows(self, name: str, placed: NamePlaces) -> list[NamePlace]:
        """The places of a name in one file, in order."""
        symbols = self._columns_of("symbols", placed.file)
        return self._unpacked(partial(packed.occurrences_in, name, symbols), placed)

    def flows(self, file: int) -> list[FlowRow]:
        """How values flow in a file, in order of place."""
        symbols = self._columns_of("symbols", file)
        return self._unpacked(partial(packed.flows_in, symbols), self.packed_flows(file))

    def called(self) -> Iterator[tuple[str, str, str]]:
        """(path_key, name, receiver) of every use."""
        query = "SELECT path_key, uses FROM blocks JOIN files ON files.number = blocks.file ORDER BY blocks.file"
        for path, block in self._all(query):
            for name, receiver in packed.called_in(self._unpacked(partial(packed.columns_of, "uses"), block)):
                yield path, name, receiver

    def imports(self) -> list[tuple[str, str, str, str]]:
        """(path_key, kind, target, names) of every import, those of one file in order."""
        return self._all(
            "SELECT path_key, edges.kind, target, names FROM edges JOIN files ON files.number = edges.file "
            "ORDER BY edges.rowid"
        )

    def facts_of(self, file: int) -> Facts:
        """Everything that is known of a file, in the order in which it was written."""
        uses = packed.uses_in(self._columns_of("uses", file))
        return Facts(self.symbols_in([file])[file], tuple(uses), self._edges_of([file])[file])

    def symbols_in(self, files: Sequence[int]) -> Mapping[int, tuple[SymbolRow, ...]]:
        """What each of some files defines, in order."""
        known = self._columns("symbols", files)
        return {number: tuple(packed.symbols_in(known[number])) for number in files}

    def symbols_qualified(self, file: int, name: str) -> list[SymbolRow]:
        """What a file defines under one qualified name, in order."""
        return packed.symbols_qualified(self._columns_of("symbols", file), name)

    def marker(self) -> dict[str, Any] | None:
        """The completion marker, where this segment carries one."""
        found = self._all("SELECT document FROM marker")
        return json.loads(found[0][0]) if found else None

    def counts(self) -> tuple[int, int]:
        """(rows, files)"""
        rows, files = self._all("SELECT coalesce(sum(chunks), 0), count(*) FROM files")[0]
        return rows, files

    def _columns_of(self, name: str, file: int) -> Columns:
        return self._columns(name, [file])[file]

    def _columns(self, name: str, files: Sequence[int]) -> dict[int, Columns]:
        """The columns of one kind of some files, and of others that were asked for before."""
        query = f"SELECT file, {name} FROM blocks WHERE file IN ({{}})"  # noqa: S608
        unpack = partial(packed.columns_of, name)
        known = self._blocks[name].of(
            files,
            lambda missing: ((number, self._unpacked(unpack, block)) for number, block in self._in(query, missing)),
        )
        if lost := [number for number in files if number not in known]:
            raise CorruptStoreError(f"{self.path} has nothing of file {lost[0]}.")
        return known

    def _edges_of(self, files: Sequence[int]) -> dict[int, tuple[EdgeRow, ...]]:
        found: dict[int, list[EdgeRow]] = {number: [] for number in files}
        for values in self._in(f"SELECT file, {_EDGE} FROM edges WHERE file IN ({{}}) ORDER BY rowid", files):  # noqa: S608
            found[values[0]].append(EdgeRow(*values[1:]))
        return {number: tuple(edges) for number, edges in found.items()}

    def defining(self, numbers: list[int], wanted: Callable[[str], bool]) -> list[tuple[int, SymbolRow]]:
        """(file number, symbol) of what some files define under casefolded names that are wanted."""
        symbols = self._columns("symbols", numbers)
        return [(number, each) for number in numbers for each in packed.symbols_where(symbols[number], wanted)]

    def _numbered(self, file: int) -> tuple[FileRow, int]:
        found = self.numbered_files([file]).get(file)
        if found is None:
            raise CorruptStoreError(f"{self.path} has no file {file}.")
        return found

    def _text(self, file: int) -> bytes:
        (text,) = self._one("SELECT text FROM texts WHERE file = ?", file)
        return text

    def _one(self, query: str, file: int) -> tuple[bytes, ...]:
        found = self._all(query, int(file))
        if not found:
            raise CorruptStoreError(f"{self.path} has nothing of file {file}.")
        return found[0]
