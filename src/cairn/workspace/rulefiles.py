"""Ignore files as they lie in a tree."""

import os
import stat
import time

from cairn.base.errors import IgnoreFileError
from cairn.workspace.beneath import Beneath
from cairn.workspace.ignore import MAX_IGNORE_BYTES, IgnoreFile, parse_ignore
from cairn.workspace.pathkey import quoted
from cairn.workspace.reads import Stamp, TooLargeError, read_stable
from cairn.workspace.stamps import trusted


def read_rules(tree: Beneath, folder: str, name: str) -> tuple[IgnoreFile | None, Stamp | None]:
    """Rules and the stamp under which they may be kept, from one read; (None, None) without a plain file."""
    raw = f"{folder}/{name}" if folder else name
    started = time.time_ns()
    try:
        found = os.stat(raw, dir_fd=tree.fd, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode):
            return None, None
        read = read_stable(tree, raw, MAX_IGNORE_BYTES)
    except FileNotFoundError:
        return None, None
    except TooLargeError as error:
        raise IgnoreFileError(
            f"{quoted(raw)} is larger than {MAX_IGNORE_BYTES} bytes.",
            hint="Shorten the file: patterns for whole folders need one line each.",
        ) from error
    except OSError as error:
        raise IgnoreFileError(f"{quoted(raw)} can't be read: {error.strerror}.") from error
    return parse_ignore(folder, name, read.data), trusted(read.stamp, started)
