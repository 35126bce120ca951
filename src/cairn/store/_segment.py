"""A segment: a folder written once. Only `publish` and `SnapshotView` come here."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from cairn.base import durable, lazy
from cairn.base.errors import InvalidRowError
from cairn.engines import Mask, Numbers, VectorReader, Vectors, engine_named, lies_outside
from cairn.engines.flat import shortest
from cairn.kernel.grams import grams_of
from cairn.store import faults
from cairn.store._fewrows import MOST_ROWS, FewRows
from cairn.store._immutable import as_storage_errors
from cairn.store._matched import LEXICAL_FOLDER, Lexical
from cairn.store._rowfile import RowFileReader, RowFileWriter
from cairn.store._terms import Terms, TermsReader, TermsWriter
from cairn.store._trigrams import TrigramsReader, TrigramsWriter
from cairn.store.breaker import asking
from cairn.store.digest import digest_folder
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.store.manifest import SegmentRef
from cairn.store.packed import PackedFile, text_in
from cairn.store.rows import ChunkRow, FileRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

if TYPE_CHECKING:
    from cairn.store._lexical import LexicalWriter, Postings


_LOOSE_FILES = 256


def segment_name(snapshot_id: str, sequence: int) -> str:
    """The name of a snapshot's segment."""
    return f"seg_{snapshot_id}_{sequence}"


def snapshot_of(segment_id: str) -> str:
    """The snapshot that a segment was written for."""
    return segment_id.split("_")[1]


class SegmentWriter:
    """Writes one segment into a folder of its own; nothing of it counts before `finish`."""

    def __init__(
        self,
        layout: Layout,
        folder: str,
        segment_id: str,
        *,
        engine: str,
        dimension: int,
        kind: str,
        lasts: bool = True,
    ) -> None:
        """One that `lasts` is there after a crash; of any other nothing but this process knows."""
        self._lasts = lasts
        self.segment_id = segment_id
        self.kind = kind
        self.dimension = dimension
        self.folder = folder
        self._layout = layout
        self._engine = engine_named(engine, layout.path)
        layout.make_folder(folder)
        self._lexical: LexicalWriter | None = None
        self._few: list[tuple[str, Terms]] = []
        """The first rows, as long as no index of Tantivy is worth its making."""
        with as_storage_errors():
            self._rows = RowFileWriter(folder)
            self._terms = TermsWriter(folder)
            self._trigrams = TrigramsWriter(folder)
        self._finished = False
        self._vectors: list[Vectors] = []
        """Those of the last files; all before them are halves where that loses nothing."""
        self._short_vectors: list[npt.NDArray[np.floating[Any]]] = []
        self._text_bytes = 0

    @property
    def rows(self) -> int:
        """How many rows were added so far."""
        return self._rows.rows

    def add_file(
        self, packed: PackedFile, terms: Sequence[Terms], vectors: Vectors, grams: bytes | None = None
    ) -> None:
        """Add a file; terms and vectors are those of its rows in order, `grams` where they are known already."""
        file = packed.file
        _require_vectors(file, terms, vectors, self.dimension)
        with as_storage_errors():
            number = self._rows.files
            self._rows.add_file(packed)
            for term in terms:
                self._terms.add(number, term)
            self._add_words(file.path_key, terms)
            self._trigrams.add(grams_of(text_in(packed.text)) if grams is None else grams)
        self._vectors.append(vectors)
        self._text_bytes += file.size
        if len(self._vectors) >= _LOOSE_FILES:
            self._shorten_vectors()

    def has_room(self, file: FileRow, most_rows: int, most_bytes: int) -> bool:
        """Whether the segment stays within bounds with one more file; one file alone always does."""
        within = self.rows + file.chunks <= most_rows and self._text_bytes + file.size <= most_bytes
        return within or not self.rows

    def _shorten_vectors(self) -> None:
        if self._vectors:
            self._short_vectors.append(shortest(np.concatenate(self._vectors)))
            self._vectors = []

    def _add_words(self, path_key: str, terms: Sequence[Terms]) -> None:
        self._few += ((path_key, term) for term in terms)
        if self._lexical is None:
            if len(self._few) <= MOST_ROWS:
                return
            from cairn.store._lexical import LexicalWriter  # Tantivy is loaded by those who need it

            self._lexical = LexicalWriter(self.folder)
        for path, term in self._few:
            self._lexical.add(path, term)
        self._few = []

    def finish(self, marker: dict[str, Any] | None) -> SegmentRef:
        """Write the rest, make all of it durable, and only then take the hashes."""
        with as_storage_errors():
            reference = self._finish(marker)
        self._finished = True
        return reference

    def abandon(self) -> None:
        """Let go of the files of a segment that will never be finished."""
        if not self._finished:
            self._rows.abandon()
            self._terms.abandon()
            if self._lexical is not None:
                self._lexical.abandon()

    def _write_vectors(self) -> None:
        self._shorten_vectors()
        parts, self._short_vectors = self._short_vectors, []
        vectors = np.concatenate(parts) if parts else np.empty((0, self.dimension), dtype=np.float32)
        # The next question needn't find out by itself that nobody answers.
        with contextlib.nullcontext() if self._engine.name == "flat" else asking(self._layout, at_once=True):
            self._engine.write(self.folder, vectors)

    def _finish(self, marker: dict[str, Any] | None) -> SegmentRef:
        # Tantivy works while the rest is written: it needs the interpreter for none of it.
        with _beside(self._lexical.close) if self._lexical is not None else contextlib.nullcontext():
            if marker is not None:
                self._rows.add_marker(marker)
            self._rows.close()
            faults.reach("segment.rows_written")
            self._write_vectors()
            self._terms.close(alone=self._lexical is None)
            self._trigrams.close()
            faults.reach("segment.vectors_written")
        faults.reach("segment.lexical_written")
        _set_modes(self._layout, self.folder)
        if self._lasts:
            durable.sync_tree(self.folder)
        faults.reach("segment.synced")
        digest = digest_folder(self.folder)
        faults.reach("segment.hashed")
        return SegmentRef(
            self.segment_id, self.kind, self._engine.name, self.dimension, self._rows.rows, self._rows.files, digest
        )


