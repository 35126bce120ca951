"""What the editor shows of a codebase where its snapshot has it otherwise: that is what answers are to tell of.

Texts that are not saved lie over the snapshot. So do files that an answer cites and that changed since, as they are on
disk now: the question is asked once more, instead of guessing where the places of the old text would be in the new one.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cairn.base.ulid import is_ulid, made_ms

_MOST_BYTES = 8 << 20
_MOST_FILES = 200
"""So many changed files are laid over; a sync that takes in more is due."""
Texts = Mapping[str, bytes]
NO_TEXTS: Texts = {}


class MovedFiles:
    """The files of each codebase that were found changed since its snapshot; from any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[str, tuple[str, dict[str, tuple[object, bytes]]]] = {}
        """Of each root the snapshot that answered, and of each file its stamp and text."""

    def over(self, root: str, texts: Texts) -> Texts:
        """Texts of the editor, and the files that changed as they are now; what is open counts as it is open."""
        with self._guard:
            _, files = self._known.get(root, ("", {}))
            if not files:
                return texts
            for path, (stamp, _) in list(files.items()):
                if stamp != _stamp(path) and not _read_into(files, path):
                    del files[path]
            return {path: text for path, (_, text) in files.items()} | dict(texts)

    def learn(self, root: str, document: Mapping[str, Any]) -> bool:
        """Look at the files that an answer cites, where it says that some have changed; whether any is new."""
        moved = (document.get("freshness") or {}).get("moved")
        return self._take_in(root, str(document.get("snapshot_id") or ""), _cited(document) if moved else ())

    def look_at(self, root: str, snapshot: str, paths: Iterable[str]) -> bool:
        """The same for files of which nobody has said that they changed: their times tell."""
        made = made_ms(snapshot) * 1_000_000 if is_ulid(snapshot) else 0
        newer = (path for path in paths if _changed_ns(os.path.join(root, path)) > made)
        return self._take_in(root, snapshot, newer)

    def _take_in(self, root: str, snapshot: str, paths: Iterable[str]) -> bool:
        with self._guard:
            known, files = self._known.get(root, ("", {}))
            if known != snapshot:
                known, files = snapshot, {}
                self._known[root] = known, files
            before = len(files)
            for path in dict.fromkeys(paths):
                full = os.path.join(root, path)
                if full not in files and len(files) < _MOST_FILES:
                    _read_into(files, full)
            return len(files) > before


def _cited(value: Any) -> Iterator[str]:
    """Every path that an answer names."""
    if isinstance(value, dict):
        path = value.get("path")
        if isinstance(path, str) and path and value.get("changed_since", True):
            yield path
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            if isinstance(each, dict | list):
                yield from _cited(each)


def _read_into(files: dict[str, tuple[object, bytes]], path: str) -> bool:
    stamp = _stamp(path)
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError):
        return False
    if len(data) > _MOST_BYTES:
        return False
    files[path] = stamp, data
    return True


def _changed_ns(path: str) -> int:
    try:
        return os.stat(path).st_ctime_ns
    except (OSError, ValueError):
        return 0


def _stamp(path: str) -> object:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
