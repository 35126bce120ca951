"""Checking artifacts against the manifest, without hashing the same bytes twice.

A verified artifact isn't hashed again while the stamps of its files stand. The stamps are a cache,
kept best effort; `health` ignores them and hashes everything anew, which is what finds silent rot.

An artifact consists of regular files of the store's own. A link in it is damage, since a stamp would tell nothing of
what it leads to; so is a further name outside of the home's stores, by which others could write. Stores that were
started from one another have links to the same segments, which are told apart by counting the names in all of them.
"""

import contextlib
import errno
import json
import os
import stat
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import StrangeFileError, fault_of, folder_fault, kind_fault, names_within
from cairn.base.shortage import shortage_of
from cairn.store import proven
from cairn.store.digest import Digest, combine, digest_file, is_volatile, names_beneath
from cairn.store.layout import TRASH, Layout, StoreKind
from cairn.store.manifest import Manifest

Stamps = dict[str, list[int]]
"""For each file of an artifact: inode, size, mtime_ns and ctime_ns."""
_STAMPS = "stamps.json"
_SEGMENTS = "segments/"
ARRIVALS = "arrivals"
"""The folder of a home in which snapshots from elsewhere are put together."""
COMMITS = "commits"
"""That of the stores of commits: in a folder of the name of the store beside which they were built."""
_SETTLED_NS = 100_000_000


class Verifier:
    """Verifies artifacts of one store; `fresh` trusts no stamp.

    `store` is the store that the layout lies in, where that is no store but a transaction's staging.
    """

    def __init__(self, layout: Layout, *, fresh: bool = False, store: Layout | None = None) -> None:
        self._layout = layout
        self._store = store or layout
        self._fresh = fresh
        self._names: Counter[int] | None = None
        self._kept: dict[str, Any] | None = {} if fresh else None
        self._learned: dict[str, Any] = {}
        self._checked: dict[str, Any] = {}

    def verify(self, manifest: Manifest, *, except_for: frozenset[str] = frozenset()) -> str:
        """Every artifact that an answer needs, or CorruptStoreError that names the first bad one.

        No answer needs the history: what is wrong with that is only told.
        """
        lost = ""
        for name, error in self.faults(manifest, except_for=except_for):
            if manifest.history is None or name != manifest.history.path:
                raise error
            lost = error.message
        return lost

    def faults(
        self, manifest: Manifest, *, except_for: frozenset[str] = frozenset()
    ) -> Iterator[tuple[str, CorruptStoreError]]:
        """What is wrong with which artifacts; what this process knows to be whole is not looked at again."""
        store = self._layout.path
        wanted = [(name, digest) for name, digest in artifacts(manifest) if name not in except_for]
        knows = not self._fresh and not folder_fault(self._layout.segments) and not folder_fault(self._layout.snapshots)
        whole = dict(proven.standing(store, wanted)) if knows else {}
        for name, digest in wanted:
            if name in whole:
                continue
            stamps = proven.stamps_beneath(store, name)
            try:
                self.check(name, digest)
            except CorruptStoreError as error:
                yield name, error
            else:
                if stamps and max(max(stamp[:2]) for stamp in stamps.values()) + _SETTLED_NS < time.time_ns():
                    whole[name] = proven.Verified(digest, stamps)
        proven.keep(store, whole)

    def check(self, name: str, expected: Digest) -> None:
        """CorruptStoreError unless an artifact has the digest that is expected of it."""
        stamps = self._stamps(name)
        if self._knows(name, expected, stamps):
            return
        for file in stamps:
            self._require_own(name, file)
        self._require_content(name, expected, stamps)
        self._note(name, expected, stamps)
        # Time passes between the two looks: what is settled now may not have been when it was noted.
        if name in self._checked and _settled(stamps, 2, 3):
            self._learned[name] = self._checked[name]

    def check_content(self, name: str, expected: Digest) -> None:
        """As `check`, for an artifact of a store that was checked before: only its bytes can have changed since."""
        stamps = self._stamps(name)
        if not self._knows(name, expected, stamps):
            self._require_content(name, expected, stamps)

    def _require_content(self, name: str, expected: Digest, stamps: Stamps) -> None:
        found = self._digest(os.path.join(self._layout.path, name), list(stamps))
        if found != expected:
            raise CorruptStoreError(
                f"{name} is damaged: {found.size_bytes} bytes with sha256 {found.sha256[:12]}…, "
                f"not {expected.size_bytes} with {expected.sha256[:12]}…."
            )

    def standing(self, manifest: Manifest) -> dict[str, Stamps]:
        """The stamps of the artifacts that need not be hashed now."""
        found = {name: (digest, self._stamps(name)) for name, digest in artifacts(manifest)}
        return {name: stamps for name, (digest, stamps) in found.items() if self._knows(name, digest, stamps)}

    def check_link(self, name: str, expected: Digest, verified: Stamps | None) -> None:
        """Check an artifact made of links to files that were verified under some stamps before.

        A link changes nothing but its file's ctime, and a write would change the mtime too.
        """
        stamps = self._stamps(name)
        if verified is None or _without_ctime(stamps) != _without_ctime(verified):
            self.check(name, expected)
        else:
            self._note(name, expected, stamps)

    def remember(self) -> None:
        """Keep what was learnt, if that is possible at all."""
        if not self._learned or self._fresh:
            return
        kept = _keep(self._layout, self._known | self._learned)
        if kept is not None:
            self._kept, self._learned = kept, {}

    def remember_for(self, layout: Layout) -> None:
        """Tell another store that has links to the very files that were checked here.

        A link gives a file a new ctime, so whoever shares it would hash it once more. Its mtime was
        old when it was checked: a write since then shows in it, however young the ctime was.
        """
        shared = {}
        for name, entry in self._checked.items():
            with contextlib.suppress(OSError):
                if _settled(entry["stamps"], 2, 3) and _stamps_of(os.path.join(layout.path, name)) == entry["stamps"]:
                    shared[name] = entry
        if shared:
            _keep(layout, _load(layout) | shared)

    @property
    def _known(self) -> dict[str, Any]:
        """What earlier processes have verified."""
        if self._kept is None:
            self._kept = _load(self._layout)
        return self._kept

    def _stamps(self, name: str) -> Stamps:
        try:
            _require_folder(self._layout.path, name if name.startswith(_SEGMENTS) else os.path.dirname(name))
            return _stamps_of(os.path.join(self._layout.path, name))
        except StrangeFileError as error:
            inside = os.path.relpath(error.filename, self._layout.path)
            raise CorruptStoreError(f"{inside} {error.strerror}.") from error
        except (FileNotFoundError, NotADirectoryError) as error:
            raise CorruptStoreError(f"{name} is missing.") from error

    def _require_own(self, name: str, file: str) -> None:
        """No stamp tells whose a file is and which names it has; a change of either changes its ctime."""
        inside = os.path.join(name, file) if file else name
        path = os.path.join(self._layout.path, inside)
        said, counted_before = self._fault(path), self._names is not None
        if said and counted_before:
            # Another store may have been started or removed since its names were counted.
            self._names = None
            said = self._fault(path)
        if said:
            raise CorruptStoreError(f"{inside} {said}.")

    def _fault(self, path: str) -> str:
        try:
            return fault_of(os.lstat(path), path, self._counted)
        except FileNotFoundError:
            return "is missing"

    def _counted(self) -> Counter[int]:
        if self._names is None:
            self._names = names_within(_family(self._store))
        return self._names

    def _knows(self, name: str, expected: Digest, stamps: Stamps) -> bool:
        known = self._known.get(name)
        return known is not None and known["sha256"] == expected.sha256 and known["stamps"] == stamps

    def _note(self, name: str, expected: Digest, stamps: Stamps) -> None:
        if _settled(stamps, 2):
            self._checked[name] = {"sha256": expected.sha256, "stamps": stamps}

    @staticmethod
    def _digest(path: str, files: list[str]) -> Digest:
        try:
            if files == [""]:
                return digest_file(path)
            return combine({file: digest_file(os.path.join(path, file)) for file in files})
        except OSError as error:
            raise shortage_of(error) or CorruptStoreError(f"{path} can't be read: {error.strerror}.") from error


