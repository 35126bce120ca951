"""SnapshotView: the only door to segments.

A view pins one snapshot for as long as it is open: it holds the shared readers' lock, verifies
every artifact, hides what tombstones hide, and only then offers rows, postings and vectors. There
is no other way to a segment, so a deleted file can't show.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from cairn.base import deadline, lazy
from cairn.base.values import dataclass
from cairn.engines import Vectors
from cairn.store import tombstones
from cairn.store._candidates import MAX_CANDIDATES, FileAt, Worth, files_of, matching_rows, near_rows
from cairn.store._segment import SegmentReader
from cairn.store._terms import Hashes, TermMatrix, numbers_in
from cairn.store._trigrams import Clause
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.store.manifest import SegmentRef, SemanticRef
from cairn.store.readers import lock_shared
from cairn.store.recovery import find_active, read_manifest
from cairn.store.rows import NO_FACTS, ChunkRow, EdgeRow, Facts, FileRow, OccurrenceRow, RowHead, SymbolRow, whole_text
from cairn.store.shelf import Shelf

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cairn.store._semanticfile import SemanticWriter
    from cairn.store.served import SemanticFacts
else:
    np = lazy.module("numpy")

T = TypeVar("T", bound=tuple[Any, ...])


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that matched, with the matcher's score."""

    row: ChunkRow
    score: float


@dataclass(frozen=True, slots=True)
class Located:
    """A live file, where it is, and the number of its first row."""

    at: FileAt
    first: int
    file: FileRow


@dataclass(frozen=True, slots=True)
class Evidence:
    """All rows of some files (down) held against a query's terms (across) and its vector."""

    places: tuple[FileAt, ...]
    files: tuple[FileRow, ...]
    starts: npt.NDArray[np.int64]
    """Where the rows of each file begin; a file has one row at least."""
    text: npt.NDArray[np.float64]
    symbols: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    likeness: npt.NDArray[np.float64]


