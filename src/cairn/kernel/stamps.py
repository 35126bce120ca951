"""Which files and folders no longer have the stamps that they had."""

import os
import struct

from cairn.kernel.core import core

STAMP = struct.Struct("<qqqQ")
"""mtime_ns, ctime_ns, size, inode"""


def stamps_moved(root: str, names: bytes, stamps: bytes) -> list[int]:
    """The places of those of some paths, from a root on and with NUL in between, that don't have their stamps.

    Links are not followed. ValueError where there aren't as many stamps as names.
    """
    native = core()
    find = stamps_moved_by_reference if native is None else native.stamps_moved
    return list(find(os.fsencode(root), names, stamps))


def stamps_moved_by_reference(root: bytes, names: bytes, stamps: bytes) -> list[int]:
    """The same by the reference."""
    paths = names.split(b"\0")
    if len(stamps) != len(paths) * STAMP.size:
        raise ValueError("as many stamps as names are needed")
    lstat = os.lstat
    join = os.path.join
    moved = []
    for place, (name, stamp) in enumerate(zip(paths, STAMP.iter_unpack(stamps), strict=True)):
        try:
            found = lstat(join(root, name))
        except OSError:
            moved.append(place)
            continue
        if stamp != (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino):
            moved.append(place)
    return moved
