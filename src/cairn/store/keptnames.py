"""The definitions of a segment as they were put together for whoever types, kept beside the index.

Best effort, like all of a store's cache: a file with another sum is none, and one that can't be written is made again.
"""

import contextlib
import hashlib
import os

from cairn.base import durable
from cairn.store.layout import Layout

_KEPT, _FORMAT, _SUM = "names-", 1, 32
"""What the file of a segment is called, the number of its format, and the size of its sum at the front."""


def kept_names(layout: Layout, segment_id: str) -> bytes | None:
    """What was kept of a segment; None where nothing was or it is damaged."""
    try:
        kept = layout.read_file(_path(layout, segment_id))
    except OSError:
        return None
    return kept[_SUM:] if kept[:_SUM] == _sum_of(segment_id, kept[_SUM:]) else None


def keep_names(layout: Layout, segment_id: str, joined: bytes) -> None:
    """Keep them, and forget those of segments that are there no longer."""
    with contextlib.suppress(OSError):  # It may not be ours to write, or there is no room.
        layout.write_cache(_path(layout, segment_id), _sum_of(segment_id, joined) + joined)
        for name in os.listdir(layout.cache):
            if name.startswith(_KEPT) and not os.path.isdir(layout.segment(name.removeprefix(_KEPT))):
                durable.remove(os.path.join(layout.cache, name), ignore_errors=True)


def _path(layout: Layout, segment_id: str) -> str:
    return os.path.join(layout.cache, _KEPT + segment_id)


def _sum_of(segment_id: str, joined: bytes) -> bytes:
    return hashlib.sha256(f"{_FORMAT} {segment_id} ".encode() + joined).digest()