class Parts(Protocol):
    """What a segment holds, each part opened with its first use."""

    @property
    def rows(self) -> RowFileReader:
        """Files, their rows and facts."""

    @property
    def vectors(self) -> VectorReader:
        """The embeddings of the rows."""

    @property
    def terms(self) -> TermsReader:
        """How often the rows hold each term."""

    @property
    def trigrams(self) -> TrigramsReader:
        """Which files hold which trigrams."""

    def lexical(self, dead: frozenset[str], live: Mask | None) -> Lexical:
        """The postings without what is dead, which both tell of: paths and rows."""


class _Parts:
    """The files of a segment's folder."""

    def __init__(self, layout: Layout, ref: SegmentRef) -> None:
        self._layout = layout
        self._store = layout.path
        self.folder = layout.segment(ref.segment_id)
        self._ref = ref

    @cached_property
    def rows(self) -> RowFileReader:
        return RowFileReader(self.folder)

    @cached_property
    def postings(self) -> Postings:
        from cairn.store._lexical import Postings

        return Postings(self.folder)

    @cached_property
    def vectors(self) -> VectorReader:
        if self._ref.engine == "lancedb":
            # A foreign library can end the process over a file that is damaged: it opens only what was checked now.
            Verifier(self._layout).check_content(f"segments/{self._ref.segment_id}", self._ref.digest)
        return engine_named(self._ref.engine, self._store).open(self.folder, self._ref.rows, self._ref.dimension)

    @cached_property
    def terms(self) -> TermsReader:
        return TermsReader(self.folder, self._ref.rows)

    @cached_property
    def trigrams(self) -> TrigramsReader:
        return TrigramsReader(self.folder, self._ref.files)

    def lexical(self, dead: frozenset[str], live: Mask | None) -> Lexical:
        if self._ref.rows <= MOST_ROWS and not os.path.isdir(os.path.join(self.folder, LEXICAL_FOLDER)):
            return FewRows(self.terms, self._ref.rows, live)
        from cairn.store._lexical import LexicalReader

        return LexicalReader(self.postings, dead, live)


