"""`vectors.json`: what the vectors of a segment must be, where they lie outside of its folder.

The file is a part of the segment, so the manifest's checksum covers it, and through its digest the
vectors.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cairn.base import durable, lazy
from cairn.base.errors import CairnError, CorruptStoreError
from cairn.base.ownfile import read_unfollowed
from cairn.base.shortage import shortage_of
from cairn.base.values import as_dict, dataclass
from cairn.engines.places import file_mode, moved, places_of
from cairn.engines.protocol import Vectors

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy.module("numpy")

_FILE = "vectors.json"
_VERSION = 1
_ROWS_AT_ONCE = 8192
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class VectorRecord:
    """Where a segment's vectors are, how many there are, and their digest."""

    place: str
    """The collection, or the folder of tables."""
    rows: int
    dimension: int
    digest: str
    version: int = 0
    """The table's version, if the engine counts changes; else 0."""

    def text(self) -> str:
        """The record as JSON, as it stands in `vectors.json` and in a marker."""
        said = {key: value for key, value in as_dict(self).items() if key != "version" or value}
        return json.dumps({"schema_version": _VERSION, **said}, sort_keys=True)


class Digester:
    """sha256 over (row number, vector) of rows in order: a number as 8 bytes, big end first, then its floats."""

    def __init__(self) -> None:
        self._hasher = hashlib.sha256()
        self._next = 0

    def add(self, vectors: Vectors) -> None:
        """Take in the next rows."""
        for start in range(0, len(vectors), _ROWS_AT_ONCE):
            part = vectors[start : start + _ROWS_AT_ONCE]
            rows = np.empty(len(part), dtype=[("number", ">i8"), ("vector", "<f4", (part.shape[1],))])
            rows["number"] = np.arange(self._next, self._next + len(part))
            rows["vector"] = part
            self._hasher.update(rows.tobytes())
            self._next += len(part)

    def text(self) -> str:
        """The digest of all rows so far, in hexadecimal."""
        return self._hasher.hexdigest()


def digest_of(parts: Iterable[Vectors]) -> str:
    """The digest of rows that come in parts."""
    digester = Digester()
    for part in parts:
        digester.add(part)
    return digester.text()


def write_record(folder: str, record: VectorRecord) -> None:
    """Write `vectors.json` into a segment's folder."""
    durable.write_new_file(os.path.join(folder, _FILE), (record.text() + "\n").encode(), file_mode(folder))


def has_record(folder: str) -> bool:
    """Whether a segment's vectors lie outside of its folder."""
    return os.path.lexists(os.path.join(folder, _FILE))


def place_in(folder: str) -> str:
    """The place that a segment's record names, whatever else it says; empty if it can't be read."""
    with contextlib.suppress(OSError):
        record = parse_record(read_unfollowed(os.path.join(folder, _FILE)))
        return record.place if record is not None else ""
    return ""


def elsewhere(store: str, folder: str) -> CairnError:
    """The error for a segment whose table is at an address while the settings name none."""
    found = next((place for place in places_of(store) if place.name == place_in(folder)), None)
    if found is not None:
        return moved(found, "")
    return CorruptStoreError(f"The vectors of {os.path.basename(folder)} lie at an address that nobody knows.")


def read_record(folder: str, count: int, dimension: int) -> VectorRecord:
    """A segment's record; CorruptStoreError if it doesn't fit the number of rows or their dimension."""
    path = os.path.join(folder, _FILE)
    try:
        record = parse_record(read_unfollowed(path))
    except OSError as error:
        raise shortage_of(error) or CorruptStoreError(f"{path} can't be read: {error.strerror}.") from error
    if record is None:
        raise CorruptStoreError(f"{path} doesn't say what the vectors are.")
    if (record.rows, record.dimension) != (count, dimension):
        raise CorruptStoreError(
            f"{path} is of {record.rows} rows of {record.dimension}, not of {count} rows of {dimension}."
        )
    return record


def parse_record(data: bytes | str) -> VectorRecord | None:
    """The record in some JSON; None if it holds none."""
    try:
        document: Any = json.loads(data)
        if document.pop("schema_version") != _VERSION:
            return None
        kinds = [type(document[key]) for key in ("place", "rows", "dimension", "digest")]
        known = kinds == [str, int, int, str] and type(document.get("version", 0)) is int
        return VectorRecord(**document) if known and _DIGEST.fullmatch(document["digest"]) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
