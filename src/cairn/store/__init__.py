"""Snapshots: written once, checksummed, published by one rename, read through one door."""

from typing import TYPE_CHECKING

from cairn.base import lazy

if TYPE_CHECKING:
    from cairn.store._candidates import FileAt, Worth
    from cairn.store._semanticfile import SemanticMade, SemanticWriter
    from cairn.store._terms import Hashes, TermMatrix, Terms
    from cairn.store._trigrams import Clause, buckets_in, folded, grams_of
    from cairn.store.gc import GcPlan
    from cairn.store.identity import Identity
    from cairn.store.layout import StoreKind
    from cairn.store.live_evidence import Evidence
    from cairn.store.live_values import Hit, Located
    from cairn.store.manifest import FileError, GitInfo, Manifest
    from cairn.store.publish import Transaction
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
        blanks_of,
        chunk_hash_of,
        chunk_id_of,
        row_id_of,
    )
    from cairn.store.semantics import (
        Recorded,
        SemanticFile,
        SemanticFlag,
        SemanticMeta,
        SemanticOccurrence,
        SemanticSymbol,
    )
    from cairn.store.served import SemanticFacts
    from cairn.store.store import Store, store_path
    from cairn.store.treefacts import TreeFacts
    from cairn.store.view import SnapshotView
else:
    __getattr__ = lazy.exports(
        __name__,
        {
            "_candidates": "FileAt Worth",
            "_semanticfile": "SemanticMade SemanticWriter",
            "_terms": "Hashes TermMatrix Terms",
            "_trigrams": "Clause buckets_in folded grams_of",
            "gc": "GcPlan",
            "identity": "Identity",
            "layout": "StoreKind",
            "live_evidence": "Evidence",
            "live_values": "Hit Located",
            "manifest": "FileError GitInfo Manifest",
            "publish": "Transaction",
            "treefacts": "TreeFacts",
            "rows": "MARKER_KIND SYNTACTIC ChunkRow EdgeRow Facts FileRow OccurrenceRow RowHead SymbolRow blanks_of "
            "chunk_hash_of chunk_id_of row_id_of",
            "semantics": "Recorded SemanticFile SemanticFlag SemanticMeta SemanticOccurrence SemanticSymbol",
            "served": "SemanticFacts",
            "store": "Store store_path",
            "view": "SnapshotView",
        },
    )

__all__ = [
    "MARKER_KIND",
    "SYNTACTIC",
    "ChunkRow",
    "Clause",
    "EdgeRow",
    "Evidence",
    "Facts",
    "FileAt",
    "FileError",
    "FileRow",
    "GcPlan",
    "GitInfo",
    "Hashes",
    "Hit",
    "Identity",
    "Located",
    "Manifest",
    "OccurrenceRow",
    "Recorded",
    "RowHead",
    "SemanticFacts",
    "SemanticFile",
    "SemanticFlag",
    "SemanticMade",
    "SemanticMeta",
    "SemanticOccurrence",
    "SemanticSymbol",
    "SemanticWriter",
    "SnapshotView",
    "Store",
    "StoreKind",
    "SymbolRow",
    "TermMatrix",
    "Terms",
    "Transaction",
    "TreeFacts",
    "Worth",
    "blanks_of",
    "buckets_in",
    "chunk_hash_of",
    "chunk_id_of",
    "folded",
    "grams_of",
    "row_id_of",
    "store_path",
]