def artifacts(manifest: Manifest) -> list[tuple[str, Digest]]:
    """(path within the store, digest) of everything that a manifest references."""
    segments = [(f"{_SEGMENTS}{ref.segment_id}", ref.digest) for ref in manifest.folders]
    return segments + [(ref.path, ref.digest) for ref in manifest.files]


def _keep(layout: Layout, entries: dict[str, Any]) -> dict[str, Any] | None:
    """Write what is known of artifacts that are still there; None where that can't be done."""
    present = {name: entry for name, entry in entries.items() if os.path.exists(os.path.join(layout.path, name))}
    try:
        layout.write_cache(os.path.join(layout.cache, _STAMPS), json.dumps(present).encode())
    except OSError:
        # A reader may have no right to write here, or no room: then it hashes again next time.
        return None
    return present


def _settled(stamps: Stamps, *places: int) -> bool:
    """Whether a change from now on is bound to give other time stamps."""
    newest = max((stamp[place] for stamp in stamps.values() for place in places), default=0)
    return newest + _SETTLED_NS < time.time_ns()


def _without_ctime(stamps: Stamps) -> Stamps:
    return {file: stamp[:3] for file, stamp in stamps.items()}


def _family(store: Layout) -> list[str]:
    """Where names of a store's files may lie: in the stores of its home, and in those that are being removed."""
    if store.kind is StoreKind.SHARED:
        return [store.path]
    home, arrives, _ = store.path.partition(f"/{ARRIVALS}/staging/")
    if not arrives:
        place = os.path.dirname(store.path)
        home = os.path.dirname(place)
        if os.path.basename(home) == COMMITS:
            home = os.path.dirname(home)
    trash = (os.path.join(home, name) for name in os.listdir(home) if name.startswith(TRASH))
    return [*(os.path.join(home, name) for name in ("data", COMMITS, ARRIVALS)), *trash]


def _require_folder(store: str, name: str) -> None:
    """StrangeFileError where a folder within the store is none, or a link to one."""
    while name:
        said = folder_fault(os.path.join(store, name))
        if said:
            raise StrangeFileError(errno.ENOTDIR, said, os.path.join(store, name))
        name = os.path.dirname(name)


def _stamps_of(path: str) -> Stamps:
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        return {"": _stamp(path, found)}
    stamps = {name: _stamp(os.path.join(path, name)) for name in names_beneath(path)}
    return {name: stamp for name, stamp in stamps.items() if not is_volatile(name)}


def _stamp(path: str, found: os.stat_result | None = None) -> list[int]:
    found = found or os.lstat(path)
    said = kind_fault(found)
    if said:
        raise StrangeFileError(errno.EINVAL, said, path)
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _load(layout: Layout) -> dict[str, Any]:
    try:
        found = json.loads(layout.read_file(os.path.join(layout.cache, _STAMPS)))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        name: entry
        for name, entry in found.items()
        if isinstance(entry, dict) and isinstance(entry.get("stamps"), dict) and isinstance(entry.get("sha256"), str)
    }
