"""From a ChangeSet to a published snapshot."""

from cairn.indexing.repair import RepairResult, repair
from cairn.indexing.sync import SyncOptions, SyncResult, sync
from cairn.indexing.terms import terms_of
from cairn.syntax.facts import Chunk
from cairn.syntax.lines import chunk_lines
from cairn.syntax.versions import CHUNKER_VERSION

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
