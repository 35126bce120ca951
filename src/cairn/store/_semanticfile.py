"""`semantic.sqlite`: the facts of one context, written once and opened immutable."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cairn.base import durable
from cairn.base.errors import CorruptStoreError
from cairn.base.values import as_dict, dataclass
from cairn.store import faults
from cairn.store._immutable import ImmutableFile, address_of, as_storage_errors, new_file
from cairn.store.digest import Digest, digest_folder
from cairn.store.layout import Layout
from cairn.store.manifest import SemanticRef
from cairn.store.semantics import (
    DEFINITION,
    Recorded,
    SemanticFile,
    SemanticFlag,
    SemanticMeta,
    SemanticOccurrence,
    SemanticSymbol,
)

SEMANTIC_FILE = "semantic.sqlite"
_SCHEMA = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
    CREATE TABLE files (
        number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, content_hash TEXT NOT NULL, job_id TEXT NOT NULL
    );
    CREATE TABLE symbols (
        number INTEGER PRIMARY KEY, symbol TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, home TEXT NOT NULL,
        signature TEXT NOT NULL
    );
    CREATE TABLE occurrences (
        file INTEGER NOT NULL, line INTEGER NOT NULL, column INTEGER NOT NULL, end_line INTEGER NOT NULL,
        end_column INTEGER NOT NULL, symbol INTEGER NOT NULL, roles INTEGER NOT NULL,
        PRIMARY KEY (file, line, column, symbol, end_line, end_column, roles)
    ) WITHOUT ROWID;
    CREATE TABLE dependencies (
        file INTEGER NOT NULL, path TEXT NOT NULL, shown TEXT NOT NULL, PRIMARY KEY (file, path)
    ) WITHOUT ROWID;
    CREATE TABLE flags (file INTEGER NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL);
    CREATE TABLE relationships (
        file INTEGER NOT NULL, symbol INTEGER NOT NULL, other INTEGER NOT NULL, kind TEXT NOT NULL
    );
    CREATE TABLE frames (file INTEGER PRIMARY KEY, frame TEXT NOT NULL, lines BLOB NOT NULL);
    CREATE TABLE left_out (path TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_INDEXES = """
    CREATE INDEX occurrences_symbol ON occurrences (symbol);
    CREATE INDEX symbols_name ON symbols (name);
    CREATE INDEX symbols_symbol ON symbols (symbol);
    CREATE INDEX flags_file ON flags (file);
    CREATE INDEX relationships_symbol ON relationships (symbol);
    CREATE INDEX relationships_other ON relationships (other);
