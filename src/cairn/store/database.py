"""A small SQLite file of control state that many processes share.

Each use opens the file anew, so that threads and forks share nothing, and each change is one transaction
that holds the write lock from its start: it reads what it then writes over. The rollback journal is on purpose:
with a write-ahead log a mere reader would write files.

The version stands in the file's header and again in a table, so that a header that lies is told from a newer file. What
is damaged is kept under another name, and the file begins anew: nothing in it answers what the code says. Whoever asked
for the work amid which that happens is told.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence

from cairn.base import ownfile
from cairn.base.errors import BusyError, CorruptStoreError, IncompatibleError, StorageError
from cairn.base.incidents import tell_incident
from cairn.base.notes import Note
from cairn.base.shortage import shortage_of

SYNCHRONOUS = "FULL"
"""A change is on the disk before it is told of."""
_BUSY_TIMEOUT_S = 10.0
_FORMAT = "cairn_format"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)


class Database:
    """`make` is called before a write when there is no file yet: it knows the folder and the file's mode.

    With `mends`, a file that lies or is damaged is set aside by whoever comes upon it; else that is the caller's part.
    """

    def __init__(
        self,
        path: str,
        name: str,
        version: int,
        schema: Sequence[str],
        make: Callable[[], None],
        damaged: Callable[[str], CorruptStoreError],
        *,
        mends: bool = True,
    ) -> None:
        self.path = path
        self._name = name
        self._version = version
        self._schema = schema
        self._make = make
        self._damaged = damaged
        self._mends = mends

    def exists(self) -> bool:
        """Whether there is one; a file that its maker left empty is none."""
        try:
            return os.stat(self.path).st_size > 0
        except (FileNotFoundError, NotADirectoryError):
            return False

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to read with; None while the database holds nothing."""
        if not self._usable():
            yield None
            return
        with self._opened(self._readable_as(), mends=self._mends) as connection:
            # A process that died between making the file and its tables leaves one that holds nothing.
            yield connection if self._has_tables(connection) else None

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection within one transaction, which is durable once it is committed."""
        if not self._usable():
            self._make()
        with self._opened("rw", mends=self._mends) as connection:
            connection.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                if not self._has_tables(connection):
                    for statement in self._schema:
                        connection.execute(statement)
                    connection.execute(f"CREATE TABLE {_FORMAT} (version INTEGER NOT NULL)")
                    connection.execute(f"INSERT INTO {_FORMAT} VALUES (?)", (self._version,))  # noqa: S608
                    connection.execute(f"PRAGMA user_version={self._version}")
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def fault(self, read: Callable[[sqlite3.Connection], object] = lambda _: None) -> str:
        """What is wrong with the file, looked at whole and left as it is; empty where it is sound or there is none.

        `read` reads what is in it as its users do.
        """
        if said := ownfile.fault_at(self.path):
            return f"{self.path} {said}"
        try:
            if self.exists():
                with self._opened(self._readable_as()) as connection:
                    (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
                    if said != "ok":
                        return f"{self.path} is damaged: {said}"
                    if self._has_tables(connection):
                        read(connection)
        except CorruptStoreError as error:
            return error.message.removesuffix(".")
        except (BusyError, IncompatibleError, StorageError):
            # It can't be looked at, which says nothing of what is in it.
            pass
        return ""

    def set_aside(self) -> str:
        """Move the file out of the way; its new name, empty when another was faster."""
        aside = ownfile.set_aside(self.path)
        if aside:
            # Its journal belongs to it: beside a new file it would be played into that.
            with contextlib.suppress(FileNotFoundError):
                os.rename(f"{self.path}-journal", f"{aside}-journal")
        return aside

    def _usable(self) -> bool:
        """Whether there is a file to open; one that is damaged is none once it was set aside."""
        try:
            said = ownfile.fault_at(self.path)
            if said:
                raise self._damaged(f"{self.path} {said}.")
            if not self.exists():
                return False
            with self._opened(self._readable_as()) as connection:
                self._has_tables(connection)
        except CorruptStoreError as error:
            if not self._mends or not self._kept(error):
                raise
            return False
        return True

    def _kept(self, error: CorruptStoreError) -> bool:
        """Set a damaged file aside and tell so; False where that can't be done."""
        try:
            kept = os.path.basename(self.set_aside())
        except OSError:
            return False
        if kept:
            fields = {"path": os.path.basename(self.path), "kept": kept, "message": error.message}
            tell_incident(Note("control_damaged", fields))
        return True

    def _readable_as(self) -> str:
        """Read-only, unless a writer died amid its transaction: SQLite has to take that back before anybody can read.

        What was committed is what is read then, so nothing of anybody's is changed by it.
        """
        if os.path.exists(f"{self.path}-journal"):
            try:
                with self._opened("ro") as connection:
                    connection.execute("PRAGMA schema_version").fetchone()
            except StorageError:
                return "rw"
        return "ro"

    @contextlib.contextmanager
    def _opened(self, mode: str, *, mends: bool = False) -> Iterator[sqlite3.Connection]:
        try:
            uri = f"file:{_quoted(self.path)}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_TIMEOUT_S)
            with contextlib.closing(connection):
                connection.row_factory = sqlite3.Row
                yield connection
        except sqlite3.Error as error:
            raise self._mended(self._reported(error), mends) from error
        except (ValueError, IndexError, KeyError, TypeError) as error:
            found = self._damaged(f"{self.path} holds what Cairn did not write: {error}.")
            raise self._mended(found, mends) from error

    def _mended(self, error: Exception, mends: bool) -> Exception:
        """The error for what was found in use: a damaged file is out of the way by then."""
        if mends and isinstance(error, CorruptStoreError) and self._kept(error):
            return type(error)(error.message, hint="Try again: it was set aside, and begins anew.")
        return error

    def _has_tables(self, connection: sqlite3.Connection) -> bool:
        """Whether the file has our tables; IncompatibleError for those of a newer version."""
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if (version != self._version and _stored(connection, tables) != version) or (version == 0 and tables):
            # Whoever writes a newer version says so in both places, and tables come with their version in one step.
            raise self._damaged(f"{self.path} says in its header that it is of version {version}, which it isn't.")
        if version > self._version:
            raise IncompatibleError(
                f"{self._name} is of version {version}; this Cairn reads up to {self._version}.",
                hint="Use the version of Cairn that wrote it.",
            )
        return bool(version)

    def _reported(self, error: sqlite3.Error) -> Exception:
        if (short := shortage_of(error)) is not None:
            return short
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            return self._damaged(f"{self.path} is damaged: {error}.")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return BusyError(f"{self.path} is held by another process.")
        if code == sqlite3.SQLITE_CANTOPEN:
            # SQLite doesn't say why; the system does.
            try:
                os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            except OSError as refused:
                return StorageError(f"{self.path} can't be opened: {refused.strerror}.")
        return StorageError(f"{self.path} can't be used: {error}.")


def _stored(connection: sqlite3.Connection, tables: set[str]) -> int:
    """The version in the table, 0 in a file without one: before there was the table there was one version."""
    if _FORMAT not in tables:
        return 0
    row = connection.execute(f"SELECT version FROM {_FORMAT}").fetchone()  # noqa: S608
    return int(row[0]) if row is not None else 0


def _quoted(path: str) -> str:
    """A path inside a URI: these three characters alone mean something there."""
    return path.translate({ord(sign): f"%{ord(sign):02x}" for sign in "%?#"})
