"""From a file's bytes to everything a segment holds of it but its vectors: pure, and the costly part."""

from collections.abc import Sequence
from itertools import islice, repeat

from cairn.base.values import dataclass, replace
from cairn.indexing.natively import pack_natively
from cairn.indexing.terms import terms_of_all
from cairn.kernel.grams import grams_of
from cairn.store import (
    SYNTACTIC,
    ChunkRow,
    EdgeRow,
    Facts,
    FileRow,
    OccurrenceRow,
    PackedFile,
    SymbolRow,
    Terms,
    chunk_hash_of,
    chunk_id_of,
    pack,
    pack_tree,
    row_id_of,
)
from cairn.syntax.blocks import parse_with_block
from cairn.syntax.facts import Chunk, ParsedFile
from cairn.syntax.flows import flow_block
from cairn.syntax.lines import chunk_lines
from cairn.syntax.parse import line_count
from cairn.syntax.treeblocks import split_block
from cairn.syntax.versions import CHUNKER_VERSION
from cairn.workspace.pathkey import fold

_ANCHOR_NAMES = 60


def row_of(path_key: str, ordinal: int, chunk: Chunk, file_hash: str, language: str, *, kind: str = "text") -> ChunkRow:
    """The row of one chunk of a file."""
    chunk_hash = chunk_hash_of(chunk.text)
    chunk_id = chunk_id_of(chunk_hash, CHUNKER_VERSION, kind)
    return ChunkRow(
        row_id=row_id_of(path_key, chunk_id, ordinal),
        chunk_id=chunk_id,
        path_key=path_key,
        path_key_ci=fold(path_key),
        ordinal=ordinal,
        file_hash=file_hash,
        chunk_hash=chunk_hash,
        chunker_version=CHUNKER_VERSION,
        kind=kind,
        text=chunk.text,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        byte_start=chunk.byte_start,
        byte_end=chunk.byte_end,
        language=language,
        symbols="\n".join(chunk.symbols),
    )


def rows_of(path_key: str, parsed: ParsedFile, file_hash: str) -> list[ChunkRow]:
    """The chunks of a file, and last the anchor row that stands for the file as a whole."""
    chunks = [*((chunk, "text") for chunk in parsed.chunks), (anchor_of(parsed), "anchor")]
    return [
        row_of(path_key, ordinal, chunk, file_hash, parsed.language, kind=kind)
        for ordinal, (chunk, kind) in enumerate(chunks)
    ]


def anchor_of(parsed: ParsedFile) -> Chunk:
    """What a file is about: its head comment, what it offers and what it asks for.

    Its path is a column of its own: in the text it would change the chunk's identity with every
    rename.
    """
    offers = [symbol.name for symbol in parsed.symbols if symbol.exported and not symbol.container]
    asks = dict.fromkeys(item.source for item in parsed.imports)
    parts = (parsed.top_comment, " ".join(dict.fromkeys(offers[:_ANCHOR_NAMES])), " ".join(list(asks)[:_ANCHOR_NAMES]))
    return Chunk("\n".join(part for part in parts if part), 1, 1, 0, 0)


def facts_of(parsed: ParsedFile) -> Facts:
    """What a parsed file defines, imports and uses, as rows."""
    return Facts(
        symbols=tuple(
            SymbolRow(
                SYNTACTIC,
                symbol.name,
                symbol.qualified_name,
                symbol.kind,
                symbol.signature,
                symbol.start_line,
                symbol.end_line,
                symbol.name_line,
                symbol.container,
                symbol.exported,
                symbol.doc,
            )
            for symbol in parsed.symbols
        ),
        occurrences=tuple(
            OccurrenceRow(SYNTACTIC, call.name, "call", call.line, call.caller, call.receiver) for call in parsed.calls
        ),
        edges=tuple(
            EdgeRow(SYNTACTIC, "reexport" if item.again else "import", item.source, item.line, item.names)
            for item in parsed.imports
        ),
    )


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

    @property
    def cut(self) -> int:
        """How many pieces a file may be cut into: the anchor row is one of its chunks."""
        return max(self.max_chunks - 1, 1)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file ready for a segment."""

    packed: PackedFile
    texts: tuple[str, ...]
    """The texts of its rows, of which vectors are made; empty once a worker has made them."""
    symbols: tuple[str, ...]
    """Likewise, what the rows define."""
    terms: tuple[Terms, ...]
    grams: bytes
    """Its trigrams, as a segment takes them in."""
    vectors: bytes = b""
    """float16, row by row, which is all that they have; empty where the worker had no embedder."""
    embedded: int = 0
    """How many vectors had to be computed for it, and for those that the worker had beside it."""

    @property
    def file(self) -> FileRow:
        """The file that it is."""
        return self.packed.file


def prepare(source: FileSource, limits: ChunkLimits) -> Prepared:
    """Parse a file once and make rows, terms and facts of it."""
    return prepare_all([source], limits)[0]


def prepare_all(sources: Sequence[FileSource], limits: ChunkLimits) -> list[Prepared]:
    """The same for some files, whose terms are counted together."""
    return _with_terms([_natively(source, limits) or _by_reference(source, limits) for source in sources])


def prepare_by_lines(source: FileSource, limits: ChunkLimits) -> Prepared:
    """The same without a grammar: what is left for a file that a grammar can't bear."""
    chunks = tuple(chunk_lines(source.data, limits.chunk_bytes, limits.cut))
    return _with_terms([from_parsed(source, ParsedFile(source.language, line_count(source.data), chunks), b"")])[0]


def _natively(source: FileSource, limits: ChunkLimits) -> Prepared | None:
    found = pack_natively(
        source.path_key, source.language, source.file_hash, source.data, limits.chunk_bytes, limits.cut
    )
    return Prepared(*found, (), grams_of(source.data)) if found is not None else None


def _by_reference(source: FileSource, limits: ChunkLimits) -> Prepared:
    parsed, names = parse_with_block(source.path_key, source.language, source.data, limits.chunk_bytes, limits.cut)
    return from_parsed(source, parsed, names)


def _with_terms(files: list[Prepared]) -> list[Prepared]:
    paths = [path for file in files for path in repeat(file.file.path_key, file.file.chunks)]
    texts = [text for file in files for text in file.texts]
    symbols = [text for file in files for text in file.symbols]
    terms = iter(terms_of_all(paths, texts, symbols))
    return [replace(file, terms=tuple(islice(terms, file.file.chunks))) for file in files]


def from_parsed(source: FileSource, parsed: ParsedFile, occurrences: bytes) -> Prepared:
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
    )
    tree = pack_tree(*split_block(parsed.tree))
    flows = flow_block(source.path_key, source.language, source.data) if parsed.parsed else b""
    packed = pack(file, source.data, rows, facts_of(parsed), occurrences, tree, flows)
    texts, symbols = tuple(row.text for row in rows), tuple(row.symbols for row in rows)
    return Prepared(packed, texts, symbols, (), grams_of(source.data))
