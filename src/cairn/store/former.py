"""Stores of former commits, beside the store of the work tree that they were built on.

<home>/commits/<store>/<key>/    an ordinary store; it shares segments with others by hard links
<home>/commits/<store>/blobs     what is known of git's blobs: a sha256 of the rest, and JSON

All of it can be made anew from git, so it is kept under a budget, and what was used least goes first.
"""

import contextlib
import hashlib
import json
import os

from cairn.base import durable
from cairn.base.errors import CairnError
from cairn.store.integrity import COMMITS
from cairn.store.inventory import last_used, remove_store_at, stores_in

BUDGET = "CAIRN_COMMITS_MB"
_USUAL_MB = 1024
_MOST_FACTS = 500_000


def store_of_commit(home: str, store_id: str, key: str) -> str:
    """The folder of the store of a commit."""
    return os.path.join(home, COMMITS, store_id, key)


def beside(home: str, store_id: str) -> list[str]:
    """The stores of commits that were built beside a store, the one that was used last first."""
    return stores_in(os.path.join(home, COMMITS, store_id))


def make_room(home: str, kept: str) -> None:
    """Remove what was used least until all that only stores of commits hold is within the budget; one is `kept`."""
    stores = sorted(
        (path for each in stores_in(os.path.join(home, COMMITS)) for path in stores_in(each)), key=last_used
    )
    sizes = {path: _own_bytes(path) for path in stores}
    left = sum(sizes.values()) - _budget()
    for path in stores:
        if left <= 0:
            return
        if path != kept and removed(home, path):
            left -= sizes[path]


def removed(home: str, path: str) -> bool:
    """Remove one; False where somebody reads or writes it."""
    try:
        return remove_store_at(path, home)
    except (CairnError, OSError):
        return False


def read_facts(home: str, store_id: str) -> dict[str, str]:
    """What is known of blobs; nothing where it can't be read or is damaged."""
    with contextlib.suppress(OSError, ValueError), open(_facts(home, store_id), "rb") as file:
        digest, _, data = file.read().partition(b"\n")
        if hashlib.sha256(data).hexdigest().encode() == digest:
            found: dict[str, str] = json.loads(data)
            return found
    return {}


def write_facts(home: str, store_id: str, facts: dict[str, str]) -> None:
    """Keep what is known of blobs, best effort: without it they are read again."""
    data = json.dumps(dict(list(facts.items())[-_MOST_FACTS:])).encode()
    with contextlib.suppress(OSError):
        digest = hashlib.sha256(data).hexdigest().encode()
        durable.write_cache(_facts(home, store_id), digest + b"\n" + data, 0o600)


def _facts(home: str, store_id: str) -> str:
    return os.path.join(home, COMMITS, store_id, "blobs")


def _own_bytes(path: str) -> int:
    """The bytes of files that no other store has a link to."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                found = os.lstat(os.path.join(folder, name))
                total += found.st_size if found.st_nlink == 1 else 0
    return total


def _budget() -> int:
    given = os.environ.get(BUDGET, "")
    return (int(given) if given.isascii() and given.isdigit() and len(given) < 12 else _USUAL_MB) << 20
