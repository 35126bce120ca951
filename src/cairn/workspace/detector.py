"""The change detector: the authority on what differs between a tree and what is known of it.

The file system comes first: every file's stamp is looked at, and content is read where a stamp is
new. Commits only add suspicion: a file that they touch is read whatever its stamp says, and when
they can't be compared every file is read. Watchers merely say when to look.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Self

from cairn.base.errors import ConfigError, GitError, RootNotFoundError, TreeMovedError
from cairn.base.notes import Note
from cairn.base.values import dataclass, field, replace
from cairn.config.project import CONFIG_NAME, MAX_CONFIG_BYTES, Config, parse_config
from cairn.config.user import cairn_home
from cairn.workspace.beneath import Beneath
from cairn.workspace.changes import ChangeSet, compare
from cairn.workspace.deltas import Basis, CommittedDelta
from cairn.workspace.entries import FileEntry, TreeScan, TreeSummary
from cairn.workspace.git import Git, GitState, GitStatus, is_installed, top_level_or_none
from cairn.workspace.lastlook import LastLook, decoded, git_stamps, last_look
from cairn.workspace.livefiles import FileStates
from cairn.workspace.memory import place_of
from cairn.workspace.pathkey import quoted
from cairn.workspace.reads import NotRegularError, Stamp, TooLargeError, read_stable
from cairn.workspace.root import Root

if TYPE_CHECKING:
    from cairn.workspace.scan import Progress, Scanner

_HEAD_ATTEMPTS = 3
_FEW_MOVED = 32


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known of a tree: the content of its files and the head they were seen under."""

    files: Mapping[str, str] = field(default_factory=dict)
    head: str | None = None


@dataclass(frozen=True, slots=True)
class Detection:
    """A tree as it is now and how it differs from the baseline."""

    changes: ChangeSet
    entries: tuple[FileEntry, ...]
    """The files to read: those that are new, modified or have a new name."""
    tree: TreeSummary
    git: GitState | None
    basis: Basis
    config: Config
    walked: TreeScan | None
    """None where it is proven that no walk would have found other differences."""

    @property
    def scan(self) -> TreeScan:
        """What a walk found; ValueError where nobody walked."""
        if self.walked is None:
            raise ValueError("nobody walked through the tree")
        return self.walked