class SegmentReader:
    """One verified segment with the paths that its snapshot hides in it."""

    def __init__(self, layout: Layout, ref: SegmentRef, dead: frozenset[str], parts: Parts | None = None) -> None:
        self.layout = layout
        self.ref = ref
        self.dead = dead
        self._parts = parts or _Parts(layout, ref)

    def hiding(self, dead: frozenset[str]) -> SegmentReader:
        """The same segment as another snapshot sees it."""
        return SegmentReader(self.layout, self.ref, dead, self._parts)

    @property
    def rows(self) -> RowFileReader:
        """Its files, their rows and facts."""
        return self._parts.rows

    @property
    def vectors(self) -> VectorReader:
        """The embeddings of its rows."""
        return self._parts.vectors

    @property
    def terms(self) -> TermsReader:
        """How often its rows hold each term."""
        return self._parts.terms

    @property
    def trigrams(self) -> TrigramsReader:
        """Which of its files hold which trigrams."""
        return self._parts.trigrams

    @cached_property
    def lexical(self) -> Lexical:
        """Its postings, without the dead rows."""
        return self._parts.lexical(self.dead, self.live)

    @cached_property
    def live(self) -> Mask | None:
        """Which row numbers are live; None when all are."""
        if not self.dead:
            return None
        mask = np.ones(self.ref.rows, dtype=np.bool_)
        for first, count in self.rows.spans(self.dead):
            mask[first : first + count] = False
        return mask

    def numbered_rows(self, numbers: Numbers) -> list[ChunkRow]:
        """Rows by their numbers, in the order asked for."""
        files = self.terms.files[numbers].tolist()
        placed = self.rows.numbered_files(sorted(set(files)))
        return [
            self.rows.rows(file, [number - placed[file][1]])[0]
            for file, number in zip(files, numbers.tolist(), strict=True)
        ]

    def verify_outside(self) -> bool:
        """Hold vectors that lie elsewhere against their digest; False where there are none."""
        outside = lies_outside(self.ref.engine, self.layout.path)
        if outside is not None:
            outside.verify(self.layout.segment(self.ref.segment_id), self.ref.rows, self.ref.dimension)
        return outside is not None

    def close(self) -> None:
        """Close what was opened of it."""
        if "rows" in self._parts.__dict__:
            self.rows.close()


@contextlib.contextmanager
def _beside(work: Callable[[], None]) -> Iterator[None]:
    """Do something in a thread beside the block, which ends when both have; what it raises is raised here."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the block ends
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    for error in raised:
        raise error


def _require_vectors(file: FileRow, terms: Sequence[Terms], vectors: Vectors, dimension: int) -> None:
    if vectors.shape != (file.chunks, dimension) or vectors.dtype != np.float32:
        raise InvalidRowError(
            f"{file.path_key}: embeddings of shape {vectors.shape} don't fit {file.chunks} rows of {dimension}."
        )
    if not np.isfinite(vectors).all():
        raise InvalidRowError(f"{file.path_key}: an embedding holds a number that is not finite.")
    if len(terms) != file.chunks:
        raise InvalidRowError(f"{file.path_key}: the terms of {len(terms)} rows don't fit {file.chunks}.")


def _set_modes(layout: Layout, folder: str) -> None:
    """Libraries create files under the process's umask; the store's kind decides."""
    for inside, _, names in os.walk(folder):
        os.chmod(inside, layout.kind.folder_mode)
        for name in names:
            os.chmod(os.path.join(inside, name), layout.kind.file_mode)