class SnapshotView:
    """One snapshot, pinned and verified."""

    def __init__(
        self,
        layout: Layout,
        *,
        snapshot_id: str | None = None,
        fresh: bool = False,
        leave_out: frozenset[str] = frozenset(),
        shelf: Shelf | None = None,
    ) -> None:
        """`leave_out` names damaged artifacts that a repair does without; nobody else passes it.

        Segments on a `shelf` are left open for the next view.
        """
        self.caution = ""
        """What whoever opened it knows of the codebase, and who reads it should know too."""
        # The lock comes before the pointer is read: a collector that holds it exclusively has
        # either finished before we look or waits until we are done.
        self._root = layout.path
        self._left_out = leave_out
        self._meanings: dict[str, SemanticFacts] = {}
        self._lock = lock_shared(layout)
        try:
            verifier = Verifier(layout, fresh=fresh)
            if snapshot_id is None:
                active = find_active(layout, verifier)
                self.manifest, self.recovered = active.manifest, active.recovered
            else:
                self.manifest, self.recovered = read_manifest(layout, snapshot_id), ""
            verifier.verify(self.manifest, except_for=leave_out)
            verifier.remember()
            dead = tombstones.dead_paths(layout, self.manifest)
            self._shelved = shelf is not None
            self._readers = (shelf or Shelf()).take(
                layout,
                [
                    (ref, dead[ref.segment_id])
                    for ref in self.manifest.segments
                    if f"segments/{ref.segment_id}" not in leave_out
                ],
            )
        except BaseException:
            os.close(self._lock)
            raise

    @property
    def _segments(self) -> list[SegmentReader]:
        # Every question passes here, so this is where one ends that nobody waits for any more.
        deadline.check()
        if self._lock < 0:
            raise ValueError("A view that was closed pins nothing, so it must not answer.")
        return self._readers

    @property
    def segments(self) -> tuple[SegmentRef, ...]:
        """The segments that the view reads."""
        return tuple(segment.ref for segment in self._segments)

    @property
    def semantics(self) -> tuple[SemanticRef, ...]:
        """The semantic segments that the view reads."""
        return tuple(ref for ref in self.manifest.semantics if f"segments/{ref.segment_id}" not in self._left_out)

    def semantic(self, context: str) -> SemanticFacts | None:
        """The semantic facts of a context; None where there are none."""
        from cairn.store._semanticfile import SemanticReader
        from cairn.store.served import SemanticFacts

        if context not in self._meanings:
            ref = next((ref for ref in self.semantics if ref.context == context), None)
            if ref is None:
                return None
            reader = SemanticReader(os.path.join(self._root, "segments", ref.segment_id))
            self._meanings[context] = SemanticFacts(ref, reader, self._live_hash)
        return self._meanings[context]

    def copy_semantic(self, writer: SemanticWriter, context: str, paths: Collection[str]) -> None:
        """Give a new semantic segment the facts of some files of the one that it replaces."""
        ref = next((ref for ref in self.semantics if ref.context == context), None)
        if ref is None:
            writer.expect(None)
        else:
            writer.copy(ref.segment_id, os.path.join(self._root, "segments", ref.segment_id), paths)

    def shows(self) -> Iterator[tuple[str, str, str]]:
        """(path, hash of the content, hash of what others can see of it) of every live file."""
        for segment in self._segments:
            yield from (item for item in segment.rows.shows() if item[0] not in segment.dead)

    @property
    def snapshot_id(self) -> str:
        return self.manifest.snapshot_id

    @property
    def chunks_live(self) -> int:
        return self.manifest.counts.chunks_live

    def files(self) -> Iterator[FileRow]:
        """Every live file."""
        for segment in self._segments:
            for file in segment.rows.files():
                if file.path_key not in segment.dead:
                    yield file

    def contents(self) -> Iterator[tuple[str, str, int]]:
        """(path, hash, chunks) of every live file: what a sync compares the tree with."""
        for segment in self._segments:
            dead = segment.dead
            yield from (item for item in segment.rows.contents() if item[0] not in dead)

    def file(self, path_key: str) -> FileRow | None:
        for segment in self._holding(path_key):
            found = segment.rows.file(path_key)
            if found is not None:
                return found
        return None

    def homes(self) -> Iterator[tuple[str, str]]:
        """(path_key, segment_id) of every live file."""
        for segment in self._segments:
            for file in segment.rows.files():
                if file.path_key not in segment.dead:
                    yield file.path_key, segment.ref.segment_id

    def rows_of(self, path_key: str) -> list[ChunkRow]:
        """A live file's rows in order; empty for a file that the snapshot doesn't have."""
        for segment in self._holding(path_key):
            rows = segment.rows.rows_of(path_key)
            if rows:
                return rows
        return []

    def vectors_of(self, path_key: str) -> Vectors | None:
        """The embeddings of a live file's rows, in their order."""
        for segment in self._holding(path_key):
            for first, count in segment.rows.spans([path_key]):
                return segment.vectors.take(np.arange(first, first + count, dtype=np.int64))
        return None

    def document_frequency(self, field: str, token: str) -> int:
        """How many live rows of the whole view hold a token."""
        return sum(segment.lexical.document_frequency(field, token) for segment in self._segments)

    def matches(self, weights: Mapping[tuple[str, str], float], limit: int) -> list[Hit]:
        """The best live rows of each segment by Tantivy's own score: candidates, not an order."""
        hits = []
        for segment in self._segments:
            found = segment.lexical.numbers(weights, limit, MAX_CANDIDATES)
            rows = segment.rows.rows(found.numbers.tolist())
            hits += [Hit(row, score) for row, score in zip(rows, found.scores.tolist(), strict=True)]
        return hits

    def nearest(self, query: Vectors, limit: int) -> list[Hit]:
        """The live rows with the largest inner product, over all segments."""
        hits = []
        for segment in self._segments:
            numbers, scores = segment.vectors.nearest(query, limit, segment.live)
            rows = segment.rows.rows(numbers.tolist())
            hits += [Hit(row, float(score)) for row, score in zip(rows, scores, strict=True)]
        hits.sort(key=lambda hit: (-hit.score, hit.row.path_key, hit.row.start_line, hit.row.row_id))
        return hits[:limit]

    def facts_of(self, path_key: str) -> Facts:
        """What is known of a live file beside its chunks."""
        for segment in self._holding(path_key):
            number = segment.rows.file_number(path_key)
            if number is not None:
                return segment.rows.facts_of(number)
        return NO_FACTS

    def matching_files(
        self, weights: Mapping[tuple[str, str], float], limit: int, hashes: Hashes, worth: Worth
    ) -> tuple[list[FileAt], bool]:
        """Files of the `limit` live rows that hold most of the weighted (field, token) pairs.

        And whether all that may be among them were seen. Of rows that hold the same pairs those of more
        `worth` come first, then by path.
        """
        rows, all_seen = matching_rows(self._segments, weights, limit, hashes, worth)
        return list(dict.fromkeys(files_of(self._segments, rows))), all_seen

    def near_files(self, query: Vectors, limit: int, edge: int) -> tuple[list[FileAt], float]:
        """Files of the `limit` nearest live rows, the nearest first, and the likeness of the row at the `edge`."""
        near = self.near_rows(query, max(limit, edge))
        return list(dict.fromkeys(at for _, at in near[:limit])), near[:edge][-1][0] if near else 0.0

    def near_rows(self, query: Vectors, limit: int) -> list[tuple[float, FileAt]]:
        """The likeness and the file of each of the `limit` nearest live rows, the nearest first, then by path."""
        rows = near_rows(self._segments, query, limit)
        return list(zip(rows.scores.tolist(), files_of(self._segments, rows), strict=True))

    def symbols_named(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        """Live definitions whose names are, but for case, among some."""
        folded = sorted({name.casefold() for name in names})
        if not folded:
            return []
        return self._live_symbols(lambda segment: segment.rows.symbols_named(folded), limit)

    def symbols_starting(self, names: Collection[str], limit: int) -> list[tuple[FileAt, SymbolRow]]:
        """Live definitions whose names begin, but for case, with one of some."""
        folded = sorted({name.casefold() for name in names})
        return self._live_symbols(
            lambda segment: [hit for name in folded for hit in segment.rows.symbols_starting(name)], limit
        )

    def symbols_with_paths(self, names: Collection[str], limit: int) -> list[tuple[str, SymbolRow]]:
        """Live definitions by name, but for case, each with its file's path."""
        found = self.symbols_named(names, limit)
        paths = self._paths_of({at for at, _ in found})
        return [(paths[at], symbol) for at, symbol in found]

    def all_symbols(self) -> Iterator[tuple[str, SymbolRow]]:
        """Every live definition with its file's path."""
        for segment in self._segments:
            yield from (item for item in segment.rows.all_symbols() if item[0] not in segment.dead)

    def defined(self) -> Iterator[tuple[str, str, str, str, int, int]]:
        """(path, name, kind, container, whether others see it, bytes of the line that shows it) of what live files
        define, that of one file in order."""
        for segment in self._segments:
            yield from _living(segment.rows.defined(), segment.dead)

    def occurrences_of(self, name: str) -> list[tuple[str, OccurrenceRow]]:
        """Live uses of a name, each with its file's path, in order of path and line."""
        found = [
            item
            for segment in self._segments
            for item in segment.rows.occurrences_of(name)
            if item[0] not in segment.dead
        ]
        found.sort(key=lambda item: (item[0], item[1].line))
        return found

    def occurrences_in(self, path_key: str) -> tuple[OccurrenceRow, ...]:
        """What a live file uses, in order."""
        return self.facts_of(path_key).occurrences

    def languages(self) -> Iterator[tuple[str, str]]:
        """(path, language) of every live file."""
        for segment in self._segments:
            yield from (item for item in segment.rows.languages() if item[0] not in segment.dead)

    def names_of(self, paths: Collection[str]) -> dict[str, tuple[str, tuple[SymbolRow, ...], tuple[EdgeRow, ...]]]:
        """The language, definitions and imports of some live files."""
        found: dict[str, tuple[str, tuple[SymbolRow, ...], tuple[EdgeRow, ...]]] = {}
        for segment in self._segments:
            found |= segment.rows.names_of([path for path in paths if path not in segment.dead])
        return found

    def renaming_imports(self) -> Iterator[tuple[str, str]]:
        """(path, what is bound) of live files' imports that give something another name."""
        for segment in self._segments:
            yield from (item for item in segment.rows.renaming_imports() if item[0] not in segment.dead)

    def module_imports(self, languages: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """(path, source, what is bound) of imports that name a module as a whole, in live files of some languages."""
        for segment in self._segments:
            yield from (item for item in segment.rows.module_imports(languages) if item[0] not in segment.dead)

    def whole_text_of(self, path_key: str) -> bytes | None:
        """A live file's whole text as it was indexed."""
        for index, segment in enumerate(self._segments):
            if path_key not in segment.dead and (number := segment.rows.file_number(path_key)) is not None:
                ((file, first),) = segment.rows.numbered_files([number]).values()
                return self.text_of(Located((index, number), first, file))
        return None

    def called(self) -> Iterator[tuple[str, str, str]]:
        """(path, name, what it is asked of) of every use in live files."""
        for segment in self._segments:
            yield from _living(segment.rows.called(), segment.dead)

    def imports(self) -> Iterator[tuple[str, str, str, str]]:
        """(path, kind, what is asked for, what is bound) of every import of live files, those of one file in order."""
        for segment in self._segments:
            yield from _living(segment.rows.imports(), segment.dead)

    def files_where(self, wanted: Callable[[FileRow], bool]) -> set[FileAt]:
        """Every live file that passes a test."""
        return {
            (index, number)
            for index, segment in enumerate(self._segments)
            for number, file in enumerate(segment.rows.files())
            if file.path_key not in segment.dead and wanted(file)
        }

    def files_holding(self, clauses: Sequence[Clause]) -> list[Located]:
        """Live files in which all clauses of trigrams hold, in order of their paths: every live file for none."""
        found = []
        for index, segment in enumerate(self._segments):
            numbers = segment.trigrams.files(clauses)
            listed = (
                segment.rows.placed_files()
                if numbers is None
                else [(n, first, file) for n, (file, first) in segment.rows.numbered_files(sorted(numbers)).items()]
            )
            found += [
                Located((index, number), first, file)
                for number, first, file in listed
                if file.path_key not in segment.dead
            ]
        found.sort(key=lambda item: item.file.path_key)
        return found

    def text_of(self, item: Located) -> bytes:
        """A file's whole text as it was indexed."""
        pieces = self._segments[item.at[0]].rows.pieces(item.first, item.file.chunks)
        return whole_text(pieces, item.file.blanks.encode())

    def definitions_in(self, at: FileAt) -> list[tuple[int, int, str]]:
        """(start line, end line, qualified name) of what a file defines, the outer before the inner."""
        return self._segments[at[0]].rows.definitions_in(at[1])

    def evidence(self, files: Collection[FileAt], hashes: Hashes, query: Vectors | None) -> Evidence:
        """All rows of some files held against a query; dead files and files without rows are left out."""
        places: list[FileAt] = []
        told: list[FileRow] = []
        matrices: list[TermMatrix] = []
        likeness: list[npt.NDArray[np.float64]] = []
        for index, segment in enumerate(self._segments):
            numbered = segment.rows.numbered_files(sorted(number for owner, number in files if owner == index))
            alive = [
                (number, file, first)
                for number, (file, first) in sorted(numbered.items())
                if file.chunks and file.path_key not in segment.dead
            ]
            if not alive:
                continue
            places += [(index, number) for number, _, _ in alive]
            told += [file for _, file, _ in alive]
            spans = [(first, file.chunks) for _, file, first in alive]
            matrices.append(segment.terms.matrix(spans, hashes))
            if query is not None:
                # Not a matrix product: its last bits depend on where a row stands.
                likeness.append((segment.vectors.take(numbers_in(spans)) * query).sum(axis=1, dtype=np.float64))
        ends = np.cumsum([file.chunks for file in told], dtype=np.int64)
        nothing = np.zeros((0, len(hashes)))
        rows = int(ends[-1]) if len(ends) else 0
        return Evidence(
            tuple(places),
            tuple(told),
            np.concatenate(([0], ends[:-1])).astype(np.int64) if len(ends) else ends,
            np.concatenate([matrix.text for matrix in matrices]) if matrices else nothing,
            np.concatenate([matrix.symbols for matrix in matrices]) if matrices else nothing,
            np.concatenate([matrix.lengths for matrix in matrices]) if matrices else np.zeros(0),
            np.concatenate(likeness) if likeness else np.zeros(rows),
        )

    def average_length(self) -> float:
        """Tokens in a live row, on average."""
        total = sum(segment.terms.total_length(segment.live) for segment in self._segments)
        return total / max(self.manifest.counts.chunks_live, 1)

    def heads(self, wanted: Mapping[FileAt, Sequence[int]]) -> dict[FileAt, dict[int, RowHead]]:
        """Rows of some files by their ordinals, without their texts."""
        found: dict[FileAt, dict[int, RowHead]] = {}
        for index, segment in enumerate(self._segments):
            own = [at for at in wanted if at[0] == index]
            firsts = segment.rows.numbered_files([number for _, number in own])
            rows = segment.rows.heads([firsts[at[1]][1] + ordinal for at in own for ordinal in wanted[at]])
            for at in own:
                first = firsts[at[1]][1]
                found[at] = {ordinal: rows[first + ordinal] for ordinal in wanted[at]}
        return found

    def chosen_rows(self, wanted: Sequence[tuple[FileAt, int]]) -> list[ChunkRow]:
        """Rows by file and ordinal, in the order asked for."""
        found: dict[tuple[FileAt, int], ChunkRow] = {}
        for index, segment in enumerate(self._segments):
            own = [(at, ordinal) for at, ordinal in wanted if at[0] == index]
            firsts = segment.rows.numbered_files(sorted({at[1] for at, _ in own}))
            rows = segment.rows.rows([firsts[at[1]][1] + ordinal for at, ordinal in own])
            found |= dict(zip(own, rows, strict=True))
        return [found[place] for place in wanted]

    def imports_of(self, files: Sequence[FileAt]) -> list[list[str]]:
        """What each of some files imports, as written."""
        found: dict[FileAt, list[str]] = {at: [] for at in files}
        for index, segment in enumerate(self._segments):
            numbers = sorted(number for owner, number in files if owner == index)
            for number, target in segment.rows.imports_of(numbers):
                found[index, number].append(target)
        return [found[at] for at in files]

    def rows_at(self, at: FileAt) -> list[ChunkRow]:
        """A file's rows in order."""
        segment = self._segments[at[0]]
        ((file, first),) = segment.rows.numbered_files([at[1]]).values()
        return segment.rows.rows(list(range(first, first + file.chunks)))

    def symbols_at(self, at: FileAt) -> tuple[SymbolRow, ...]:
        """What a file defines, in order."""
        return self._segments[at[0]].rows.symbols_of(at[1])

    def content(self, segment_ids: Sequence[str]) -> Iterator[tuple[FileRow, list[ChunkRow], Vectors, Facts]]:
        """Live files of given segments with all that is known of them: what compaction copies."""
        for segment in self._segments:
            if segment.ref.segment_id not in segment_ids:
                continue
            for file in segment.rows.files():
                if file.path_key in segment.dead:
                    continue
                (first, count), *_ = segment.rows.spans([file.path_key])
                vectors = segment.vectors.take(np.arange(first, first + count, dtype=np.int64))
                number = segment.rows.file_number(file.path_key)
                facts = segment.rows.facts_of(number) if number is not None else NO_FACTS
                yield file, segment.rows.rows_of(file.path_key), vectors, facts

    def marker(self) -> dict[str, Any] | None:
        """The completion marker of this very snapshot."""
        for segment in reversed(self._segments):
            found = segment.rows.marker()
            if found is not None and found.get("snapshotId") == self.snapshot_id:
                return found
        return None

    def tombstones(self) -> Iterator[tombstones.Tombstone]:
        """Every tombstone in force."""
        for ref in self.manifest.tombstones:
            with open(os.path.join(self._root, ref.path), "rb") as file:
                yield from tombstones.decode(file.read(), ref.path)

    def segment_loads(self) -> dict[str, tuple[int, int]]:
        """For each segment: rows and live rows, by what the manifest tells; only the dead are looked up."""
        loads = {}
        for segment in self._segments:
            dead = sum(count for _, count in segment.rows.spans(segment.dead))
            loads[segment.ref.segment_id] = (segment.ref.rows, segment.ref.rows - dead)
        return loads

    def segment_counts(self) -> dict[str, tuple[int, int, int, int]]:
        """For each segment: rows, files, live rows and live files, counted in the data."""
        counted = {}
        for segment in self._segments:
            rows, files = segment.rows.counts()
            dead = [count for _, count in segment.rows.spans(segment.dead)]
            counted[segment.ref.segment_id] = (rows, files, rows - sum(dead), files - len(dead))
        return counted

    def open_everything(self) -> None:
        """Open each part of each segment, as a query might; CorruptStoreError for one that doesn't open."""
        for segment in self._segments:
            segment.rows.counts()
            segment.lexical.document_frequency("body", "")
            segment.terms.total_length(None)
            segment.trigrams.files(())
            segment.vectors.take(np.arange(min(segment.ref.rows, 1), dtype=np.int64))

    def verify_outside(self) -> int:
        """Hold what engines keep elsewhere against its digests; of how many segments they do."""
        return sum(segment.verify_outside() for segment in self._segments)

    def close(self) -> None:
        if self._lock < 0:
            return
        for segment in self._readers:
            if not self._shelved:
                segment.close()
        for meanings in self._meanings.values():
            meanings.close()
        # Whoever still holds the view must not keep files open that it can't read any more.
        self._readers = []
        os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _paths_of(self, places: Collection[FileAt]) -> dict[FileAt, str]:
        found: dict[FileAt, str] = {}
        for index, segment in enumerate(self._segments):
            numbers = sorted(number for owner, number in places if owner == index)
            found |= {(index, n): file.path_key for n, (file, _) in segment.rows.numbered_files(numbers).items()}
        return found

    def _live_symbols(
        self, lookup: Callable[[SegmentReader], list[tuple[int, SymbolRow]]], limit: int
    ) -> list[tuple[FileAt, SymbolRow]]:
        found = []
        for index, segment in enumerate(self._segments):
            hits = lookup(segment)
            files = segment.rows.numbered_files(sorted({number for number, _ in hits}))
            for number, symbol in hits:
                path_key = files[number][0].path_key
                if path_key not in segment.dead:
                    found.append((path_key, (index, number), symbol))
        # The cut must not depend on how rows are spread over segments.
        found.sort(key=lambda hit: (hit[0], hit[2].start_line, hit[2].qualified_name))
        return [(place, symbol) for _, place, symbol in found[:limit]]

    def _live_hash(self, path_key: str) -> str | None:
        file = self.file(path_key)
        return file.file_hash if file is not None else None

    def _holding(self, path_key: str) -> Iterator[SegmentReader]:
        """Segments that may hold a live file, newest first."""
        return (segment for segment in reversed(self._segments) if path_key not in segment.dead)


def _living(told: list[T], dead: frozenset[str]) -> list[T]:
    """What is said of live files, where each item begins with its file's path."""
    return [item for item in told if item[0] not in dead] if dead else told
