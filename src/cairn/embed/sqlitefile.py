"""What the cache needs of SQLite: transactions, the size of a file, and the codes of its errors."""

import contextlib
import sqlite3
from collections.abc import Iterator


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing of what is written within."""
    # IMMEDIATE: a transaction that starts as a reader can't wait for its turn to write.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def live_bytes(connection: sqlite3.Connection) -> int:
    """How many bytes of the file hold rows: its free pages don't count."""
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * size


def primary_code(error: sqlite3.Error) -> int:
    """The low byte of SQLite's code; errors of Python's own module have none and count as damage."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF
