"""`manifest.json`: everything that one snapshot is made of.

A manifest is enough to read its snapshot without its parents: its segments and tombstones, each
with size and sha256, fully define the live view. It carries a checksum of itself.
"""

import hashlib
import json
import re
from functools import lru_cache
from typing import Any

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.base.ulid import is_ulid
from cairn.base.values import as_dict, dataclass
from cairn.store.digest import Digest
from cairn.store.versions import is_older, require_readable, writable

_SEGMENT = lazy.expression(r"seg_[0-9A-Z]{26}_[0-9]+")
_SEMANTIC = lazy.expression(r"sem_[0-9A-Z]{26}_[0-9]+")


@dataclass(frozen=True, slots=True)
class SegmentRef:
    """A folder `segments/<segment_id>`."""

    segment_id: str
    kind: str
    engine: str
    dimension: int
    rows: int
    files: int
    digest: Digest


@dataclass(frozen=True, slots=True)
class SemanticRef:
    """A folder `segments/<segment_id>` with the semantic facts of one context.

    No tombstone applies to it: a fact is served where the live file has the content that it was made from.
    """

    segment_id: str
    context: str
    job_id: str
    files: int
    occurrences: int
    digest: Digest


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file of a snapshot: tombstones or a part of the file index as lines of JSON, or its history."""

    path: str
    count: int
    digest: Digest
    applies_to: tuple[str, ...] = ()
    """For tombstones: the segments in which the paths are hidden. Newer rows are never touched."""


@dataclass(frozen=True, slots=True)
class GitInfo:
    """The state of git that a snapshot was made in."""

    head_sha: str | None
    dirty: bool | None
    untracked_included: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """`*_indexed` counts what the segments hold, `*_live` what tombstones leave of it."""

    files_indexed: int
    chunks_indexed: int
    tombstones_added: int
    files_live: int
    chunks_live: int


@dataclass(frozen=True, slots=True)
class FileError:
    """A file that a degraded snapshot lacks."""

    code: str
    message: str
    path_key: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that a snapshot consists of."""

    snapshot_id: str
    parent_snapshot_id: str | None
    created_at: str
    cause: str
    canonical_root: str
    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    lease_epoch: int
    git: GitInfo
    segments: tuple[SegmentRef, ...]
    tombstones: tuple[FileRef, ...]
    file_index: tuple[FileRef, ...]
    counts: Counts
    skipped: dict[str, int]
    errors: tuple[FileError, ...] = ()
    semantics: tuple[SemanticRef, ...] = ()
    """At most one a context."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Links of the tree, each with the real path of the file or folder that it leads to."""
    unread: tuple[tuple[str, str], ...] = ()
    """Files of code that could not be taken in, each with the reason: what uses a name may stand there too."""
    history: FileRef | None = None
    """The last commits, counted; see `store.history`."""
    history_of: str = ""
    """What the history was asked for; empty where nothing was, or what there was can't be used."""

    @property
    def folders(self) -> tuple[SegmentRef | SemanticRef, ...]:
        """Every folder beneath `segments/` that it references."""
        return (*self.segments, *self.semantics)

    @property
    def files(self) -> tuple[FileRef, ...]:
        """Every file beneath `snapshots/` that it references, of whichever snapshot it is."""
        return (*self.tombstones, *self.file_index, *([self.history] if self.history is not None else []))

    @property
    def segment_ids(self) -> frozenset[str]:
        """The names of all its segments, semantic ones among them."""
        return frozenset(ref.segment_id for ref in self.folders)

    @property
    def degraded(self) -> bool:
        """Whether files are missing that could not be indexed."""
        return bool(self.errors)

    @property
    def order(self) -> tuple[int, str]:
        """Which of two snapshots is newer: the fencing epoch first, then the id."""
        return (self.lease_epoch, self.snapshot_id)


def encode(manifest: Manifest) -> bytes:
    """A manifest as it is written, with its checksum."""
    document = _document(manifest)
    document["checksum"] = _checksum(document)
    return (json.dumps(document, indent=1) + "\n").encode()


