"""What came from elsewhere, held against all that can be known of it before anything is built on it.

Digests tell that nothing was changed on the way, and nothing of what somebody has written on purpose. So whatever a
reader takes for granted is looked at once: the tables and indexes of each file, the sizes that its streams unpack to,
paths and texts and counts, and that each part opens.
"""

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterator
from functools import cache

from cairn.base import deadline
from cairn.base.columns import DAMAGE
from cairn.base.errors import CorruptStoreError
from cairn.config.project import MAX_FILE_BYTES
from cairn.store import gate
from cairn.store._immutable import address_of
from cairn.store._rowfile import ROWS_FILE, rows_schema
from cairn.store._semanticfile import SEMANTIC_FILE, semantic_schema
from cairn.store.audit import audit
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest, SegmentRef, SemanticRef
from cairn.store.view import SnapshotView

_MOST_BLOCK_BYTES = 64 * 1024 * 1024
"""What a stream of a segment may unpack to; zlib can't make more than 1,032 bytes of one."""
_MOST_INFLATION = 1032
_STREAMS = (
    ("blocks", ("symbols", "chunks", "uses")),
    ("trees", ("shapes", "tree")),
    ("flows", ("flows",)),
    ("occurrences", ("block",)),
    ("defined", ("block",)),
)
_AT_ONCE = 65_536
IsKey = Callable[[str], bool]
"""Whether a text can be the path of a file of a tree."""


def require_sound(layout: Layout, manifest: Manifest, is_key: IsKey, known: Collection[str] = frozenset()) -> str:
    """CorruptStoreError for the first fault of a snapshot; else the digest of its eligible set.

    Of segments that are `known`, which a store of one's own has too, only the digest is taken.
    """
    try:
        return _checked(layout, manifest, is_key, known)
    except (*DAMAGE, KeyError, TypeError, OverflowError, RecursionError, AttributeError) as error:
        # Whatever a reader stumbles over here it would stumble over in the middle of an answer.
        raise CorruptStoreError(f"It can't be read: {error!r}.") from error


def _checked(layout: Layout, manifest: Manifest, is_key: IsKey, known: Collection[str]) -> str:
    _require_counts(manifest)
    for ref in manifest.segments:
        if ref.segment_id in known:
            continue
        _require_rows(os.path.join(layout.segment(ref.segment_id), ROWS_FILE), ref, is_key)
    for semantic in manifest.semantics:
        if semantic.segment_id in known:
            continue
        _require_semantic(os.path.join(layout.segment(semantic.segment_id), SEMANTIC_FILE), semantic, is_key)
    with SnapshotView(layout, snapshot_id=manifest.snapshot_id) as view:
        if drifts := audit(view):
            raise CorruptStoreError(f"It doesn't count what it holds: {drifts[0].message}")
        view.upkeep.open_everything()
        view.upkeep.require_finite(_AT_ONCE)
        return eligible_digest(view)


def eligible_digest(view: SnapshotView) -> str:
    """sha256 over the live files, each by its path and the hash of its content."""
    hasher, former = hashlib.sha256(), ""
    for path, file_hash, _ in sorted(view.rows.contents()):
        if path == former:
            raise CorruptStoreError(f"{path} is live twice.")
        hasher.update(f"{path}\0{file_hash}\n".encode())
        former = path
    return hasher.hexdigest()


def _require_counts(manifest: Manifest) -> None:
    counts = manifest.counts
    rows = sum(ref.rows for ref in manifest.segments)
    files = sum(ref.files for ref in manifest.segments)
    if (rows, files) != (counts.chunks_indexed, counts.files_indexed) or not manifest.segments:
        raise CorruptStoreError(f"Its segments hold {rows} rows of {files} files, which its manifest doesn't count.")
    if len(manifest.segments) > gate.MAX_SEGMENTS_PER_SNAPSHOT:
        raise CorruptStoreError(f"It has {len(manifest.segments)} segments.")
    if gate.tombstone_total(manifest.tombstones) > gate.MAX_TOMBSTONES_PER_SNAPSHOT:
        raise CorruptStoreError("It has more tombstones than a snapshot may have.")


