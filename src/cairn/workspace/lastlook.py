"""What the last look at a tree rested on, for the next question and the next process.

While all of it stands, another look would find the tree as the snapshot tells it: the stamps of every folder, file and
rule that was looked at, those of what git keeps its state in, and where links lead. Where nothing but some files has
moved, nothing but those can differ. It is checked without making any object a file. Whoever can write this file can
hide a change, so it belongs where only the user can write.

A line with the format and a checksum, a line of JSON (the place, the snapshot, the links, how many names decide what
the others mean, the number of bytes in stamps, what one should know of the tree), the stamps, and the names with NUL in
between: first what decides, then files. A file whose stamp proves nothing has one that no file can have.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping

from cairn.base.errors import CairnError
from cairn.base.notes import Note, note_from
from cairn.base.values import dataclass, replace
from cairn.kernel.stamps import STAMP, stamps_moved
from cairn.workspace.gitfolders import git_folders
from cairn.workspace.links import Alias, resolve
from cairn.workspace.pathkey import nfc
from cairn.workspace.reads import Stamp, stamp_of
from cairn.workspace.stamps import trusted

_FORMAT = b"cairn-look-3"
_NEVER = STAMP.pack(-1, -1, -1, 0)


@dataclass(frozen=True, slots=True)
class LastLook:
    """A tree that is as a snapshot tells it while the stamps and links stand."""

    place: str
    """The identity of the tree, and what else decides what a look finds."""
    snapshot_id: str
    links: tuple[tuple[str, str], ...]
    fixed: int
    """How many names, the first ones, are of folders, rules and git: where one of them moved, anything may differ."""
    names: bytes
    stamps: bytes
    notes: tuple[Note, ...] | None = None
    """What one should know of the tree as a whole, as a walk found it; None where that was not asked for."""

    def moved(self, root: str) -> Mapping[str, int] | None:
        """Files that may differ, each with its place among the names; None where more than files may."""
        try:
            if any(nfc(resolve(root, link)) != target for link, target in self.links):
                return None
        except (CairnError, OSError):
            return None
        places = stamps_moved(root, self.names, self.stamps)
        if places and places[0] < self.fixed:
            return None
        names = self.names.split(b"\0") if places else []
        return {os.fsdecode(names[place]): place for place in places}

    def renewed(self, stamps: Mapping[int, Stamp | None]) -> "LastLook":
        """The same with other stamps at some places, where files were looked at again; None proves nothing."""
        data = bytearray(self.stamps)
        for place, stamp in stamps.items():
            data[place * STAMP.size : (place + 1) * STAMP.size] = _packed(stamp)
        return replace(self, stamps=bytes(data))

    def encoded(self) -> bytes:
        """The form that is kept."""
        notes = None if self.notes is None else [note.document() for note in self.notes]
        head = json.dumps([self.place, self.snapshot_id, self.links, self.fixed, len(self.stamps), notes]).encode()
        body = head + b"\n" + self.stamps + self.names
        return _FORMAT + b" " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def decoded(data: bytes) -> LastLook | None:
    """What was kept; None where it is damaged or has another form."""
    head, _, body = data.partition(b"\n")
    if head != _FORMAT + b" " + hashlib.sha256(body).hexdigest().encode():
        return None
    header, _, rest = body.partition(b"\n")
    try:
        place, snapshot_id, links, fixed, size, said = json.loads(header)
        pairs = tuple((link, target) for link, target in links)
        notes = None if said is None else tuple(map(note_from, said))
        return LastLook(place, snapshot_id, pairs, fixed, rest[size:], rest[:size], notes)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def last_look(
    place: str,
    snapshot_id: str,
    fixed: Mapping[str, Stamp],
    files: Mapping[str, Stamp | None],
    aliases: Iterable[Alias],
) -> LastLook:
    """A look that later questions and processes may rest on: what decides, and the files that it decided on."""
    free = {raw: stamp for raw, stamp in files.items() if raw not in fixed}
    return LastLook(
        place,
        snapshot_id,
        tuple((alias.raw, alias.target) for alias in aliases),
        len(fixed),
        b"\0".join(map(os.fsencode, (*fixed, *free))),
        b"".join(map(_packed, (*fixed.values(), *free.values()))),
    )


def _packed(stamp: Stamp | None) -> bytes:
    return _NEVER if stamp is None else STAMP.pack(*stamp)


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
