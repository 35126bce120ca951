"""A snapshot as large as one wants: copies of the files of an index, each under paths of its own.

Texts, facts and words are those of real files, and vectors those of real rows with some noise: no two are alike.
There is no tree of that size: only the tables of the snapshot are made, as a push of it would write them.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from cairn.base.ulid import new_ulid
from cairn.codebase.codebase import Codebase
from cairn.engines import Vectors
from cairn.indexing.terms import terms_of_all
from cairn.kernel.grams import grams_of
from cairn.store import ChunkRow, Terms
from cairn.store._segment import SegmentReader, SegmentWriter
from cairn.store.askable import write_table
from cairn.store.asked import AskableTable
from cairn.store.layout import Layout, StoreKind, create_layout
from cairn.store.manifest import SegmentRef, encode
from cairn.store.packed import PackedFile, text_in
from cairn.store.publish import ROWS_PER_SEGMENT
from cairn.team import exchange
from cairn.team.listing import listing_of
from cairn.team.remote import TeamRemote
from cairn.team.tables import make_table

_NOISE = 0.35
_File = tuple[PackedFile, list[Terms], Vectors, bytes]


class _Rows(SegmentWriter):
    """A segment without postings, which no table is made of."""

    def _add_words(self, *_: object) -> None:
        pass


def push_copies(codebase: Codebase, remote: TeamRemote, rows: int, scratch: Path) -> tuple[int, int, int]:
    """Put tables of so many rows and their listing to a remote; rows, files and bytes."""
    layout = create_layout(str(scratch / "copies"), StoreKind.PRIVATE)
    snapshot_id, random = new_ulid(), np.random.default_rng(1)
    tables: list[AskableTable] = []
    refs: list[SegmentRef] = []
    with codebase.view() as view:
        files = [*map(_prepared, view.upkeep.content([ref.segment_id for ref in view.manifest.segments]))]
        left, copy = rows, 0
        while left > 0:
            name = f"seg_{snapshot_id}_{len(refs)}"
            writer = _writer(layout, name, codebase.identity.dimension)
            while left > 0 and writer.rows < ROWS_PER_SEGMENT:
                before = writer.rows
                _add_copy(writer, files, copy, min(left, ROWS_PER_SEGMENT - before), random)
                left, copy = left - (writer.rows - before), copy + 1
            ref = writer.finish({"snapshotId": snapshot_id} if left <= 0 else None)
            refs.append(ref)
            tables.append(_sent(layout, ref, remote, scratch))
        manifest = replace(
            view.manifest,
            snapshot_id=snapshot_id,
            segments=tuple(refs),
            tombstones=(),
            file_index=(),
            semantics=(),
            counts=replace(
                view.manifest.counts,
                chunks_live=sum(ref.rows for ref in refs),
                files_live=sum(ref.files for ref in refs),
            ),
        )
    listing = listing_of(
        encode(manifest),
        commit=manifest.git.head_sha,
        eligible="",
        settings=dict(codebase.parts()),
        repository="copies",
        tables=tables,
    )
    exchange.write_listing(remote, listing, None)
    return sum(ref.rows for ref in refs), sum(ref.files for ref in refs), sum(table.size for table in tables)


def _writer(layout: Layout, name: str, dimension: int) -> SegmentWriter:
    return _Rows(layout, layout.segment(name), name, engine="flat", dimension=dimension, kind="base", lasts=False)


def _prepared(each: tuple[PackedFile, list[ChunkRow], Vectors]) -> _File:
    """All of a file that is the same in every copy; words of its path are not among the terms of many rows."""
    packed, rows, vectors = each
    terms = terms_of_all([""] * len(rows), [row.text for row in rows], [row.symbols for row in rows])
    return packed, terms, vectors, grams_of(text_in(packed.text))


def _add_copy(writer: SegmentWriter, files: Sequence[_File], copy: int, most: int, random: np.random.Generator) -> None:
    added = 0
    for packed, terms, vectors, grams in files:
        if added + len(terms) > most:
            if added:
                return
            continue
        own = replace(packed, file=packed.file._replace(path_key=f"copy{copy}/{packed.file.path_key}"))
        noisy = vectors + _NOISE * random.standard_normal(vectors.shape) / np.sqrt(vectors.shape[1])
        noisy /= np.maximum(np.linalg.norm(noisy, axis=1, keepdims=True), 1e-9)
        writer.add_file(own, terms, noisy.astype(np.float16).astype(np.float32), grams)
        added += len(terms)


def _sent(layout: Layout, ref: SegmentRef, remote: TeamRemote, scratch: Path) -> AskableTable:
    path = str(scratch / f"{ref.segment_id}.table")
    reader = SegmentReader(layout, ref, frozenset())
    table = make_table(ref.segment_id, path, partial(write_table, reader))
    reader.close()
    exchange.write_table(remote, table, path)
    os.unlink(path)
    return table
