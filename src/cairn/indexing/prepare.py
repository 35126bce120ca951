"""From a file's bytes to everything a segment holds of it but its vectors: pure, and the costly part."""

from collections.abc import Iterable, Sequence
from itertools import islice

from cairn.base.values import dataclass, replace
from cairn.indexing.rows import facts_of, rows_of
from cairn.indexing.terms import terms_of_all
from cairn.store import ChunkRow, Facts, FileRow, Terms, blanks_of, grams_of
from cairn.syntax.facts import ParsedFile
from cairn.syntax.lines import chunk_lines
from cairn.syntax.parse import line_count, parse_file


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file as it was read: bytes and hash come from one read."""

    path_key: str
    language: str
    file_hash: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """How large chunks are and how many a file may have."""

    chunk_bytes: int
    max_chunks: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file ready for a segment."""

    file: FileRow
    rows: tuple[ChunkRow, ...]
    terms: tuple[Terms, ...]
    facts: Facts
    grams: bytes
    """Its trigrams, as a segment takes them in."""
    vectors: bytes = b""
    """float32, row by row; empty where the worker had no embedder."""
    embedded: int = 0
    """How many vectors had to be computed for it, and for those that the worker had beside it."""


def prepare(source: FileSource, limits: ChunkLimits) -> Prepared:
    """Parse a file once and make rows, terms and facts of it."""
    return prepare_all([source], limits)[0]


def prepare_all(sources: Sequence[FileSource], limits: ChunkLimits) -> list[Prepared]:
    """The same for some files, whose terms are counted together."""
    # The anchor row is one of them.
    chunks = max(limits.max_chunks - 1, 1)
    return _prepared(
        (source, parse_file(source.path_key, source.language, source.data, limits.chunk_bytes, chunks))
        for source in sources
    )


def prepare_by_lines(source: FileSource, limits: ChunkLimits) -> Prepared:
    """The same without a grammar: what is left for a file that a grammar can't bear."""
    chunks = tuple(chunk_lines(source.data, limits.chunk_bytes, max(limits.max_chunks - 1, 1)))
    return _prepared([(source, ParsedFile(source.language, line_count(source.data), chunks))])[0]


def _prepared(files: Iterable[tuple[FileSource, ParsedFile]]) -> list[Prepared]:
    bare = [_bare(source, parsed) for source, parsed in files]
    terms = iter(terms_of_all([row for file in bare for row in file.rows]))
    return [replace(file, terms=tuple(islice(terms, len(file.rows)))) for file in bare]


def _bare(source: FileSource, parsed: ParsedFile) -> Prepared:
    """All but the terms."""
    rows = rows_of(source.path_key, parsed, source.file_hash)
    file = FileRow(
        source.path_key,
        source.file_hash,
        len(source.data),
        parsed.language,
        len(rows),
        parsed.lines,
        parsed.interface_hash,
        blanks_of(source.data, ((chunk.byte_start, chunk.byte_end) for chunk in parsed.chunks)),
    )
    return Prepared(file, tuple(rows), (), facts_of(parsed), grams_of(source.data))
