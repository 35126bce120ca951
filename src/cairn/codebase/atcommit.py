"""A codebase as one of its commits has it: asked like any other, from a store of its own.

That store starts from the nearest one that is there, as that of a new work tree does, so a commit costs as much as it
differs. Whatever is wrong with it, it can be made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from cairn.base.errors import CairnError, CorruptStoreError, NotIndexedError, RefusedError, UsageError
from cairn.codebase.answers import Now
from cairn.codebase.bounds import no_such_file
from cairn.codebase.codebase import Codebase
from cairn.codebase.stores import StorePlace
from cairn.codebase.treenames import TreeNames
from cairn.config.user import cairn_home
from cairn.engines import lies_outside
from cairn.indexing.progress import SyncStep
from cairn.readcache.answers import ReadSource, SourceState
from cairn.store import former
from cairn.store.layout import StoreKind, create_layout, open_layout
from cairn.store.seed import Siblings
from cairn.store.store import Store
from cairn.workspace.beneath import Beneath
from cairn.workspace.committed import CommitDetector, fact_of
from cairn.workspace.livefiles import unreadable
from cairn.workspace.objects import object_name
from cairn.workspace.pathkey import key_beneath
from cairn.workspace.secrets import require_no_former_secret

if TYPE_CHECKING:
    from contextlib import ExitStack

    from cairn.indexing.progress import Progress
    from cairn.store import Identity, SnapshotView
    from cairn.workspace.detector import ChangeDetector
    from cairn.workspace.git import Git

    Heard = Callable[[], AbstractContextManager[Progress | None]]

_NEAREST = 4
"""So many stores of commits are looked at for the nearest one."""


def git_of(codebase: Codebase) -> Git:
    """What a commit is asked of; UsageError where there is none."""
    git = codebase.detector.git
    if git is None:
        raise UsageError(
            f"{codebase.root_path} is no git repository, so there is no commit to ask.", hint="Leave the revision out."
        )
    return git


@contextlib.contextmanager
def at_commit(codebase: Codebase, revision: str, progress: Heard = contextlib.nullcontext) -> Iterator[CommitCodebase]:
    """The codebase as a revision has it, for one question; its index is made where there is none yet."""
    git = git_of(codebase)
    if lies_outside(codebase.identity.engine, codebase.root_path) is not None:
        raise RefusedError(
            "A commit is asked where the vectors lie in the store; those of this index lie elsewhere.",
            hint="Ask the tree as it is, or use another engine.",
        )
    with CommitCodebase(codebase, git, git.commit_of(revision)) as former_codebase:
        try:
            former_codebase.make(progress)
            yield former_codebase
        except CorruptStoreError as error:
            former.removed(cairn_home(), former_codebase.place.path)
            raise CorruptStoreError(error.message, hint="Ask again: what is kept of a commit is made anew.") from error


class CommitCodebase(Codebase):
    """One root as a commit has it."""

    detector: CommitDetector

    def __init__(self, base: Codebase, git: Git, commit: str) -> None:
        super().__init__(base.root_path, embedder=base.model)
        self.base, self.commit, self.tracking = base, commit, None
        live, self.detector = self.detector, CommitDetector(self.root, git, commit)
        live.close()
        rules = self.detector.rules
        key = hashlib.sha256(f"{commit} {rules.digest if rules is not None else ''}".encode()).hexdigest()[:32]
        self.place = self._stores = _CommitPlace(
            self, former.store_of_commit(cairn_home(), self.identity.store_id, key)
        )
        self.naming = _CommitNames(self)
        self._known: dict[str, str] | None = None

    def make(self, progress: Heard) -> None:
        """Make the index of the commit, unless it is there."""
        if self.is_indexed():
            os.utime(self.place.path)
            return
        home, own = cairn_home(), self.identity.store_id
        facts = self.detector.facts
        facts |= former.read_facts(home, own)
        known = len(facts)
        self._learn_from_base()
        with progress() as heard:
            if heard is not None:
                heard(SyncStep("looking", new_root=f"commit {self.commit[:12]}"))
            self.index(None, heard)
        if len(facts) > known:
            former.write_facts(home, own, facts)
        former.make_room(home, self.place.path)

    def _learn_from_base(self) -> None:
        """What the index of the tree holds of blobs of the commit is not read from git."""
        facts = self.detector.facts
        unknown = {raw: file.oid for raw, file in self.detector.committed.files.items() if file.oid not in facts}
        if not unknown:
            return
        with contextlib.suppress(CairnError), self.base.open_view() as view:
            for path, file_hash, text in view.upkeep.shown(unknown):
                if object_name(text, len(unknown[path])) == unknown[path]:
                    facts[unknown[path]] = fact_of(text, file_hash)

    @property
    def base_path(self) -> str:
        """The store of the work tree; empty where there is none."""
        with contextlib.suppress(NotIndexedError):
            return self.base.store().layout.path
        return ""

    def states(self) -> dict[str, str]:
        """The hash of every file of the commit that is indexed, by its path."""
        if self._known is None:
            with self.view() as view:
                self._known = {path: file_hash for path, file_hash, _ in view.rows.contents()}
        return self._known

    def now(self) -> Now:
        """The commit's own files: none of them has changed since."""
        texts = self.detector.committed.texts
        known = self.states()
        return Now(lambda paths: {path: known.get(path) or ("" if path in texts else None) for path in paths})

    def eligible(self) -> frozenset[str]:
        """The files of the commit that are indexed."""
        return frozenset(self.states())

    def read(self, path: str) -> str:
        """A file of the commit that is indexed."""
        source = self.source(path)
        if not source.indexed:
            raise NotIndexedError(f"{source.source.path_key} is not in the snapshot.", hint="Read it with `git show`.")
        return source.source.data.decode("utf-8", "replace")

    def source(self, path: str) -> SourceState:
        """Any text of the commit, indexed or not; RefusedError for a secret."""
        key = self.naming.key(path)
        with self.view() as view:
            manifest = view.manifest
        try:
            read = self.detector.committed.texts[key]
        except KeyError:
            raise no_such_file(key, self.states(), self.commit) from None
        except OSError as error:
            raise unreadable(key, error) from error
        with Beneath(self.root_path) as tree:
            require_no_former_secret(tree, key, read.data)
        return SourceState(
            ReadSource(self.root_path, key, read.data, read.file_hash), manifest, key in self.states(), False
        )