"""


def semantic_schema() -> str:
    """All tables and indexes of such a file."""
    return _SCHEMA + _INDEXES


_COUNTED = ("files", "occurrences")
_OCCURRENCE = "line, column, end_line, end_column, symbol, roles"
_SYMBOL = "number, symbol, name, kind, home, signature"
# What is copied from an older segment: symbols under the numbers that they have here, others behind all of these.
_COPY = """
    CREATE TEMP TABLE kept (path TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TEMP TABLE named (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
"""
_COPIES = (
    # A symbol that both know is one symbol; a local one is its file's alone.
    "INSERT INTO named SELECT theirs.number, ours.number FROM older.symbols AS theirs "
    "JOIN symbols AS ours ON ours.symbol = theirs.symbol WHERE theirs.home = '' AND ours.home = ''",
    "INSERT INTO named SELECT number, number + :above FROM older.symbols WHERE number NOT IN (SELECT old FROM named) "
    "AND number IN (SELECT symbol FROM older.occurrences JOIN older.files AS f ON f.number = file "
    "JOIN kept ON kept.path = f.path UNION SELECT other FROM older.relationships)",
    "INSERT INTO symbols SELECT named.new, theirs.symbol, name, kind, home, signature FROM older.symbols AS theirs "
    "JOIN named ON named.old = theirs.number WHERE named.new > :above",
    "INSERT INTO files SELECT number + :files, theirs.path, content_hash, job_id FROM older.files AS theirs "
    "JOIN kept ON kept.path = theirs.path",
    "INSERT INTO occurrences SELECT file + :files, line, column, end_line, end_column, named.new, roles "
    "FROM older.occurrences JOIN named ON named.old = symbol JOIN files ON files.number = file + :files",
    "INSERT INTO dependencies SELECT file + :files, d.path, shown FROM older.dependencies AS d "
    "JOIN files ON files.number = file + :files",
    "INSERT INTO flags SELECT file + :files, line, kind, what FROM older.flags "
    "JOIN files ON files.number = file + :files",
    "INSERT INTO relationships SELECT file + :files, s.new, o.new, kind FROM older.relationships "
    "JOIN files ON files.number = file + :files "
    "JOIN named AS s ON s.old = symbol JOIN named AS o ON o.old = other",
)
_COPY_FRAMES = (
    "INSERT INTO frames SELECT file + :files, frame, lines FROM older.frames JOIN files ON files.number = file + :files"
)
_HAS = "SELECT 1 FROM {}sqlite_master WHERE name = '{}'"
"""Whether there is a table: segments that were written before have no `frames` and no `left_out`."""


def semantic_name(snapshot_id: str, sequence: int) -> str:
    """The name of a snapshot's semantic segment."""
    return f"sem_{snapshot_id}_{sequence}"


@dataclass(frozen=True, slots=True)
class SemanticMade:
    """A semantic segment that is written and durable, and lies where nobody looks yet."""

    folder: str
    meta: SemanticMeta
    files: int
    occurrences: int
    digest: Digest
    replaces: str | None
    """The segment of its context that it was made to replace: with another one in between it is refused."""


class SemanticWriter:
    """Writes the facts of one context into a folder of its own; nothing of it counts before it is published."""

    def __init__(self, layout: Layout, folder: str, meta: SemanticMeta) -> None:
        self._layout = layout
        self._folder = folder
        self._meta = meta
        self._replaces: str | None = None
        self._files: dict[str, int] = {}
        self._above = 0
        layout.make_folder(folder)
        with as_storage_errors():
            self._connection = new_file(os.path.join(folder, SEMANTIC_FILE), _SCHEMA)

    def add_file(
        self, file: SemanticFile, occurrences: Iterable[SemanticOccurrence | tuple[int, int, int, int, int, int]]
    ) -> None:
        """Add a file with its occurrences, each place and symbol once."""
        number = self._files[file.path] = len(self._files)
        with as_storage_errors():
            self._connection.execute("INSERT INTO files VALUES (?, ?, ?, ?)", (number, *file))
            # In order of the key: then each row goes behind the last.
            self._connection.executemany(
                f"INSERT OR IGNORE INTO occurrences (file, {_OCCURRENCE}) VALUES ({number}{', ?' * 6})",  # noqa: S608
                sorted(occurrences),
            )

    def add_symbols(self, symbols: Iterable[SemanticSymbol]) -> None:
        """Add symbols, whose numbers are the caller's."""
        with as_storage_errors():
            self._connection.executemany("INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?)", symbols)

    def add_relationships(self, path: str, relationships: Iterable[tuple[int, int, str]]) -> None:
        """(symbol, other symbol, kind) by number, as a file tells them."""
        number = self._files[path]
        with as_storage_errors():
            self._connection.executemany(
                "INSERT INTO relationships VALUES (?, ?, ?, ?)", ((number, *each) for each in relationships)
            )

    def add_dependencies(self, path: str, dependencies: Mapping[str, str]) -> None:
        """What a file that was added depends on, each with what it showed."""
        number = self._files[path]
        with as_storage_errors():
            self._connection.executemany(
                "INSERT INTO dependencies VALUES (?, ?, ?)",
                ((number, target, shown) for target, shown in dependencies.items()),
            )

    def add_frame(self, path: str, frame: str, lines: bytes) -> None:
        """By what a file can be told to mean the same after an edit, and the marks of its lines."""
        with as_storage_errors():
            self._connection.execute("INSERT INTO frames VALUES (?, ?, ?)", (self._files[path], frame, lines))

    def add_flags(self, path: str, flags: Iterable[SemanticFlag]) -> None:
        """Add what makes the facts of a file ambiguous."""
        number = self._files[path]
        with as_storage_errors():
            self._connection.executemany("INSERT INTO flags VALUES (?, ?, ?, ?)", ((number, *flag) for flag in flags))

    def add_left_out(self, paths: Iterable[str]) -> None:
        """Files that the tool was asked for and has nothing about."""
        with as_storage_errors():
            self._connection.executemany("INSERT INTO left_out VALUES (?)", ((path,) for path in paths))

    def expect(self, older: str | None) -> None:
        """Name the segment of the context that this one takes the place of."""
        self._replaces = older

    def copy(self, older: str, folder: str, paths: Iterable[str]) -> None:
        """Take over the facts of some files from the segment that this one replaces; after all else was added."""
        self._replaces = older
        with as_storage_errors():
            self._connection.execute("COMMIT")
            address = address_of(os.path.join(folder, SEMANTIC_FILE), immutable=True)
            self._connection.execute("ATTACH DATABASE ? AS older", (address,))
            self._connection.executescript(_COPY)
            self._connection.execute("BEGIN")
            wanted = ((path,) for path in paths if path not in self._files)
            self._connection.executemany("INSERT OR IGNORE INTO kept VALUES (?)", wanted)
            (above,) = self._connection.execute("SELECT coalesce(max(number), 0) FROM symbols").fetchone()
            framed = self._connection.execute(_HAS.format("older.", "frames")).fetchone() is not None
            for statement in (*_COPIES, *((_COPY_FRAMES,) if framed else ())):
                self._connection.execute(statement, {"above": above + 1, "files": len(self._files)})
            self._connection.execute("COMMIT")
            self._connection.execute("DETACH DATABASE older")
            self._connection.execute("BEGIN")

    def finish(self) -> SemanticMade:
        """Write the rest, make all of it durable, and only then take the hashes."""
        with as_storage_errors():
            self._connection.executemany("INSERT INTO meta VALUES (?, ?)", as_dict(self._meta).items())
            self._connection.execute("COMMIT")
            self._connection.executescript(_INDEXES)
            self._connection.close()
        os.chmod(os.path.join(self._folder, SEMANTIC_FILE), self._layout.kind.file_mode)
        faults.reach("semantic.written")
        durable.sync_tree(self._folder)
        digest = digest_folder(self._folder)
        faults.reach("semantic.hashed")
        files, occurrences = counted(self._folder)
        return SemanticMade(self._folder, self._meta, files, occurrences, digest, self._replaces)

    def abandon(self) -> None:
        """Close the database of a segment that will never be finished."""
        self._connection.close()


class SemanticReader(ImmutableFile):
    """Read access to one semantic segment; which of its files may be served is not known here."""

    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, SEMANTIC_FILE))

    def meta(self) -> SemanticMeta:
        """Where the facts come from."""
        said = dict(self._all("SELECT key, value FROM meta"))
        try:
            return SemanticMeta(**said)
        except TypeError as error:
            raise CorruptStoreError(f"{self.path} doesn't say where its facts come from.") from error

    def counts(self) -> tuple[int, int]:
        """Files and occurrences, counted in the data."""
        ((files,), (occurrences,)) = (self._all(f"SELECT count(*) FROM {table}")[0] for table in _COUNTED)  # noqa: S608
        return files, occurrences

    def files(self) -> Iterator[SemanticFile]:
        """Every file that facts are recorded of, by path."""
        return map(SemanticFile._make, self._all("SELECT path, content_hash, job_id FROM files ORDER BY path"))

    def file(self, path: str) -> SemanticFile | None:
        """A file that facts are recorded of."""
        found = self._all("SELECT path, content_hash, job_id FROM files WHERE path = ?", path)
        return SemanticFile(*found[0]) if found else None

    def frame(self, path: str) -> tuple[str, bytes] | None:
        """By what a file can be told to mean the same after an edit, and the marks of its lines."""
        if not self._all(_HAS.format("", "frames")):
            return None
        query = "SELECT frame, lines FROM frames JOIN files ON number = file WHERE path = ?"
        return next(iter(self._all(query, path)), None)

    def left_out(self) -> list[str]:
        """Files that the tool was asked for and has nothing about, in order."""
        if not self._all(_HAS.format("", "left_out")):
            return []
        return [path for (path,) in self._all("SELECT path FROM left_out ORDER BY path")]

    def recorded(self) -> dict[str, Recorded]:
        """What was recorded of every file: what states are computed from."""
        dependencies: dict[int, dict[str, str]] = {}
        for file, path, shown in self._all("SELECT file, path, shown FROM dependencies"):
            dependencies.setdefault(file, {})[path] = shown
        flags: dict[int, list[SemanticFlag]] = {}
        for file, *flag in self._all("SELECT file, line, kind, what FROM flags ORDER BY file, line, kind, what"):
            flags.setdefault(file, []).append(SemanticFlag(*flag))
        return {
            path: Recorded(content_hash, dependencies.get(number, {}), tuple(flags.get(number, ())))
            for number, path, content_hash in self._all("SELECT number, path, content_hash FROM files")
        }

    def occurrences_in(self, path: str) -> list[SemanticOccurrence]:
        """What stands in a file, in order of place."""
        query = f"SELECT {_OCCURRENCE} FROM occurrences JOIN files ON number = file WHERE path = ?"  # noqa: S608
        return [SemanticOccurrence(*row) for row in self._all(f"{query} ORDER BY line, column, symbol", path)]

    def occurrences_on(self, path: str, lines: Sequence[int]) -> list[SemanticOccurrence]:
        """What begins on some lines of a file, in order of place."""
        found = self._all("SELECT number FROM files WHERE path = ?", path)
        query = f"SELECT {_OCCURRENCE} FROM occurrences WHERE file = {{}} AND line IN ({{{{}}}})"  # noqa: S608
        return sorted(SemanticOccurrence(*row) for (file,) in found for row in self._in(query.format(file), lines))

    def occurrences_of(self, symbols: Sequence[int], *, defining: bool = False) -> list[tuple[str, SemanticOccurrence]]:
        """Every place of some symbols with its file, or those that define them, in order of file and place."""
        query = f"SELECT path, {_OCCURRENCE} FROM occurrences JOIN files ON number = file WHERE symbol IN ({{}})"  # noqa: S608
        query += f" AND roles & {DEFINITION}" if defining else ""
        found = [(row[0], SemanticOccurrence(*row[1:])) for row in self._in(query, symbols)]
        return sorted(found)

    def symbols(self, numbers: Sequence[int]) -> dict[int, SemanticSymbol]:
        """Symbols by their numbers."""
        query = f"SELECT {_SYMBOL} FROM symbols WHERE number IN ({{}})"  # noqa: S608
        return {row[0]: SemanticSymbol(*row) for row in self._in(query, sorted(set(numbers)))}

    def symbols_named(self, name: str) -> list[SemanticSymbol]:
        """Symbols that others can name, by their own name."""
        query = f"SELECT {_SYMBOL} FROM symbols WHERE name = ? AND home = '' ORDER BY number"  # noqa: S608
        return [SemanticSymbol(*row) for row in self._all(query, name)]

    def definers(self, symbols: Sequence[str]) -> Iterator[tuple[str, str]]:
        """(symbol, file that defines it) of symbols that others can name."""
        query = (
            "SELECT DISTINCT s.symbol, path FROM symbols AS s JOIN occurrences AS o ON o.symbol = s.number "
            "JOIN files ON files.number = file WHERE home = '' AND roles & 1 AND s.symbol IN ({})"
        )
        return iter(self._in(query, symbols))

    def leanings(self) -> Iterator[tuple[str, list[str], int]]:
        """For each file and each thing of other files that it uses: the files that define it, and how often it does."""
        paths = dict(self._all("SELECT number, path FROM files"))
        shared = "FROM occurrences AS o JOIN symbols ON number = o.symbol WHERE home = ''"
        homes: dict[int, set[int]] = {}
        for symbol, file in self._all(f"SELECT DISTINCT o.symbol, file {shared} AND roles & {DEFINITION}"):
            homes.setdefault(symbol, set()).add(file)
        counts = f"SELECT file, o.symbol, count(*) {shared} AND NOT roles & {DEFINITION} GROUP BY file, o.symbol"
        for file, symbol, times in self._all(counts):
            owners = homes.get(symbol, ())
            if owners and file not in owners:
                yield paths[file], sorted(paths[owner] for owner in owners), times

    def related(self, symbols: Sequence[int]) -> list[tuple[str, int, int, str]]:
        """(file that tells it, symbol, other, kind) of relationships that some symbols have, from either side."""
        query = "SELECT path, symbol, other, kind FROM relationships JOIN files ON number = file WHERE {} IN ({{}})"
        return sorted({row for side in ("symbol", "other") for row in self._in(query.format(side), symbols)})


def counted(folder: str) -> tuple[int, int]:
    """Files and occurrences of a segment."""
    with contextlib.closing(SemanticReader(folder)) as reader:
        return reader.counts()


def copy_semantic(layout: Layout, ref: SemanticRef, source: str, folder: str) -> SemanticMade:
    """Copy the published facts of a context into a folder of another store; CorruptStoreError where they differ."""
    layout.make_folder(folder)
    durable.copy_file(os.path.join(source, SEMANTIC_FILE), os.path.join(folder, SEMANTIC_FILE), layout.kind.file_mode)
    durable.sync_tree(folder)
    if digest_folder(folder) != ref.digest:
        raise CorruptStoreError(f"segments/{ref.segment_id} is not what was written.")
    with contextlib.closing(SemanticReader(folder)) as reader:
        return SemanticMade(folder, reader.meta(), ref.files, ref.occurrences, ref.digest, None)