class ChangeDetector:
    """Detects changes under one root. Keep it open: the next detection then costs one stat a file."""

    def __init__(self, root: Root, *, shared: bool = False, hashing: bool = True) -> None:
        """Without `hashing` a detection tells what counts, but can't be compared with a baseline."""
        self.root = root
        self.hashing = hashing
        self.shared = shared
        self.tree = Beneath(root.path)
        self.states = FileStates()
        self.notes: tuple[Note, ...] = ()
        """What one should know of the tree as a whole, where that was asked for."""
        self.git = Git(root.path) if root.in_git else None
        try:
            self.config = read_config(self.tree)
        except BaseException:
            self.tree.close()
            raise
        self._scanner: Scanner | None = None
        self._git_stamps: Mapping[str, Stamp] | None = None
        self._looks = 0
        self._last: Detection | None = None
        self._look_stands: LastLook | None = None
        """What proves that nothing has changed; None until a look has found the tree as a snapshot tells it."""
        self._renewed: LastLook | None = None
        """What will prove it of a snapshot that is made of the last look, which was one at some files alone."""
        self._kept_look: Callable[[], bytes] | None = None
        self._kept_scan: Callable[[], bytes] | None = None

    def detect(
        self, baseline: Baseline | None = None, *, verify: bool = False, progress: Progress | None = None
    ) -> Detection:
        """Compare the tree with a baseline; `verify` reads every file anew."""
        self._require_bare()
        known = baseline or Baseline()
        if known.files and not self.hashing:
            raise ValueError("without hashes there is nothing to compare a baseline with")
        config = self.reload()
        self._recall()
        self._looks += 1
        self._last = self._look_stands = self._renewed = None
        for _ in range(_HEAD_ATTEMPTS):
            # From before the look: what changes during it must not be taken for what was looked at.
            self._git_stamps = git_stamps(self.root.path)
            found, head = self._look(known, config, verify, progress)
            if not self.tree.is_in_place():
                raise TreeMovedError(f"The folder {quoted(self.root.path)} was replaced during the scan.")
            if found.git is None or found.git.head == head:
                self._last = found
                return found
        raise TreeMovedError(
            f"HEAD of {quoted(self.root.path)} moved {_HEAD_ATTEMPTS} times during the scan.", retry_after_ms=1000
        )

    def confirm(self, snapshot_id: str, found: Detection) -> None:
        """Note that a snapshot tells of the tree just what a detection found."""
        if found is not self._last:
            return
        if self._renewed is not None:
            self._look_stands = replace(self._renewed, snapshot_id=snapshot_id)
        else:
            self._look_stands = self._last_look(snapshot_id, found)

    def follow(self, former: str | None, snapshot_id: str) -> None:
        """Note that a snapshot tells of the tree what a former one told."""
        if self._look_stands is not None and self._look_stands.snapshot_id == former:
            self._look_stands = replace(self._look_stands, snapshot_id=snapshot_id)

    def annotate(self, notes: tuple[Note, ...]) -> None:
        """Keep what one should know of the tree as a whole beside what the last look rested on."""
        self.notes = notes
        if self._look_stands is not None:
            self._look_stands = replace(self._look_stands, notes=notes)

    def moved(self, snapshot_id: str, *, noted: bool = False) -> Mapping[str, int] | None:
        """The files that alone may differ from what a snapshot tells of the tree; None where nothing proves it.

        Raw names, each with what `detect_in` needs to know of it. Where there are none, the tree stands. With `noted`
        also None where nobody has said what one should know of the tree as a whole.
        """
        if not self.tree.is_in_place():
            return None
        look = self._look_stands
        if self._kept_look is not None and (look is None or look.snapshot_id != snapshot_id):
            # Another process may have looked since this one did, and kept what its look rested on.
            look = decoded(_kept(self._kept_look))
        if look is None or (look.snapshot_id, look.place) != (snapshot_id, self._place()):
            return None
        self._look_stands = look
        if noted and look.notes is None:
            return None
        self.notes = look.notes or ()
        return look.moved(self.root.path)

    def detect_in(self, moved: Mapping[str, int], known: Baseline, tree: TreeSummary, dirty: bool) -> Detection | None:
        """A detection where nothing but some files can have changed; None where a walk has to tell.

        `tree` and `dirty` are what the snapshot tells that was found `moved` against.
        """
        from cairn.workspace.edited import edited_file  # a tree that stands needs nothing of it

        self._require_bare()
        look = self._look_stands
        config = self.reload()
        if look is None or look is not self._look_stands or len(moved) > _FEW_MOVED:
            return None
        found: list[FileEntry] = []
        stamps: dict[int, Stamp | None] = {}
        for raw, place in moved.items():
            edited = edited_file(self.tree, raw, config.index)
            if edited is None or edited[0].key not in known.files:
                return None
            found.append(edited[0])
            stamps[place] = edited[1]
        state = self._state_with(tuple(moved), known.head, dirty, config) if self.git is not None else self._no_git()
        if not self.tree.is_in_place() or (self.git is not None and state is None):
            return None
        entries = tuple(sorted((e for e in found if known.files[e.key] != e.file_hash), key=lambda entry: entry.key))
        changes = ChangeSet(modify=tuple(entry.key for entry in entries))
        self._looks += 1
        self._look_stands = None
        self._renewed = look.renewed(stamps)
        self._last = Detection(changes, entries, tree, state, Basis.SAME_HEAD, config, None)
        return self._last

    def remember(self, look: Callable[[], bytes], scan: Callable[[], bytes]) -> None:
        """Have what an earlier process kept: what its last look rested on, and what its scanner learnt."""
        self._kept_look, self._kept_scan = look, scan

    def look_to_keep(self, *, has_company: bool) -> LastLook | None:
        """What another process may rest on. One that looks again and again keeps only its first look while alone."""
        return self._look_stands if has_company or self._looks == 1 else None

    def _last_look(self, snapshot_id: str, found: Detection) -> LastLook | None:
        """What a look rested on; None where that would prove nothing."""
        scanner, scan, git = self.scanner, found.scan, self._git_stamps
        stamps = scanner.standing(links=True)
        if git is None or stamps is None or scan.failures or scanner.odd_attributes:
            return None
        if len(scan.aliases) < scanner.count_links():
            return None
        return last_look(self._place(), snapshot_id, {**stamps.fixed, **git}, stamps.files, scan.aliases)

    def _place(self) -> str:
        return f"{place_of(self.tree.fd, cairn_home())} {'git' if self.git is not None else ''}"

    def _require_bare(self) -> None:
        if self.tree.over:
            raise ValueError("what an editor has not saved is none of the tree's: no index may hold it")

    def _recall(self) -> None:
        read, self._kept_scan = self._kept_scan, None
        if read is not None:
            self.scanner.recall(_kept(read))

    def reload(self) -> Config:
        """Read the settings again; if they changed, the scanner starts over."""
        if not self.tree.is_in_place():
            self._reopen()
        config = read_config(self.tree)
        self._look_for_git()
        changed = config.index != self.config.index
        self.config = config
        if changed:
            self._look_stands = None
            self._scanner = None
        return config

    def close(self) -> None:
        """Let go of the root."""
        self.tree.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look_for_git(self) -> None:
        """Look again whether the root is a git repository: that may change while the detector is open."""
        present = os.path.lexists(os.path.join(self.root.path, ".git"))
        if present != (self.git is not None):
            self.git = Git(self.root.path) if top_level_or_none(self.root.path) == self.root.path else None

    def _reopen(self) -> None:
        """Start over, because the root's path now names another folder."""
        tree = Beneath(self.root.path)
        tree.over = self.tree.over
        self.tree.close()
        self._look_stands = None
        self.tree = tree
        self._scanner = None

    @property
    def scanner(self) -> Scanner:
        """Walks the tree under the settings of now; made with the first walk."""
        if self._scanner is None:
            from cairn.workspace.scan import Scanner

            self._scanner = Scanner(self.tree, self.config.index, own_home=cairn_home(), hashing=self.hashing)
        return self._scanner

    def _look(
        self, known: Baseline, config: Config, verify: bool, progress: Progress | None
    ) -> tuple[Detection, str | None]:
        """A look at the tree, and the head after it."""
        if self.git is None:
            scan = self.scanner.scan(verify=verify, progress=progress)
            return detection_of(known, scan, self._no_git(), Basis.FILESYSTEM, config), None
        head = self.git.head()
        delta = self._delta(self.git, known, head)
        untracked = config.index.includes_untracked(shared=self.shared)
        scan = self.scanner.scan(
            verify=verify or (delta.basis is Basis.FULL_SCAN and bool(known.files)),
            suspects=delta.paths,
            tracked=None if untracked else self._tracked,
            progress=progress,
        )
        # Asked after the scan, so that no edit that it took in is missed. Untracked files are told
        # from the scan itself: git would leave out what the user's own exclude rules hide.
        if self.scanner.odd_attributes or (untracked and not _all_tracked(scan, self._tracked())):
            after = GitStatus(self.git.head(), has_changes=True)
        else:
            after = self.git.status()
        state = GitState(head, after.has_changes or self._nested_have_changes(), untracked)
        return detection_of(known, scan, state, delta.basis, config), after.head

    def _no_git(self) -> GitState | None:
        """None outside of a repository; else that there is no git to ask about it."""
        is_repository = os.path.lexists(os.path.join(self.root.path, ".git"))
        return GitState(None, None, True) if is_repository and not is_installed(self.root.path) else None

    def _state_with(self, edited: tuple[str, ...], head: str | None, dirty: bool, config: Config) -> GitState | None:
        """The state of git where head and index stand, and nothing but some files may differ; None where all may.

        What was dirty besides these still is. Where nothing else is known to be, and they are as git has them, all
        of the tree has to tell.
        """
        if self.git is None:
            return None
        after = self.git.status(edited)
        if after.head != head or (dirty and not after.has_changes):
            return None
        return GitState(head, after.has_changes, config.index.includes_untracked(shared=self.shared))

    def _nested_have_changes(self) -> bool:
        return any(self._nested_has_changes(folder) for folder in sorted(self.scanner.nested_repositories()))

    def _nested_has_changes(self, folder: str) -> bool:
        try:
            return Git(os.path.join(self.root.path, folder)).status().has_changes
        except GitError:
            # The state is unknown, so the tree is not called clean.
            return True

    def _tracked(self) -> frozenset[str]:
        """What git tracks, in the root and in the nested repositories that the walk went into."""
        found = set(self.git.tracked()) if self.git is not None else set()
        for folder in self.scanner.nested_repositories():
            with contextlib.suppress(GitError):
                found |= {f"{folder}/{name}" for name in Git(os.path.join(self.root.path, folder)).tracked()}
        return frozenset(found)

    @staticmethod
    def _delta(git: Git, known: Baseline, head: str | None) -> CommittedDelta:
        if not known.files and known.head is None:
            # Nothing is known, so everything is read anyway.
            return CommittedDelta(Basis.FULL_SCAN)
        if known.head is None and head is None:
            return CommittedDelta(Basis.FILESYSTEM)
        return git.committed_delta(known.head, head)


