"""From chunks to rows: identities, and the tokens by which a row is found."""

from cairn.store import ChunkRow, Terms, chunk_hash_of, chunk_id_of, row_id_of
from cairn.syntax.facts import Chunk
from cairn.syntax.parse import CHUNKER_VERSION
from cairn.syntax.tokens import tokens
from cairn.workspace import fold


def row_of(path_key: str, ordinal: int, chunk: Chunk, file_hash: str, language: str) -> ChunkRow:
    chunk_hash = chunk_hash_of(chunk.text)
    chunk_id = chunk_id_of(chunk_hash, CHUNKER_VERSION, "text")
    return ChunkRow(
        row_id=row_id_of(path_key, chunk_id, ordinal),
        chunk_id=chunk_id,
        path_key=path_key,
        path_key_ci=fold(path_key),
        ordinal=ordinal,
        file_hash=file_hash,
        chunk_hash=chunk_hash,
        chunker_version=CHUNKER_VERSION,
        kind="text",
        text=chunk.text,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        byte_start=chunk.byte_start,
        byte_end=chunk.byte_end,
        language=language,
    )


def terms_of(row: ChunkRow) -> Terms:
    return Terms(body=" ".join(tokens(row.text)), path=" ".join(tokens(row.path_key)))
