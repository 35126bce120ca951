"""From a ChangeSet to a published snapshot."""

from cairn.indexing.chunks import CHUNKER_VERSION, Chunk, chunk_lines
from cairn.indexing.repair import RepairResult, repair
from cairn.indexing.rows import terms_of
from cairn.indexing.sync import SyncOptions, SyncResult, sync

__all__ = [
    "CHUNKER_VERSION",
    "Chunk",
    "RepairResult",
    "SyncOptions",
    "SyncResult",
    "chunk_lines",
    "repair",
    "sync",
    "terms_of",
]