def _require_rows(path: str, ref: SegmentRef, is_key: IsKey) -> None:
    with _File(path, rows_schema()) as file:
        number = first = 0
        query = (
            "SELECT number, path_key, file_hash, size, chunks, first_number, text FROM files "
            "LEFT JOIN texts ON texts.file = files.number ORDER BY number"
        )
        for found, key, file_hash, size, chunks, first_number, text in file.rows(query):
            deadline.check()
            if (found, first_number) != (number, first) or type(chunks) is not int or not 0 <= chunks <= ref.rows:
                raise CorruptStoreError(f"{ref.segment_id} doesn't number its files and rows one after the other.")
            _require_key(key, is_key)
            _require_text(str(key), file_hash, size, text)
            number, first = number + 1, first + chunks
        if (first, number) != (ref.rows, ref.files):
            raise CorruptStoreError(
                f"{ref.segment_id} holds {first} rows of {number} files, not {ref.rows} of {ref.files}."
            )
        for table, columns in _STREAMS:
            for column in columns:
                file.require_bounded(table, column)


def _require_semantic(path: str, ref: SemanticRef, is_key: IsKey) -> None:
    with _File(path, semantic_schema()) as file:
        for (key,) in file.rows("SELECT path FROM files"):
            _require_key(key, is_key)
        for table, count in (("files", ref.files), ("occurrences", ref.occurrences)):
            if next(file.rows(f"SELECT count(*) FROM {table}")) != (count,):  # noqa: S608
                raise CorruptStoreError(f"{ref.segment_id} doesn't count its {table}.")


def _require_key(key: object, is_key: IsKey) -> None:
    if not isinstance(key, str) or not is_key(key):
        raise CorruptStoreError(f"It names a file that no tree can have: {str(key)[:200]!r}.")


def _require_text(key: str, file_hash: object, size: object, text: object) -> None:
    if type(size) is not int or not 0 <= size <= MAX_FILE_BYTES or not isinstance(text, bytes):
        raise CorruptStoreError(f"{key}: its text is missing, or larger than any that is indexed.")
    data = _inflated(text, size, key)
    if len(data) != size or hashlib.sha256(data).hexdigest() != file_hash:
        raise CorruptStoreError(f"{key}: its text is not what its file_hash was taken of.")


def _inflated(stream: bytes, most: int, what: str) -> bytes:
    """What a zlib stream unpacks to; CorruptStoreError for one of more bytes, or that is none."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(stream, most + 1)
    except zlib.error as error:
        raise CorruptStoreError(f"{what}: it can't be unpacked.") from error
    if len(data) > most or not unpacker.eof or unpacker.unused_data:
        raise CorruptStoreError(f"{what}: it unpacks to more than {most:,} bytes, or is cut off.")
    return data


class _File:
    """A SQLite file of ours that somebody else may have made: opened only with the tables that ours have."""

    def __init__(self, path: str, schema: str) -> None:
        self._name = os.path.basename(path)
        self._schema = schema
        try:
            self._connection = sqlite3.connect(address_of(path, immutable=True), uri=True)
        except sqlite3.Error as error:
            raise CorruptStoreError(f"{self._name} can't be read: {error}.") from error

    def __enter__(self) -> "_File":
        try:
            self._connection.execute("PRAGMA trusted_schema=OFF")
            # Other tables, views or generated columns would have questions run what their author wrote.
            if _schema_in(self._connection) != _expected(self._schema):
                raise CorruptStoreError(f"{self._name} has other tables than Cairn makes.")
            if (found := next(self.rows("PRAGMA integrity_check(1)"))) != ("ok",):
                raise CorruptStoreError(f"{self._name} is damaged: {str(found[0])[:200]}.")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            self._connection.close()
            raise CorruptStoreError(f"{self._name} can't be read: {error}.") from error
        except BaseException:
            self._connection.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def rows(self, query: str) -> Iterator[tuple[object, ...]]:
        try:
            yield from self._connection.execute(query)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise CorruptStoreError(f"{self._name} can't be read: {error}.") from error

    def require_bounded(self, table: str, column: str) -> None:
        """No stream unpacks to more than a reader can bear; only one that could is unpacked for it."""
        least = _MOST_BLOCK_BYTES // _MOST_INFLATION
        what = f"{self._name}, {table}.{column}"
        for (block,) in self.rows(f"SELECT {column} FROM {table} WHERE length({column}) > {least}"):  # noqa: S608
            if not isinstance(block, bytes):
                raise CorruptStoreError(f"{what} holds what is no block.")
            _inflated(block, _MOST_BLOCK_BYTES, what)


@cache
def _expected(schema: str) -> frozenset[tuple[object, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema)
        return _schema_in(connection)
    finally:
        connection.close()


def _schema_in(connection: sqlite3.Connection) -> frozenset[tuple[object, ...]]:
    return frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))
