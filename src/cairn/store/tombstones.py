"""`tombstones.jsonl`: the paths that a snapshot hides in segments older than itself."""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping

from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import read_unfollowed
from cairn.base.shortage import shortage_of
from cairn.base.values import dataclass
from cairn.store.layout import Layout
from cairn.store.manifest import FileRef, Manifest

REASONS = frozenset({"delete", "replace", "rename_from"})


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A file that is hidden in older segments, and why."""

    path_key: str
    reason: str


def encode(tombstones: Iterable[Tombstone]) -> bytes:
    """Tombstones as they are written, one to a line."""
    lines = (json.dumps({"path_key": item.path_key, "reason": item.reason}, ensure_ascii=False) for item in tombstones)
    return "".join(line + "\n" for line in lines).encode()


def decode(data: bytes, place: str) -> list[Tombstone]:
    """Tombstones as they were written; CorruptStoreError for anything else."""
    try:
        found = [json.loads(line) for line in data.splitlines()]
        tombstones = [Tombstone(item["path_key"], item["reason"]) for item in found]
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptStoreError(f"{place} is not a list of tombstones: {error!r}.") from error
    if any(item.reason not in REASONS for item in tombstones):
        raise CorruptStoreError(f"{place} has a tombstone with an unknown reason.")
    return tombstones


def encode_file_index(entries: Mapping[str, str]) -> bytes:
    """`segment_file_index.jsonl`: path_key -> segment, the hint that repair goes by."""
    lines = (
        json.dumps({"path_key": key, "segment_id": entries[key]}, ensure_ascii=False) + "\n" for key in sorted(entries)
    )
    return "".join(lines).encode()


def decode_file_index(data: bytes, place: str) -> dict[str, str]:
    """The segment of each path, as it was written; CorruptStoreError for anything else."""
    try:
        return {item["path_key"]: item["segment_id"] for item in map(json.loads, data.splitlines())}
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptStoreError(f"{place} is not a file index: {error!r}.") from error


def read(layout: Layout, ref: FileRef) -> list[Tombstone]:
    """The tombstones of one file."""
    try:
        return decode(read_unfollowed(os.path.join(layout.path, ref.path)), ref.path)
    except OSError as error:
        raise shortage_of(error) or CorruptStoreError(f"{ref.path} can't be read: {error.strerror}.") from error


def dead_paths(layout: Layout, manifest: Manifest) -> Mapping[str, frozenset[str]]:
    """For each segment the paths that are hidden in it."""
    dead: dict[str, set[str]] = defaultdict(set)
    for ref in manifest.tombstones:
        paths = [item.path_key for item in read(layout, ref)]
        for segment_id in ref.applies_to:
            dead[segment_id].update(paths)
    return defaultdict(frozenset, {segment_id: frozenset(paths) for segment_id, paths in dead.items()})
