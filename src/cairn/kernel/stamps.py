"""Whether files and folders still have the stamps that they had."""

import os
import struct

from cairn.kernel.core import core

STAMP = struct.Struct("<qqqQ")
"""mtime_ns, ctime_ns, size, inode"""


def stamps_stand(root: str, names: bytes, stamps: bytes) -> bool:
    """Whether each of the paths, from a root on and with NUL in between, has its stamp; links are not followed."""
    native = core()
    check = stamps_stand_by_reference if native is None else native.stamps_stand
    return bool(check(os.fsencode(root), names, stamps))


def stamps_stand_by_reference(root: bytes, names: bytes, stamps: bytes) -> bool:
    """The same by the reference."""
    paths = names.split(b"\0")
    if len(stamps) != len(paths) * STAMP.size:
        return False
    lstat = os.lstat
    join = os.path.join
    for name, stamp in zip(paths, STAMP.iter_unpack(stamps), strict=True):
        try:
            found = lstat(join(root, name))
        except OSError:
            return False
        if stamp != (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino):
            return False
    return True
