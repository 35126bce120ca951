"""Logs: JSON lines about what happened, never about what the code says.

Rotation is by size and count. Whatever goes wrong here stays here: a log can't stop a publish.
"""

import contextlib
import json
import os

from cairn.base.errors import CorruptStoreError
from cairn.store.layout import Layout
from cairn.store.state import now_text

LOG_FILE = "sync.log.jsonl"
MAX_LOG_BYTES = 1024 * 1024
MAX_LOG_FILES = 4


def record(layout: Layout, action: str, root: str, **facts: str | int | float | bool | None) -> None:
    """Append one line."""
    line = json.dumps({"at": now_text(), "action": action, "root": root, "pid": os.getpid(), **facts}) + "\n"
    path = os.path.join(layout.logs, LOG_FILE)
    with contextlib.suppress(OSError, CorruptStoreError):
        _rotate(path)
        fd = layout.open_lock(path, os.O_APPEND)
        try:
            os.write(fd, line.encode())
        finally:
            os.close(fd)


def _rotate(path: str) -> None:
    try:
        if os.stat(path).st_size < MAX_LOG_BYTES:
            return
    except FileNotFoundError:
        return
    for number in range(MAX_LOG_FILES - 1, 0, -1):
        older = path if number == 1 else f"{path}.{number - 1}"
        with contextlib.suppress(FileNotFoundError):
            os.replace(older, f"{path}.{number}")
