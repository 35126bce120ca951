"""What the last look at a tree rested on, for the next question and the next process.

While all of it stands, another look would find the tree as the snapshot tells it: the stamps of every folder, file and
rule that was looked at, those of what git keeps its state in, and where links lead. It is checked without making any
object a file. Whoever can write this file can hide a change, so it belongs where only the user can write.

A line with the format and a checksum, a line of JSON (the place, the snapshot, the links), the stamps, and the names
with NUL in between.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping

from cairn.base.errors import CairnError
from cairn.base.values import dataclass
from cairn.kernel.stamps import STAMP, stamps_stand
from cairn.workspace.git import git_folders
from cairn.workspace.links import Alias, resolve
from cairn.workspace.pathkey import nfc
from cairn.workspace.reads import Stamp, stamp_of
from cairn.workspace.stamps import trusted

_FORMAT = b"cairn-look-1"


@dataclass(frozen=True, slots=True)
class LastLook:
    """A tree that is as a snapshot tells it while the stamps and links stand."""

    place: str
    """The identity of the tree, and what else decides what a look finds."""
    snapshot_id: str
    links: tuple[tuple[str, str], ...]
    names: bytes
    stamps: bytes

    def stands(self, root: str) -> bool:
        """Whether everything is as it was."""
        try:
            led = all(nfc(resolve(root, link)) == target for link, target in self.links)
        except (CairnError, OSError):
            return False
        return led and stamps_stand(root, self.names, self.stamps)

    def encoded(self) -> bytes:
        """The form that is kept."""
        head = json.dumps([self.place, self.snapshot_id, self.links, len(self.stamps)]).encode()
        body = head + b"\n" + self.stamps + self.names
        return _FORMAT + b" " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def decoded(data: bytes) -> LastLook | None:
    """What was kept; None where it is damaged or has another form."""
    head, _, body = data.partition(b"\n")
    if head != _FORMAT + b" " + hashlib.sha256(body).hexdigest().encode():
        return None
    header, _, rest = body.partition(b"\n")
    try:
        place, snapshot_id, links, size = json.loads(header)
        return LastLook(place, snapshot_id, tuple((link, target) for link, target in links), rest[size:], rest[:size])
    except (TypeError, ValueError):
        return None


def last_look(
    place: str, snapshot_id: str, root: str, stamps: Mapping[str, Stamp], aliases: Iterable[Alias]
) -> LastLook | None:
    """A look that a later process may rest on; None where a link leads elsewhere by now."""
    found = LastLook(
        place,
        snapshot_id,
        tuple((alias.raw, alias.target) for alias in aliases),
        b"\0".join(map(os.fsencode, stamps)),
        b"".join(STAMP.pack(*stamp) for stamp in stamps.values()),
    )
    return found if found.stands(root) else None


def git_stamps(root: str) -> Mapping[str, Stamp] | None:
    """The stamps of what git's head and status depend on, from before a look; None where they prove nothing."""
    now, found = time.time_ns(), dict[str, Stamp]()
    try:
        for folder in git_folders(root):
            with os.scandir(folder) as entries:
                paths = [folder, *(entry.path for entry in entries if not entry.is_dir(follow_symlinks=False))]
            for path in paths:
                stamp = trusted(stamp_of(os.lstat(path)), now)
                if stamp is None:
                    return None
                found[path] = stamp
    except OSError:
        return None
    return found
