"""Snapshots: written once, checksummed, published by one rename, read through one door."""

from typing import TYPE_CHECKING

from cairn.base import lazy

if TYPE_CHECKING:
    from cairn.store._candidates import FileAt, NearRow, Worth
    from cairn.store._semanticfile import SemanticMade, SemanticWriter
    from cairn.store._terms import Hashes, TermMatrix, Terms
    from cairn.store._trees import pack_tree
    from cairn.store._trigrams import Clause
    from cairn.store.gc import GcPlan
    from cairn.store.history import History, ReadCommit
    from cairn.store.identity import Identity
    from cairn.store.layout import StoreKind
    from cairn.store.live_occurrences import NameInFile
    from cairn.store.live_pinned import Hit, Located, TermCounts
    from cairn.store.live_words import Evidence
    from cairn.store.manifest import FileError, GitInfo, Manifest
    from cairn.store.packed import PackedFile, pack, pack_joined
    from cairn.store.publish import Transaction
    from cairn.store.rows import (
        MARKER_KIND,
        SYNTACTIC,
        ChunkRow,
        EdgeRow,
        Facts,
        FileRow,
        FileTest,
        FlowRow,
        NamePlace,
        OccurrenceRow,
        RowHead,
        SymbolRow,
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
    from cairn.store.served import CarriedFacts, SemanticFacts
    from cairn.store.store import Store, store_path
    from cairn.store.treefacts import TreeFacts
    from cairn.store.view import SnapshotView
else:
    __getattr__ = lazy.exports(
        __name__,
        {
            "_candidates": "FileAt NearRow Worth",
            "_semanticfile": "SemanticMade SemanticWriter",
            "_terms": "Hashes TermMatrix Terms",
            "_trees": "pack_tree",
            "_trigrams": "Clause",
            "gc": "GcPlan",
            "history": "History ReadCommit",
            "identity": "Identity",
            "layout": "StoreKind",
            "live_occurrences": "NameInFile",
            "live_pinned": "Hit Located TermCounts",
            "live_words": "Evidence",
            "manifest": "FileError GitInfo Manifest",
            "packed": "PackedFile pack pack_joined",
            "publish": "Transaction",
            "treefacts": "TreeFacts",
            "rows": "MARKER_KIND SYNTACTIC ChunkRow EdgeRow Facts FileRow FileTest FlowRow NamePlace OccurrenceRow "
            "RowHead SymbolRow chunk_hash_of chunk_id_of row_id_of",
            "semantics": "Recorded SemanticFile SemanticFlag SemanticMeta SemanticOccurrence SemanticSymbol",
            "served": "CarriedFacts SemanticFacts",
            "store": "Store store_path",
            "view": "SnapshotView",
        },
    )

__all__ = [
    "MARKER_KIND",
    "SYNTACTIC",
    "CarriedFacts",
    "ChunkRow",
    "Clause",
    "EdgeRow",
    "Evidence",
    "Facts",
    "FileAt",
    "FileError",
    "FileRow",
    "FileTest",
    "FlowRow",
    "GcPlan",
    "GitInfo",
    "Hashes",
    "History",
    "Hit",
    "Identity",
    "Located",
    "Manifest",
    "NameInFile",
    "NamePlace",
    "NearRow",
    "OccurrenceRow",
    "PackedFile",
    "ReadCommit",
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
    "TermCounts",
    "TermMatrix",
    "Terms",
    "Transaction",
    "TreeFacts",
    "Worth",
    "chunk_hash_of",
    "chunk_id_of",
    "pack",
    "pack_joined",
    "pack_tree",
    "row_id_of",
    "store_path",
]
