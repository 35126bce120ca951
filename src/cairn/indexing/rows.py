"""From what a parse gave to rows: identities and facts."""

from cairn.store import (
    SYNTACTIC,
    ChunkRow,
    EdgeRow,
    Facts,
    OccurrenceRow,
    SymbolRow,
    chunk_hash_of,
    chunk_id_of,
    row_id_of,
)
from cairn.syntax.facts import Chunk, ParsedFile
from cairn.syntax.versions import CHUNKER_VERSION
from cairn.workspace import fold

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
    parts = (
        parsed.top_comment,
        " ".join(dict.fromkeys(offers[:_ANCHOR_NAMES])),
        " ".join(list(asks)[:_ANCHOR_NAMES]),
    )
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
