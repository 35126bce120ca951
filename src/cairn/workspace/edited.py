"""Files whose stamps moved while all that decides about them stands: nothing but their content can be new."""

import os
import stat
import time

from cairn.base.errors import CairnError
from cairn.config.project import CONFIG_NAME, IndexSettings
from cairn.syntax import language_of
from cairn.workspace.beneath import Beneath
from cairn.workspace.eligibility import content_reason, largest_size
from cairn.workspace.entries import FileEntry
from cairn.workspace.pathkey import nfc
from cairn.workspace.reads import HEAD_BYTES, Stamp, read_stable
from cairn.workspace.secrets import is_private_key
from cairn.workspace.stamps import trusted


def edited_file(tree: Beneath, raw: str, settings: IndexSettings) -> tuple[FileEntry, Stamp | None] | None:
    """A text that counted and still does, with its stamp where that proves something; None where a walk must decide."""
    name = raw.rpartition("/")[2]
    if name.startswith(".git") or name == CONFIG_NAME:
        return None  # it may say what other files mean
    started = time.time_ns()
    try:
        found = os.stat(raw, dir_fd=tree.fd, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            return None
        read = read_stable(tree, raw, largest_size(settings))
    except (CairnError, OSError):
        return None
    if content_reason(read.data) is not None or is_private_key(read.data):
        return None
    key = nfc(raw)
    language = language_of(key, read.data[:HEAD_BYTES])
    entry = FileEntry(key, raw, read.stamp, read.file_hash, read.head_sum, language)
    return entry, trusted(read.stamp, started)
