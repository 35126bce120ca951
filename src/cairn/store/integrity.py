"""Checking artifacts against the manifest, without hashing the same bytes twice.

A verified artifact isn't hashed again while the stamps of its files stand. The stamps are a cache,
kept best effort; `health` ignores them and hashes everything anew, which is what finds silent rot.
"""

import json
import os
import time
from typing import Any

from cairn.errors import CorruptStoreError
from cairn.store.digest import Digest, combine, digest_file, files_beneath
from cairn.store.layout import Layout
from cairn.store.manifest import Manifest

_STAMPS = "stamps.json"
_SETTLED_NS = 100_000_000


class Verifier:
    """Verifies artifacts of one store; `fresh` trusts no stamp."""

    def __init__(self, layout: Layout, *, fresh: bool = False) -> None:
        self._layout = layout
        self._fresh = fresh
        self._known = {} if fresh else _load(layout)
        self._learned: dict[str, Any] = {}

    def verify(self, manifest: Manifest, *, except_for: frozenset[str] = frozenset()) -> None:
        """Every artifact of a snapshot, or CorruptStoreError that names the first bad one."""
        for name, digest in artifacts(manifest):
            if name not in except_for:
                self.check(name, digest)

    def check(self, name: str, expected: Digest) -> None:
        path = os.path.join(self._layout.path, name)
        files = files_beneath(path) if os.path.isdir(path) else [""]
        try:
            stamps = {file: _stamp(os.path.join(path, file) if file else path) for file in files}
        except (FileNotFoundError, NotADirectoryError) as error:
            raise CorruptStoreError(f"{name} is missing.") from error
        known = self._known.get(name)
        if known is not None and known["sha256"] == expected.sha256 and known["stamps"] == stamps:
            return
        found = self._digest(path, files)
        if found != expected:
            raise CorruptStoreError(
                f"{name} is damaged: {found.size_bytes} bytes with sha256 {found.sha256[:12]}…, "
                f"not {expected.size_bytes} with {expected.sha256[:12]}…."
            )
        if max((max(stamp[2:]) for stamp in stamps.values()), default=0) + _SETTLED_NS < time.time_ns():
            self._learned[name] = {"sha256": expected.sha256, "stamps": stamps}

    def remember(self) -> None:
        """Keep what was learnt, if that is possible at all."""
        if not self._learned or self._fresh:
            return
        present = {
            name: entry
            for name, entry in (self._known | self._learned).items()
            if os.path.exists(os.path.join(self._layout.path, name))
        }
        path = os.path.join(self._layout.cache, _STAMPS)
        try:
            self._layout.write_file(path, json.dumps(present).encode())
        except OSError:
            # A reader may have no right to write here, or no room: then it hashes again next time.
            return
        self._known, self._learned = present, {}

    @staticmethod
    def _digest(path: str, files: list[str]) -> Digest:
        try:
            if files == [""]:
                return digest_file(path)
            return combine({file: digest_file(os.path.join(path, file)) for file in files})
        except OSError as error:
            raise CorruptStoreError(f"{path} can't be read: {error.strerror}.") from error


def artifacts(manifest: Manifest) -> list[tuple[str, Digest]]:
    """(path within the store, digest) of everything that a manifest references."""
    segments = [(f"segments/{ref.segment_id}", ref.digest) for ref in manifest.segments]
    return segments + [(ref.path, ref.digest) for ref in (*manifest.tombstones, *manifest.file_index)]


def _stamp(path: str) -> list[int]:
    found = os.stat(path, follow_symlinks=False)
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _load(layout: Layout) -> dict[str, Any]:
    try:
        with open(os.path.join(layout.cache, _STAMPS), "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        name: entry
        for name, entry in found.items()
        if isinstance(entry, dict) and isinstance(entry.get("stamps"), dict) and isinstance(entry.get("sha256"), str)
    }
