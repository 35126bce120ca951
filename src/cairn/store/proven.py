"""Artifacts that this process has verified, and the stamps that prove that they are still as they were.

A question verifies what it reads, and a process that is asked again and again would look at the same files by the same
steps. What was found whole is kept with the stamps of its files and folders from before, if these were old enough to
tell of any change; one call then holds all of them against the disk. Nothing of it outlives the process.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from functools import partial

from cairn.base.values import dataclass
from cairn.kernel.stamps import STAMP, stamps_moved
from cairn.store.digest import Digest

_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Verified:
    """The stamps under which an artifact had its digest, by path from the store on."""

    digest: Digest
    stamps: Mapping[str, _Stamp]


_PROVEN: dict[str, Mapping[str, Verified]] = {}
"""Of each store the artifacts that were verified last."""


def standing(store: str, wanted: Iterable[tuple[str, Digest]]) -> Mapping[str, Verified]:
    """Those of some artifacts that are proven to be whole."""
    known = _PROVEN.get(store, {})
    found = {name: known[name] for name, digest in wanted if name in known and known[name].digest == digest}
    stamps = {path: stamp for proof in found.values() for path, stamp in proof.stamps.items()}
    if not stamps:
        return {}
    names = b"\0".join(map(os.fsencode, stamps))
    packed = b"".join(STAMP.pack(*stamp) for stamp in stamps.values())
    # Where anything moved, all is looked at as if nothing were known: that tells what it was.
    return {} if stamps_moved(store, names, packed) else found


def keep(store: str, proofs: Mapping[str, Verified]) -> None:
    """Keep what was proven of a snapshot's artifacts, in the place of all that was known of the store."""
    _PROVEN[store] = proofs


def stamps_beneath(store: str, name: str) -> Mapping[str, _Stamp]:
    """The stamps of an artifact, its folders with it; nothing where it can't be looked at."""
    found: dict[str, _Stamp] = {}
    waiting = [name]
    try:
        while waiting:
            inside = waiting.pop()
            seen = os.lstat(os.path.join(store, inside))
            found[inside] = (seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino)
            if stat.S_ISDIR(seen.st_mode):
                waiting += map(partial(os.path.join, inside), os.listdir(os.path.join(store, inside)))
    except OSError:
        return {}
    return found
