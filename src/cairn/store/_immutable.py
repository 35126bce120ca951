"""SQLite files of segments: written once without a journal, and opened immutable ever after."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.base.errors import CairnError, CorruptStoreError, StorageError
from cairn.base.shortage import shortage_of

AT_ONCE = 500


def address_of(path: str, *, immutable: bool) -> str:
    """The address by which SQLite opens a file."""
    # `immutable` promises SQLite that nobody writes: it takes no lock and makes no side files.
    # SQLite gives these three characters a meaning in an address.
    said = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{said}" + ("?mode=ro&immutable=1" if immutable else "")


def new_file(path: str, schema: str) -> sqlite3.Connection:
    """A file that is being made, within its one transaction."""
    connection = sqlite3.connect(address_of(path, immutable=False), uri=True, isolation_level=None)
    # It counts only once the barrier has synced it: no journal is needed. What a blob leaves free of its last page is
    # half of one on average, so that pages are small.
    connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=1024;")
    connection.executescript(schema)
    connection.execute("BEGIN")
    return connection


@contextlib.contextmanager
def as_storage_errors() -> Iterator[None]:
    """A full disk speaks through SQLite and Tantivy in words of their own."""
    try:
        yield
    except (sqlite3.Error, ValueError) as error:
        raise StorageError(f"The segment can't be written: {error}.") from error


class ImmutableFile:
    """Questions to one file; whatever SQLite has against it is damage."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._connection = sqlite3.connect(address_of(path, immutable=True), uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._corrupt(error) from error

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def __del__(self) -> None:
        # A connection refers to itself by its cache of statements, so that nobody who lets go of it closes it.
        if hasattr(self, "_connection"):
            self._connection.close()

    def _in(self, query: str, values: Sequence[int] | Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of a query with one list in it, which is asked in parts of a bearable length."""
        for start in range(0, len(values), AT_ONCE):
            # Numbers of NumPy are none to SQLite.
            some = [value if isinstance(value, str) else int(value) for value in values[start : start + AT_ONCE]]
            yield from self._all(query.format(",".join("?" * len(some))), *some)

    def _all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._corrupt(error) from error

    def _corrupt(self, error: sqlite3.Error) -> CairnError:
        return shortage_of(error) or CorruptStoreError(f"{self.path} can't be read: {error}.")