class _CommitPlace(StorePlace):
    """The store of one commit."""

    def __init__(self, codebase: CommitCodebase, path: str) -> None:
        super().__init__(None)
        self._codebase = codebase
        self.path = path

    def opened(self, identity: Identity) -> Store:
        layout = open_layout(self.path)
        if layout is None:
            raise NotIndexedError(f"Commit {self._codebase.commit[:12]} is not indexed yet.")
        return Store.at(layout, identity)

    def made(self, identity: Identity, view: SnapshotView | None = None) -> Store:
        return Store.at(create_layout(self.path, StoreKind.PRIVATE), identity)

    def exists(self, identity: Identity) -> bool:
        return open_layout(self.path) is not None

    def siblings(self, identity: Identity, detector: ChangeDetector, stack: ExitStack) -> Siblings:
        """The one of the stores that are there that has most of the commit's files."""
        own = self._codebase.detector
        wanted = {raw: own.facts.get(file.oid) for raw, file in own.committed.files.items() if file.kind == "file"}
        best: tuple[int, str] = (0, "")
        for path in (self._codebase.base_path, *former.beside(cairn_home(), identity.store_id)[:_NEAREST]):
            layout = open_layout(path) if path and path != self.path else None
            if layout is None or layout.kind is not StoreKind.PRIVATE:
                continue
            with contextlib.suppress(CairnError, OSError), Store.at(layout, identity).view() as view:
                alike = sum(wanted.get(key) == file_hash for key, file_hash, _ in view.rows.contents())
                best = max(best, (alike, path), key=lambda each: each[0])
        return Siblings((best[1],) if best[1] else ())


class _CommitNames(TreeNames):
    """Names in the tree of a commit: what lies on disk now has no say in them."""

    def __init__(self, codebase: CommitCodebase) -> None:
        super().__init__(codebase.root_path)
        self._codebase = codebase

    def key(self, path: str) -> str:
        key = key_beneath(self.root, path)
        if key in self._codebase.states():
            return key
        with self._codebase.view() as view:
            aliases = dict(view.aliases)
        parts = key.split("/")
        for end in range(len(parts), 0, -1):
            if (target := aliases.get("/".join(parts[:end]))) is not None:
                return "/".join((target, *parts[end:]))
        return key

    def exists(self, path: str) -> bool:
        inside = self._inside(path)
        return inside in self._codebase.detector.committed.files or self.is_folder(path)

    def inside(self, path: str) -> str | None:
        place = self.beneath(os.path.abspath(path))
        inside = os.path.relpath(place, self.root)
        if inside == "." or inside.partition("/")[0] == "..":
            return inside
        key = self.key(inside)
        return key if self.exists(os.path.join(self.root, key)) else None

    def is_folder(self, path: str) -> bool:
        inside = self._inside(path)
        return any(raw.startswith(f"{inside}/") for raw in self._codebase.detector.committed.files)

    def beneath(self, path: str) -> str:
        return path if path.startswith(f"{self.root.rstrip('/')}/") else super().beneath(path)

    def _inside(self, path: str) -> str:
        return os.path.normpath(path).removeprefix(self.root.rstrip("/") + "/")
