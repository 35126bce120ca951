"""A snapshot whose segments lie elsewhere as tables: what of it is here, and how it is opened.

    <home>/asked/<key>/      an ordinary store, but for its segments: these hold what every question needs of a table

So it is pinned, verified and read through a SnapshotView like any other. It is made anew wherever it is damaged.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from cairn.base import durable, lazy
from cairn.base.columns import DAMAGE
from cairn.base.errors import BusyError, CairnError, CorruptStoreError
from cairn.base.terms import term_hash
from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass, replace
from cairn.engines.kept import KeptVectors
from cairn.store._askedparts import DIRECTORY_FILE, ROWS_FILE, SAID_FILE, AskedParts, AskedSegment, read_said, said_in
from cairn.store._codes import codes_bytes
from cairn.store._rowfile import write_files
from cairn.store._segment import SegmentReader
from cairn.store._terms import path_hash
from cairn.store.askable import (
    CODED_ROWS,
    FILES_AT_ONCE,
    ROWS_AT_ONCE,
    name_key,
    number_key,
    path_key,
    split_files,
    term_key,
)
from cairn.store.blocktable import Blocks, BlockTable, read_together
from cairn.store.digest import digest_folder
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest, SegmentRef, encode
from cairn.store.readers import exclusive_readers
from cairn.store.recovery import read_manifest
from cairn.store.rows import FileRow
from cairn.store.shelf import Shelf

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

_ENGINE = "flat"
"""Nobody asks an engine for anything: the vectors are read from the tables."""
IsKey = Callable[[str], bool]
"""Whether a text can be the path of a file of a tree."""


@dataclass(frozen=True, slots=True)
class AskableTable:
    """The table of a segment, and where its directory stands in it."""

    segment_id: str
    name: str
    """The sha256 of all of its bytes."""
    size: int
    at: int
    """Where the blocks end and the directory begins, which ends with the table."""
    digest: str
    """The sha256 of the directory."""


class AskedShelf(Shelf):
    """Segments that are read from tables."""

    def __init__(self, blocks: Blocks, kept: KeptVectors) -> None:
        super().__init__()
        self._blocks = blocks
        self._kept = kept
        self._parts: dict[str, AskedParts] = {}

    def expect(self, terms: Iterable[str], names: Iterable[str], *, with_vectors: bool) -> None:
        """Have all that a question asks first at hand, by one look at where it lies."""
        said = [*terms]
        keys = [*(term_key(term_hash(term)) for term in said), *(path_key(path_hash(term)) for term in said)]
        keys += [name_key(name.casefold()) for name in names]
        wanted = []
        for parts in self._parts.values():
            more = parts.said.vector_keys if with_vectors and not parts.vectors.is_here else []
            wanted.append((parts.table, parts.table.missing([*keys, *more])))
        # What is damaged is told by whoever asks for it: it may be the vectors alone.
        with contextlib.suppress(CorruptStoreError):
            read_together(wanted)

    def _opened(self, layout: Layout, ref: SegmentRef, dead: frozenset[str]) -> SegmentReader:
        parts = AskedParts(layout.segment(ref.segment_id), self._blocks, self._kept)
        self._parts[ref.segment_id] = parts
        return SegmentReader(layout, ref, dead, parts)


def make_asked(
    layout: Layout,
    manifest: Manifest,
    tables: Sequence[AskableTable],
    directory_of: Callable[[AskableTable], bytes],
    blocks: Blocks,
    is_key: IsKey,
) -> None:
    """Have a snapshot here as far as every question needs it; CorruptStoreError for tables that are not its own.

    Its tombstones are here already; its history may come later.
    """
    refs, markers = [], []
    for ref, named in zip(manifest.segments, tables, strict=True):
        folder = layout.segment(ref.segment_id)
        if _named_in(folder) != named.name:
            _make_segment(layout, ref, named, directory_of(named), blocks, is_key)
        refs.append(replace(ref, engine=_ENGINE, digest=digest_folder(folder)))
        markers.append(read_said(folder)[1].marker or {})
    if all(marker.get("snapshotId") != manifest.snapshot_id for marker in markers):
        raise CorruptStoreError(f"No table has the marker of snapshot {manifest.snapshot_id}.")
    own = replace(manifest, segments=tuple(refs), semantics=(), file_index=())
    # The manifest comes last: whoever finds it finds all that it names.
    _write(layout, layout.manifest(manifest.snapshot_id), encode(own))


def is_here(layout: Layout, manifest: Manifest, tables: Sequence[AskableTable]) -> bool:
    """Whether a snapshot is here as far as every question needs it."""
    try:
        here = read_manifest(layout, manifest.snapshot_id)
    except (CairnError, OSError):
        return False
    return here.history == manifest.history and all(
        _named_in(layout.segment(table.segment_id)) == table.name for table in tables
    )


def bytes_to_hold(manifest: Manifest) -> int:
    """So many bytes of a snapshot every question reads."""
    return sum(codes_bytes(ref.rows, ref.dimension) for ref in manifest.segments if ref.rows >= CODED_ROWS)


def forget_others(layout: Layout, manifest: Manifest) -> None:
    """Remove what only other snapshots need, unless somebody is reading."""
    with contextlib.suppress(BusyError), exclusive_readers(layout):
        files = [*manifest.tombstones, *([manifest.history] if manifest.history is not None else [])]
        snapshots = {manifest.snapshot_id, *(ref.path.split("/")[1] for ref in files)}
        for folder, kept in ((layout.snapshots, snapshots), (layout.segments, manifest.segment_ids)):
            for name in set(os.listdir(folder)) - kept:
                durable.remove(os.path.join(folder, name), ignore_errors=True)


def _make_segment(
    layout: Layout, ref: SegmentRef, named: AskableTable, directory: bytes, blocks: Blocks, is_key: IsKey
) -> None:
    table = BlockTable(named.name, directory, blocks)
    header = table.get([b"a"]).get(b"a", b"null")
    said = said_in(header, named.name)
    if (said.segment_id, said.rows, said.files, said.dimension) != (ref.segment_id, ref.rows, ref.files, ref.dimension):
        raise CorruptStoreError(f"The table {named.name} is not that of {ref.segment_id}.")
    try:
        files = [*_files_in(table, said)]
        lengths = np.frombuffer(_lengths_in(table, said), dtype="<u4")
    except (*DAMAGE, TypeError, KeyError) as error:
        raise CorruptStoreError(f"The table {named.name} can't be read: {error!r}.") from error
    chunks = [file.chunks for file in files]
    if (len(files), sum(chunks), len(lengths)) != (ref.files, ref.rows, ref.rows):
        raise CorruptStoreError(f"The table {named.name} doesn't hold {ref.rows} rows of {ref.files} files.")
    if strange := next((file.path_key for file in files if not is_key(file.path_key)), None):
        raise CorruptStoreError(f"The table {named.name} names a file that no tree can have: {strange[:200]!r}.")
    staged = os.path.join(layout.staging, new_ulid())
    layout.make_folder(staged)
    try:
        write_files(staged, files, said.marker)
        of_rows = np.repeat(np.arange(len(files), dtype="<u4"), chunks)
        for name, data in (
            (ROWS_FILE, lengths.tobytes() + of_rows.tobytes()),
            (DIRECTORY_FILE, directory),
            (SAID_FILE, f"{named.name}\n".encode() + header),
        ):
            layout.write_cache(os.path.join(staged, name), data)
        os.chmod(os.path.join(staged, "rows.sqlite"), layout.kind.file_mode)
        durable.sync_tree(staged)
        durable.remove(layout.segment(ref.segment_id), ignore_errors=True)
        durable.move(staged, layout.segment(ref.segment_id))
    finally:
        durable.remove(staged, ignore_errors=True)


def _files_in(table: BlockTable, said: AskedSegment) -> Iterable[FileRow]:
    keys = [number_key(b"c", first) for first in range(0, said.files, FILES_AT_ONCE)]
    found = table.get(keys)
    return chain.from_iterable(split_files(found[key]) for key in keys)


def _lengths_in(table: BlockTable, said: AskedSegment) -> bytes:
    keys = [number_key(b"l", first) for first in range(0, said.rows, ROWS_AT_ONCE)]
    found = table.get(keys)
    return b"".join(found[key] for key in keys)


def _named_in(folder: str) -> str:
    """The name of the table that a folder is of; empty where there is none that can be read."""
    try:
        return read_said(folder)[0]
    except CairnError:
        return ""


def _write(layout: Layout, path: str, data: bytes) -> None:
    if not os.path.isdir(os.path.dirname(path)):
        layout.make_folder(os.path.dirname(path))
    layout.write_file(path, data)