@lru_cache(maxsize=4)
def decode(data: bytes, place: str, *, older_rows: bool = False) -> Manifest:
    """Parse and check a manifest; CorruptStoreError or IncompatibleError name what is wrong.

    The last few are known by their bytes: every question reads the same one.

    With `older_rows` also one whose rows are of a former format: whoever removes a store reads no rows.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CorruptStoreError(f"{place} is not valid JSON: {error}.") from error
    if not isinstance(document, dict):
        raise CorruptStoreError(f"{place} is not a manifest.")
    require_readable("manifest", document.get("schema_version"))
    rows = document.get("chunk_row_schema_version")
    if not (older_rows and is_older("chunk_rows", rows)):
        require_readable("chunk_rows", rows)
    checksum = document.pop("checksum", None)
    if checksum != _checksum(document):
        raise CorruptStoreError(f"{place} doesn't match its own checksum.")
    try:
        return _manifest(document)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise CorruptStoreError(f"{place} lacks a field or has a wrong one: {error!r}.") from error


def _document(manifest: Manifest) -> dict[str, Any]:
    return {
        "schema_version": writable("manifest"),
        "chunk_row_schema_version": writable("chunk_rows"),
        "snapshot_id": manifest.snapshot_id,
        "parent_snapshot_id": manifest.parent_snapshot_id,
        "created_at": manifest.created_at,
        "cause": manifest.cause,
        "canonical_root": manifest.canonical_root,
        "store_id": manifest.store_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "lease_epoch": manifest.lease_epoch,
        "git": as_dict(manifest.git),
        "segments": [
            {
                "kind": ref.kind,
                "ref_type": "segment_folder",
                "segment_id": ref.segment_id,
                "path": f"segments/{ref.segment_id}",
                "engine": ref.engine,
                "dimension": ref.dimension,
                "rows": ref.rows,
                "files": ref.files,
                "size_bytes": ref.digest.size_bytes,
                "sha256": ref.digest.sha256,
            }
            for ref in manifest.segments
        ],
        "semantics": [
            {
                "ref_type": "semantic_folder",
                "segment_id": ref.segment_id,
                "path": f"segments/{ref.segment_id}",
                "context": ref.context,
                "job_id": ref.job_id,
                "files": ref.files,
                "occurrences": ref.occurrences,
                "size_bytes": ref.digest.size_bytes,
                "sha256": ref.digest.sha256,
            }
            for ref in manifest.semantics
        ],
        "tombstones": [_file_document(ref) | {"applies_to": list(ref.applies_to)} for ref in manifest.tombstones],
        "file_index": [_file_document(ref) for ref in manifest.file_index],
        "counts": as_dict(manifest.counts),
        "skipped": dict(sorted(manifest.skipped.items())),
        "degraded": manifest.degraded,
        "errors": [as_dict(error) for error in manifest.errors],
        **({"aliases": [list(pair) for pair in manifest.aliases]} if manifest.aliases else {}),
        **({"unread": [list(pair) for pair in manifest.unread]} if manifest.unread else {}),
        **({"history": _file_document(manifest.history) | {"ref_type": "history"}} if manifest.history else {}),
        **({"history_of": manifest.history_of} if manifest.history_of else {}),
    }


def _file_document(ref: FileRef) -> dict[str, Any]:
    return {
        "ref_type": "jsonl",
        "path": ref.path,
        "count": ref.count,
        "size_bytes": ref.digest.size_bytes,
        "sha256": ref.digest.sha256,
    }


def _manifest(document: dict[str, Any]) -> Manifest:
    if not is_ulid(document["snapshot_id"]):
        raise ValueError("snapshot_id")
    return Manifest(
        snapshot_id=document["snapshot_id"],
        parent_snapshot_id=document["parent_snapshot_id"],
        created_at=document["created_at"],
        cause=document["cause"],
        canonical_root=document["canonical_root"],
        store_id=document["store_id"],
        config_fingerprint=document["config_fingerprint"],
        ignore_fingerprint=document["ignore_fingerprint"],
        lease_epoch=int(document["lease_epoch"]),
        git=GitInfo(**document["git"]),
        segments=tuple(
            SegmentRef(
                segment_id=_segment_id(ref["segment_id"]),
                kind=ref["kind"],
                engine=ref["engine"],
                dimension=int(ref["dimension"]),
                rows=int(ref["rows"]),
                files=int(ref["files"]),
                digest=Digest(int(ref["size_bytes"]), ref["sha256"]),
            )
            for ref in document["segments"]
        ),
        tombstones=tuple(_file_ref(ref) for ref in document["tombstones"]),
        file_index=tuple(_file_ref(ref) for ref in document["file_index"]),
        counts=Counts(**document["counts"]),
        skipped=dict(document["skipped"]),
        errors=tuple(FileError(**error) for error in document["errors"]),
        semantics=tuple(map(_semantic_ref, document["semantics"] if document["schema_version"] > 1 else ())),
        aliases=tuple((str(name), str(target)) for name, target in document.get("aliases", ())),
        unread=tuple((str(path), str(reason)) for path, reason in document.get("unread", ())),
        history=_file_ref(document["history"]) if "history" in document else None,
        history_of=str(document.get("history_of", "")),
    )


def _semantic_ref(ref: dict[str, Any]) -> SemanticRef:
    if not isinstance(ref["context"], str) or not is_ulid(ref["job_id"]):
        raise ValueError("semantics")
    return SemanticRef(
        segment_id=_segment_id(ref["segment_id"], _SEMANTIC),
        context=ref["context"],
        job_id=ref["job_id"],
        files=int(ref["files"]),
        occurrences=int(ref["occurrences"]),
        digest=Digest(int(ref["size_bytes"]), ref["sha256"]),
    )


def _segment_id(name: str, form: re.Pattern[str] = _SEGMENT) -> str:
    if form.fullmatch(name) is None:
        raise ValueError(f"segment_id {name!r}")
    return name


def _file_ref(ref: dict[str, Any]) -> FileRef:
    path = ref["path"]
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"path {path!r}")
    digest = Digest(int(ref["size_bytes"]), ref["sha256"])
    return FileRef(path, int(ref["count"]), digest, tuple(ref.get("applies_to", ())))


def _checksum(document: dict[str, Any]) -> str:
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