def _kept(read: Callable[[], bytes]) -> bytes:
    """What was kept; nothing where it can't be read."""
    with contextlib.suppress(OSError):
        return read()
    return b""


def detection_of(known: Baseline, scan: TreeScan, git: GitState | None, basis: Basis, config: Config) -> Detection:
    """How what a scan found differs from what was known."""
    changes = _changes(known, scan)
    wanted = {*changes.add, *changes.modify, *(new for _, new in changes.rename)}
    entries = tuple(entry for entry in scan.files if entry.key in wanted) if wanted else ()
    return Detection(changes, entries, scan.summary(), git, basis, config, scan)


def _changes(known: Baseline, scan: TreeScan) -> ChangeSet:
    """The differences; a file that can't be read counts as unchanged, not as deleted or renamed."""
    failed = {failure.key for failure in scan.failures}
    before = {key: value for key, value in known.files.items() if key not in failed} if failed else known.files
    return compare(before, scan.hashes())


def read_config(tree: Beneath) -> Config:
    """The root's `.cairn.toml`, read beneath the root and checked."""
    return parse_config(config_bytes(tree))


def config_bytes(tree: Beneath) -> bytes | None:
    """What is in the root's `.cairn.toml`; None when there is none."""
    try:
        os.stat(CONFIG_NAME, dir_fd=tree.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RootNotFoundError(f"The folder {quoted(tree.root)} can't be read: {error.strerror}.") from error
    try:
        return read_stable(tree, CONFIG_NAME, MAX_CONFIG_BYTES, follow=True).data
    except NotRegularError as error:
        raise ConfigError(
            f"{CONFIG_NAME} is not a plain file.", hint=f"Replace {CONFIG_NAME} by a text file."
        ) from error
    except TooLargeError as error:
        raise ConfigError(f"{CONFIG_NAME} is larger than {MAX_CONFIG_BYTES} bytes.") from error
    except OSError as error:
        raise ConfigError(
            f"{CONFIG_NAME} can't be read: {error.strerror}.", hint=f"Make {CONFIG_NAME} readable, or remove it."
        ) from error


def _all_tracked(scan: TreeScan, tracked: frozenset[str]) -> bool:
    names = (*(entry.raw for entry in scan.files), *(alias.raw for alias in scan.aliases))
    return all(name in tracked for name in names)
