"""The walk: every eligible file of a tree, every skip with its reason, and a cache of both.

The cache makes a second look cheap. A folder whose stamp and rules stand keeps its list of
candidates, with every ignore decision in it; a file whose stamp stands keeps its outcome. What was
stamped so shortly before the look that a later change could carry the same stamp is not trusted.
"""

import os
import time
from collections.abc import Callable

from cairn.base.errors import OutOfRootError, RootNotFoundError, SymlinkLoopError, UnstableFileError
from cairn.base.garbage import without_collections
from cairn.base.shortage import shortage_of
from cairn.base.values import replace
from cairn.config.project import IndexSettings
from cairn.syntax import language_of
from cairn.workspace import memory
from cairn.workspace.beneath import Beneath, OpenFolder
from cairn.workspace.eligibility import Skip, SkipReason, content_reason, largest_size, size_reason
from cairn.workspace.entries import FileEntry, ScanFailure, TreeScan
from cairn.workspace.gathered import (
    CachedFolder,
    Checked,
    Gathered,
    assembled,
    gather_outcomes,
    leave_out_secrets,
    recalled,
    with_edits,
)
from cairn.workspace.ignore import CAIRNIGNORE, IgnoreFile, RuleChain, excludes_from
from cairn.workspace.listing import is_repository, list_folder
from cairn.workspace.pathkey import display, nfc, quoted
from cairn.workspace.reads import HEAD_BYTES, NotRegularError, Stamp, TooLargeError, read_stable, stamp_of, unchanged
from cairn.workspace.rulefiles import read_rules
from cairn.workspace.secrets import is_private_key
from cairn.workspace.stamps import TreeStamps, trusted

Progress = Callable[[int], None]


