"""`staging/<txn>`: what a transaction has written before any of it counts."""

import contextlib
import json
import os
import shutil
import time

from cairn.base import durable
from cairn.base.owner import is_proven_alive, is_proven_dead, owner_from, this_process
from cairn.base.ulid import is_ulid
from cairn.store import faults
from cairn.store.layout import Layout

STAGING_TTL_S = 30 * 60
_OWNER = "owner.json"
_ATTEMPTS = 5


class Staging:
    """A transaction's own folder, with a file that says whose it is."""

    def __init__(self, layout: Layout, txn_id: str) -> None:
        self.path = os.path.join(layout.staging, txn_id)
        document = {"txn_id": txn_id, "created_at_ns": time.time_ns(), **this_process().document()}
        data = json.dumps(document).encode()
        for last in (*[False] * _ATTEMPTS, True):
            # Under its own name the folder has its owner's file from the first moment: without it nobody could tell
            # a maker that died from one that is about to write it.
            temporary = f"{self.path}{durable.TEMP_MARK}{os.urandom(4).hex()}"
            try:
                layout.make_folder(temporary)
                faults.reach("staging.folder_made")
                durable.write_new_file(os.path.join(temporary, _OWNER), data, layout.kind.file_mode)
                durable.move(temporary, self.path)
                break
            except FileNotFoundError:
                # A writer that came just now took what has no name of its own yet for garbage.
                if last:
                    raise
        faults.reach("staging.created")

    def folder(self, name: str) -> str:
        """A folder for one part of the transaction."""
        return os.path.join(self.path, name)

    def remove(self) -> None:
        """The owner's file goes last: as long as anything is left, it tells whose it was."""
        with contextlib.suppress(OSError):
            for name in os.listdir(self.path):
                if name != _OWNER:
                    shutil.rmtree(self.folder(name))
            os.unlink(self.folder(_OWNER))
            os.rmdir(self.path)


def is_abandoned(layout: Layout, txn_id: str, *, leased_txn: str) -> bool:
    """Whether nobody can be at work in a staging folder any more."""
    path = os.path.join(layout.staging, txn_id)
    try:
        owner = owner_from(json.loads(layout.read_file(os.path.join(path, _OWNER))))
    except (OSError, ValueError):
        owner = None
    if is_proven_dead(owner):
        return True
    if txn_id == leased_txn or is_proven_alive(owner):
        return False
    return _is_empty(path) or _is_old(path)


def is_left(layout: Layout, name: str) -> bool:
    """Whether something abandoned has been so for more than a moment.

    A folder that is just being made has no name of its own, and one that is just being taken away has no owner's file.
    """
    path = os.path.join(layout.staging, name)
    return (is_ulid(name) and os.path.exists(os.path.join(path, _OWNER))) or _is_old(path)


def _is_old(path: str) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - os.stat(path).st_mtime > STAGING_TTL_S
    return False


def _is_empty(path: str) -> bool:
    """A folder without even its owner's file: made by a process that died in the next moment."""
    with contextlib.suppress(OSError):
        return not os.listdir(path)
    return False


def abandoned(layout: Layout, *, leased_txn: str) -> list[str]:
    """Folders that no living transaction owns."""
    return [
        name
        for name in sorted(os.listdir(layout.staging))
        if not is_ulid(name) or is_abandoned(layout, name, leased_txn=leased_txn)
    ]


def remove_abandoned(layout: Layout, *, leased_txn: str) -> list[str]:
    """Clean up after transactions that ended without a word; under the lease only."""
    names = abandoned(layout, leased_txn=leased_txn)
    for name in names:
        durable.remove(os.path.join(layout.staging, name), ignore_errors=True)
        faults.reach("gc.staging_removed")
    return names
