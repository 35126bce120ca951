"""Snapshots: written once, checksummed, published by one rename, read through one door."""

from cairn.store._terms import Terms
from cairn.store.gc import GcPlan
from cairn.store.layout import StoreKind
from cairn.store.manifest import FileError, GitInfo, Manifest
from cairn.store.publish import Identity, Transaction, TreeFacts
from cairn.store.rows import (
    MARKER_KIND,
    SYNTACTIC,
    ChunkRow,
    EdgeRow,
    Facts,
    FileRow,
    OccurrenceRow,
    RowHead,
    SymbolRow,
    chunk_hash_of,
    chunk_id_of,
    row_id_of,
)
from cairn.store.store import Store, store_path
from cairn.store.view import Evidence, FileAt, Hit, SnapshotView

__all__ = [
    "MARKER_KIND",
    "SYNTACTIC",
    "ChunkRow",
    "EdgeRow",
    "Evidence",
    "Facts",
    "FileAt",
    "FileError",
    "FileRow",
    "GcPlan",
    "GitInfo",
    "Hit",
    "Identity",
    "Manifest",
    "OccurrenceRow",
    "RowHead",
    "SnapshotView",
    "Store",
    "StoreKind",
    "SymbolRow",
    "Terms",
    "Transaction",
    "TreeFacts",
    "chunk_hash_of",
    "chunk_id_of",
    "row_id_of",
    "store_path",
]
