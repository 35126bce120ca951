"""`vectors.json`: what the vectors of a segment must be, where they lie outside of its folder.

The file is a part of the segment, so the manifest's checksum covers it, and through its digest the
vectors. A collection or folder of tables belongs to one store alone: its name is drawn once and kept
in `engine.json`, so that stores of the same tree on two machines never collect each other's rows.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cairn import durable, later
from cairn.engines.protocol import Vectors
from cairn.errors import CorruptStoreError
from cairn.values import as_dict, dataclass

if TYPE_CHECKING:
    import numpy as np
else:
    np = later.module("numpy")

_FILE = "vectors.json"
_NAME_FILE = "engine.json"
_VERSION = 1
_ROWS_AT_ONCE = 8192
_PREFIX = "cairn_"
_PLACE = re.compile(r"cairn_[0-9a-f]{24}")


@dataclass(frozen=True, slots=True)
class Record:
    place: str
    """The collection, or the folder of tables."""
    rows: int
    dimension: int
    digest: str

    def text(self) -> str:
        return json.dumps({"schema_version": _VERSION, **as_dict(self)}, sort_keys=True)


class Digester:
    """sha256 over (row number, vector) of rows in order: a number as 8 bytes, big end first, then its floats."""

    def __init__(self) -> None:
        self._hasher = hashlib.sha256()
        self._next = 0

    def add(self, vectors: Vectors) -> None:
        for start in range(0, len(vectors), _ROWS_AT_ONCE):
            part = vectors[start : start + _ROWS_AT_ONCE]
            rows = np.empty(len(part), dtype=[("number", ">i8"), ("vector", "<f4", (part.shape[1],))])
            rows["number"] = np.arange(self._next, self._next + len(part))
            rows["vector"] = part
            self._hasher.update(rows.tobytes())
            self._next += len(part)

    def text(self) -> str:
        return self._hasher.hexdigest()


def digest_of(parts: Iterable[Vectors]) -> str:
    digester = Digester()
    for part in parts:
        digester.add(part)
    return digester.text()


def write_record(folder: str, record: Record) -> None:
    durable.write_new_file(os.path.join(folder, _FILE), (record.text() + "\n").encode(), _file_mode(folder))


def read_record(folder: str, count: int, dimension: int) -> Record:
    """The record of a segment that is said to have so many rows."""
    path = os.path.join(folder, _FILE)
    try:
        with open(path, "rb") as file:
            record = parse_record(file.read())
    except OSError as error:
        raise CorruptStoreError(f"{path} can't be read: {error.strerror}.") from error
    if record is None:
        raise CorruptStoreError(f"{path} doesn't say what the vectors are.")
    if (record.rows, record.dimension) != (count, dimension):
        raise CorruptStoreError(
            f"{path} is of {record.rows} rows of {record.dimension}, not of {count} rows of {dimension}."
        )
    return record


def parse_record(data: bytes | str) -> Record | None:
    """None for what is no record."""
    try:
        document: Any = json.loads(data)
        if document.pop("schema_version") != _VERSION:
            return None
        kinds = [type(document[key]) for key in ("place", "rows", "dimension", "digest")]
        return Record(**document) if kinds == [str, int, int, str] else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def place_of(store: str, *, make: bool) -> str | None:
    """The name under which a store's vectors are kept; None where it has none and none is made."""
    path = os.path.join(store, _NAME_FILE)
    try:
        with open(path, "rb") as file:
            known: Any = json.loads(file.read())["place"]
        if isinstance(known, str) and _PLACE.fullmatch(known):
            return known
        raise CorruptStoreError(f"{path} names no place.", hint="Run `cairn clear`, then `cairn index`.")
    except FileNotFoundError:
        if not make:
            return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CorruptStoreError(
            f"{path} can't be read: {error}.", hint="Run `cairn clear`, then `cairn index`."
        ) from error
    name = _PREFIX + secrets.token_hex(12)
    # Only the holder of the lease and a compaction beside it write: whoever is second takes the name of the first.
    drawn = f"{path}{durable.TEMP_MARK}{secrets.token_hex(8)}"
    durable.write_new_file(drawn, json.dumps({"place": name}).encode(), _file_mode(store))
    try:
        os.link(drawn, path)
    except FileExistsError:
        return place_of(store, make=False)
    finally:
        os.unlink(drawn)
        durable.sync_folder(store)
    return name


def _file_mode(folder: str) -> int:
    """That of a shared store where the folder is one's."""
    return 0o660 if stat.S_IMODE(os.stat(folder).st_mode) & 0o070 else 0o600
