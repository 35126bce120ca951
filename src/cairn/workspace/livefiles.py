"""Files on disk by their path keys: their present content, and whether a snapshot still describes it."""

import contextlib
import os
import time
import unicodedata
from collections.abc import Iterable, Mapping

from cairn.base.errors import CairnError, UsageError
from cairn.config.project import MAX_FILE_BYTES
from cairn.workspace.beneath import Beneath
from cairn.workspace.links import resolve
from cairn.workspace.pathkey import key_beneath, nfc
from cairn.workspace.reads import FileRead, NotRegularError, Stamp, TooLargeError, read_stable, stamp_of
from cairn.workspace.stamps import trusted

_KNOWN_FILES = 10_000


class FileStates:
    """Files as they are now; one is read again only when its stamp has changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Stamp, str]] = {}

    def of(self, tree: Beneath, path_keys: Iterable[str]) -> dict[str, str | None]:
        """The hash of each of some files; None for one that is gone, "" for one that is there but can't be read."""
        return {path_key: self._state(tree, path_key) for path_key in path_keys}

    def _state(self, tree: Beneath, path_key: str) -> str | None:
        if (held := tree.over.get(path_key)) is not None:
            return held.file_hash
        try:
            known = self._known.get(path_key)
            if known is not None and _has_stamp(tree, path_key, known[0]):
                return known[1]
            looked = time.time_ns()
            read = read_now(tree, path_key)
        except (FileNotFoundError, NotADirectoryError, NotRegularError):
            return None
        except (OSError, CairnError):
            return ""
        if trusted(read.stamp, looked) is not None:
            if len(self._known) >= _KNOWN_FILES:
                self._known = {}
            self._known[path_key] = read.stamp, read.file_hash
        return read.file_hash


def _has_stamp(tree: Beneath, path_key: str, stamp: Stamp) -> bool:
    """Whether a file under its own name, without a link on the way, has a stamp."""
    try:
        fd = tree.open_file(path_key, follow=False)
    except OSError:
        return False
    try:
        return stamp_of(os.fstat(fd)) == stamp
    finally:
        os.close(fd)


def out_of_sight(root: str, folders: Mapping[str, Iterable[str]]) -> list[str]:
    """The files that a listing of their folders doesn't show; the caller has to look for these one by one.

    A listing costs a fraction of opening each file, so a whole tree can be compared with the disk.
    """
    missing: list[str] = []
    for folder, paths in folders.items():
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                seen = {nfc(entry.name) for entry in entries if entry.is_file(follow_symlinks=False)}
        except OSError:
            seen = set()
        missing += (path for path in paths if path.rpartition("/")[2] not in seen)
    return missing


def read_now(tree: Beneath, path_key: str) -> FileRead:
    """Read a file by its key. Its name on disk may have another Unicode form, or be a link within the tree."""
    if path_key.isascii() or path_key in tree.over:
        # The kernel says at once whether there is a link on the way; only then is it resolved.
        with contextlib.suppress(FileNotFoundError):
            return read_stable(tree, path_key, MAX_FILE_BYTES)
    return read_stable(tree, real_path(tree.root, path_key), MAX_FILE_BYTES)


def real_path(root: str, path_key: str) -> str:
    """The path from the root, as the file system spells it, of the file that a key names through whatever links."""
    return resolve(root, _raw_name(root, path_key))


def real_key(root: str, path: str) -> str:
    """The key of a file that is named in full or from the root on, by its own name or by that of a link in the tree.

    UsageError for one that lies elsewhere.
    """
    key = key_beneath(root, path)
    try:
        return nfc(real_path(root, key))
    except (OSError, CairnError):
        # It is gone, or leads out of the root: whoever opens it says so.
        return key


def unreadable(path_key: str, error: OSError) -> UsageError:
    """Why a file can't be read, for people."""
    if isinstance(error, TooLargeError):
        why = f"it has more than {MAX_FILE_BYTES >> 20} MiB"
        return UsageError(f"{path_key} can't be read: {why}.", hint="Read it with another program.")
    why = error.strerror or "it is no plain file"
    return UsageError(f"{path_key} can't be read: {why}.", hint="Name a plain file that you may read.")


def _raw_name(root: str, path_key: str) -> str:
    here = root
    for part in path_key.split("/"):
        exact = os.path.join(here, part)
        if not part.isascii() and not os.path.lexists(exact):
            exact = os.path.join(here, unicodedata.normalize("NFD", part))
        here = exact
    return here[len(root) + 1 :]
