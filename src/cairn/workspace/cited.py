"""Files by their keys: what they hold now, and whether that is still what a snapshot says."""

import contextlib
import os
import unicodedata

from cairn.config import MAX_FILE_BYTES
from cairn.errors import CairnError
from cairn.workspace.beneath import Beneath
from cairn.workspace.links import resolve
from cairn.workspace.reads import FileRead, NotRegularError, read_stable


def file_state(tree: Beneath, path_key: str) -> str | None:
    """The hash of a file as it is now; None when it is gone, "" when it is there but can't be read."""
    try:
        return read_now(tree, path_key).file_hash
    except (FileNotFoundError, NotADirectoryError, NotRegularError):
        return None
    except (OSError, CairnError):
        return ""


def read_now(tree: Beneath, path_key: str) -> FileRead:
    """A file by its key, which is in NFC: its name on disk may be in another form, or a link within the tree."""
    if path_key.isascii():
        # The kernel tells at once whether there is a link on the way; only then is it looked for.
        with contextlib.suppress(FileNotFoundError):
            return read_stable(tree, path_key, MAX_FILE_BYTES)
    return read_stable(tree, resolve(tree.root, _raw_name(tree.root, path_key)), MAX_FILE_BYTES)


def _raw_name(root: str, path_key: str) -> str:
    here = root
    for part in path_key.split("/"):
        exact = os.path.join(here, part)
        if not part.isascii() and not os.path.lexists(exact):
            exact = os.path.join(here, unicodedata.normalize("NFD", part))
        here = exact
    return here[len(root) + 1 :]