class Scanner:
    """Scans one tree under one set of settings; keep it to make the next scan cheap."""

    def __init__(self, tree: Beneath, settings: IndexSettings, *, own_home: str = "", hashing: bool = True) -> None:
        """Without `hashing` entries have no file_hash: enough to say what counts, not what changed."""
        self.tree = tree
        self.hashing = hashing
        self.settings = settings
        self.own_home = own_home
        self._largest = largest_size(settings)
        self._includes = excludes_from(settings.include)
        self._excludes = excludes_from(settings.exclude)
        self._folders: dict[str, CachedFolder] = {}
        self._cairnignore: tuple[Stamp | None, IgnoreFile | None] = (None, None)
        self._barred: dict[str, Skip] = {}
        self._last: TreeScan | None = None
        self._standing: TreeStamps | None = None
        self._memory = memory.Memory()
        self._has_linked = False
        """Whether some files had several hard links: each scan looks whether another name of them is a secret's."""
        self.odd_attributes = False
        """A `.gitattributes` is no plain file: git would wait for ever for what a FIFO says."""

    def scan(
        self,
        *,
        verify: bool = False,
        suspects: frozenset[str] = frozenset(),
        tracked: Callable[[], frozenset[str]] | None = None,
        progress: Progress | None = None,
    ) -> TreeScan:
        """Look at the whole tree.

        `verify` reads every file whatever its stamp says, `suspects` (raw paths) reads those;
        `tracked`, when given, is asked after the walk and leaves out every file and link that it
        doesn't name.
        """
        gathered = Gathered(verify, suspects)
        # A scan that breaks off has renewed some outcomes already: its predecessor's result is void.
        last, self._last = self._last, None
        with without_collections():
            if last is not None and tracked is None and self._only_files_changed(gathered, progress):
                self._last = with_edits(last, gathered)
                return self._last
            self._standing = None
            gathered.failures.clear()
            self._walk(gathered, progress)
        moved = (
            gathered.moved
            or gathered.barred != self._barred
            or gathered.folders.keys() != self._folders.keys()
            # Where a link leads can change far from the folder that holds it.
            or bool(gathered.links)
            # The same is true of the other names of a file.
            or bool(gathered.linked)
        )
        self._folders, self._barred = gathered.folders, gathered.barred
        self.odd_attributes = gathered.odd_attributes
        self._has_linked = bool(gathered.linked)
        if last is not None and not moved and tracked is None:
            self._last = with_edits(last, gathered)
            return self._last
        gather_outcomes(gathered)
        leave_out_secrets(gathered, self.tree, self._cairnignore[1])
        result = assembled(gathered, self.tree.root, None if tracked is None else tracked())
        self._last = result if tracked is None else None
        return result

    def recall(self, data: bytes) -> None:
        """Use what an earlier process learnt: what still has its stamp isn't listed or read again."""
        self._memory = memory.decode(data, self.place())

    def memorise(self) -> bytes:
        """What the last scan learnt, for a later process."""
        kept = ((raw, folder) for raw, folder in self._folders.items() if not folder.namespace)
        return memory.encode((folder.known(raw) for raw, folder in kept), self.place())

    def place(self) -> str:
        """The identity of the scanned folder."""
        return memory.place_of(self.tree.fd, self.own_home)

    def pruned_folders(self) -> frozenset[str]:
        """Raw paths of folders that the last scan didn't enter: a watcher need not look there."""
        skips = (item for folder in self._folders.values() for item in folder.listing.skips.items())
        nested = (raw for raw, folder in self._folders.items() if not self._enters(folder))
        return frozenset((*(raw for raw, skip in skips if skip.path.endswith("/")), *nested))

    def count_links(self) -> int:
        """How many links the last scan came upon."""
        return sum(len(folder.listing.links) for folder in self._folders.values())

    def nested_repositories(self) -> frozenset[str]:
        """Raw paths of the nested repositories that the last scan went into."""
        return frozenset(raw for raw, folder in self._folders.items() if folder.listing.nested and self._enters(folder))

    def _only_files_changed(self, gathered: Gathered, progress: Progress | None) -> bool:
        """Look at the stamps of the last scan: True when nothing but files' contents changed, now in `edits`."""
        self._standing = self._standing or self.standing()
        if self._standing is None or gathered.verify or gathered.suspects or not self._standing.stands(self.tree.fd):
            return False
        if progress is not None:
            progress(len(self._standing.files))
        changed = self._standing.changed(self.tree.fd)
        for raw in changed:
            place = raw.rpartition("/")[0]
            self._check_again(place, self._folders[place], [raw], gathered)
            checked = self._folders[place].files[raw]
            self._standing.files[raw] = checked[0] if checked is not None else None
        return not gathered.moved and not gathered.linked

    def standing(self, *, links: bool = False) -> TreeStamps | None:
        """The stamps of the last scan; None if they can't prove that nothing changed, but for where `links` lead."""
        fixed: dict[str, Stamp | None] = {raw: folder.stamp for raw, folder in self._folders.items()}
        if self._cairnignore[1] is not None:
            fixed[CAIRNIGNORE] = self._cairnignore[0]
        for folder in self._folders.values():
            if folder.listing.ignore_path:
                fixed[folder.listing.ignore_path] = folder.listing.ignore_stamp
            if folder.listing.has_git or (folder.listing.links and not links):
                # A change beneath a .git or of a link's target doesn't change the stamp of the folder itself.
                return None
        sure = {raw: stamp for raw, stamp in fixed.items() if stamp is not None}
        if self._barred or self._has_linked or len(sure) < len(fixed):
            return None
        files = (item for folder in self._folders.values() for item in folder.files.items())
        return TreeStamps(sure, {raw: checked[0] if checked is not None else None for raw, checked in files})

    def _enters(self, folder: CachedFolder) -> bool:
        return self.settings.submodules or not folder.listing.nested

    def _walk(self, gathered: Gathered, progress: Progress | None) -> None:
        chain = RuleChain(cairn=self._read_cairnignore(gathered), excludes=self._excludes)
        todo: list[tuple[str, RuleChain, str]] = [("", chain, "")]
        while todo:
            raw, outer, namespace = todo.pop()
            folder = self._enter(raw, outer, gathered)
            if folder is None:
                continue
            gathered.folders[raw] = folder
            if not self._enters(folder):
                gathered.skips[raw] = Skip(display(raw) + "/", SkipReason.SUBMODULE)
                continue
            if folder.listing.nested:
                namespace = nfc(raw)
            if folder.namespace != namespace:
                folder.namespace = namespace
                folder.files = dict.fromkeys(folder.files)
            gathered.walked.add(raw)
            if folder.listing.ignore is not None:
                gathered.ignore_files.append(folder.listing.ignore)
            gathered.skips.update(folder.listing.skips)
            gathered.links.extend(folder.listing.links)
            gathered.notes.extend(folder.listing.notes)
            gathered.odd_attributes |= folder.listing.odd_attributes
            self._check_files(raw, folder, gathered)
            gathered.seen += len(folder.files)
            todo.extend((child, folder.listing.chain, namespace) for child in reversed(folder.listing.folders))
            if progress is not None:
                progress(gathered.seen)

    def _enter(self, raw: str, outer: RuleChain, gathered: Gathered) -> CachedFolder | None:
        """The folder's record, from the cache where its stamp, its rules and its own ignore file stand."""
        started = time.time_ns()
        known = self._folders.get(raw) or self._recalled(raw, outer)
        try:
            stamp = stamp_of(os.stat(raw or ".", dir_fd=self.tree.fd, follow_symlinks=False))
            if known is not None and not gathered.verify and self._stands(known, raw, stamp, outer):
                return known
            fresh = self._list(raw, trusted(stamp, started), outer, known)
            gathered.moved = True
            gathered.listed.append(fresh)
            return fresh
        except (FileNotFoundError, NotADirectoryError):
            # The folder vanished after its parent was listed: its files count as deleted.
            gathered.moved = True
            if not raw:
                raise RootNotFoundError(f"The folder {quoted(self.tree.root)} is gone.") from None
            return None
        except OutOfRootError:
            gathered.barred[raw] = Skip(display(raw) + "/", SkipReason.OUT_OF_ROOT)
        except SymlinkLoopError:
            gathered.barred[raw] = Skip(display(raw) + "/", SkipReason.SYMLINK_LOOP)
        except OSError as error:
            _stop_at_shortage(error)
            if not raw:
                raise RootNotFoundError(
                    f"The folder {quoted(self.tree.root)} can't be listed: {error.strerror}."
                ) from error
            gathered.barred[raw] = Skip(display(raw) + "/", SkipReason.UNREADABLE, error.strerror or "")
        return None

    def _recalled(self, raw: str, outer: RuleChain) -> CachedFolder | None:
        known = self._memory.take(raw)
        return None if known is None else recalled(known, outer)

    def _stands(self, known: CachedFolder, raw: str, stamp: Stamp, outer: RuleChain) -> bool:
        listing = known.listing
        return (
            known.stamp == stamp
            and known.outer == outer.identity
            and listing.ignore_stamp == self._stamp(listing.ignore_path)
            and (not listing.has_git or listing.nested == is_repository(self.tree, raw))
        )

    def _list(self, raw: str, stamp: Stamp | None, outer: RuleChain, known: CachedFolder | None) -> CachedFolder:
        listing = list_folder(
            self.tree,
            raw,
            outer,
            enter_nested=self.settings.submodules,
            includes=self._includes,
            own_home=self.own_home,
        )
        earlier = known.files if known is not None else {}
        return CachedFolder(
            stamp=stamp,
            outer=outer.identity,
            namespace=known.namespace if known is not None else "",
            listing=listing,
            files={name: earlier.get(name) for name in listing.files},
        )

    def _check_files(self, place: str, folder: CachedFolder, gathered: Gathered) -> None:
        root = self.tree.fd
        keep = not gathered.verify
        suspects = gathered.suspects
        changed = []
        for raw, checked in folder.files.items():
            if checked is not None and keep and raw not in suspects:
                try:
                    found = os.stat(raw, dir_fd=root, follow_symlinks=False)
                except OSError:
                    changed.append(raw)
                    continue
                if checked[0] == (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino):
                    if found.st_nlink > 1:
                        gathered.linked[raw] = found.st_dev, found.st_ino
                    continue
            changed.append(raw)
        if changed:
            self._check_again(place, folder, changed, gathered)

    def _check_again(self, place: str, folder: CachedFolder, changed: list[str], gathered: Gathered) -> None:
        try:
            with OpenFolder(self.tree, place) as opened:
                for raw in changed:
                    checked = folder.files[raw]
                    fresh = self._check(opened, raw, folder, checked, gathered)
                    if fresh is None or checked is None:
                        gathered.moved = True
                    elif fresh[1] != checked[1]:
                        if isinstance(fresh[1], FileEntry) and isinstance(checked[1], FileEntry):
                            gathered.edits[raw] = fresh[1]
                        else:
                            gathered.moved = True
                    folder.files[raw] = fresh
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            # The folder is gone or is another one now, so its files count as gone too.
            gathered.moved = True
            folder.files.update(dict.fromkeys(changed))
        except OSError as error:
            _stop_at_shortage(error)
            gathered.moved = True
            gathered.failures.extend(_failure(raw, error) for raw in changed)
            folder.files.update(dict.fromkeys(changed))

    def _check(
        self, opened: OpenFolder, raw: str, folder: CachedFolder, checked: Checked | None, gathered: Gathered
    ) -> Checked | None:
        """Read a candidate and decide; None if it vanished or kept changing."""
        started = time.time_ns()
        gathered.hashed += 1
        try:
            found = os.stat(raw, dir_fd=self.tree.fd, follow_symlinks=False)
            if found.st_nlink > 1:
                gathered.linked[raw] = found.st_dev, found.st_ino
            if checked is not None and checked[0] is not None and isinstance(checked[1], FileEntry) and self.hashing:
                entry = checked[1]
                stamp = unchanged(opened, raw, entry.size, entry.head_sum, entry.file_hash)
                if stamp is not None:
                    return trusted(stamp, started), replace(entry, stamp=stamp)
            read = read_stable(opened, raw, self._largest, hashing=self.hashing)
        except FileNotFoundError:
            return None
        except UnstableFileError as error:
            gathered.failures.append(ScanFailure(display(raw), nfc(raw), error.code, error.message))
            return None
        except TooLargeError as error:
            gathered.hashed -= 1
            size = error.stamp[2]
            skip = Skip(display(raw), size_reason(size, self.settings), f"{size} bytes")
            return trusted(error.stamp, started), skip
        except NotRegularError:
            return None, Skip(display(raw), SkipReason.SPECIAL_FILE)
        except PermissionError as error:
            return None, Skip(display(raw), SkipReason.UNREADABLE, error.strerror or "")
        except OSError as error:
            _stop_at_shortage(error)
            # The system can't read it, so it is neither skipped nor deleted.
            gathered.failures.append(_failure(raw, error))
            return None
        stands = trusted(read.stamp, started)
        reason = content_reason(read.data)
        if reason is not None:
            return stands, Skip(display(raw), reason)
        if is_private_key(read.data):
            # Rules can take it back and leave it out again, so its stamp alone never settles it.
            stands = None
            if not folder.listing.chain.asks_for(raw):
                return None, Skip(display(raw), SkipReason.SECRET, "a private key")
        key = nfc(raw)
        language = language_of(key, read.data[:HEAD_BYTES])
        return stands, FileEntry(key, raw, read.stamp, read.file_hash, read.head_sum, language, folder.namespace)

    def _read_cairnignore(self, gathered: Gathered) -> IgnoreFile | None:
        stamp, file = self._cairnignore
        if stamp is None or stamp != self._stamp(CAIRNIGNORE):
            file, stamp = read_rules(self.tree, "", CAIRNIGNORE)
            self._cairnignore = (stamp, file)
        if file is not None:
            gathered.ignore_files.append(file)
        return file

    def _stamp(self, raw: str) -> Stamp | None:
        if not raw:
            return None
        try:
            return stamp_of(os.stat(raw, dir_fd=self.tree.fd, follow_symlinks=False))
        except OSError:
            return None


def _failure(raw: str, error: OSError) -> ScanFailure:
    return ScanFailure(display(raw), nfc(raw), "read_failed", f"{quoted(raw)} can't be read: {error.strerror}.")


def _stop_at_shortage(error: OSError) -> None:
    """Raise if the system lacks descriptors or memory, because that says nothing about the file."""
    if (short := shortage_of(error)) is not None:
        raise short from error
