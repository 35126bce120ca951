"""Where the store of a codebase lies: beneath the user's home, or in a folder that several users share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cairn.base.errors import NotIndexedError
from cairn.base.notes import Note
from cairn.config.user import cairn_home
from cairn.store.layout import StoreKind, open_layout
from cairn.store.store import Store, store_path
from cairn.workspace.root import store_id

if TYPE_CHECKING:
    from contextlib import ExitStack

    from cairn.codebase.tracking import Tracking
    from cairn.store import Identity, SnapshotView
    from cairn.store.seed import Siblings
    from cairn.workspace.detector import ChangeDetector


class StorePlace:
    """Finds, makes and removes the store of one codebase; its identity tells under which settings."""

    def __init__(self, shared: str | None) -> None:
        self._shared = shared

    def opened(self, identity: Identity) -> Store:
        """The store as it is; NotIndexedError where there is none."""
        if self._shared is None:
            return Store.open(cairn_home(), identity)
        from cairn.store.shared import require_same_settings

        layout = open_layout(os.path.abspath(self._shared))
        if layout is None:
            raise NotIndexedError(f"There is no shared store at {self._shared} yet.")
        require_same_settings(layout, identity)
        return Store.at(layout, identity)

    def made(self, identity: Identity, view: SnapshotView | None = None) -> Store:
        """The store, which is made where there is none; that of a view where one is open."""
        if view is not None and self._shared is None and view.layout.kind is StoreKind.PRIVATE:
            return Store(view.layout, identity)
        if self._shared is not None:
            from cairn.store.shared import open_shared

            return Store.at(open_shared(self._shared, identity), identity)
        return Store.create(cairn_home(), identity)

    def exists(self, identity: Identity) -> bool:
        """Whether there is a store, be it empty."""
        path = self._shared or store_path(cairn_home(), identity.store_id)
        return open_layout(os.path.abspath(path)) is not None

    def siblings(self, identity: Identity, detector: ChangeDetector, stack: ExitStack) -> Siblings:
        """Where the repository's other work trees would have their stores; a shared store has a tree of its own.

        Where none of them has one, a remote of the user's is asked; what comes of it stays until the stack is closed.
        """
        from cairn.store.seed import Siblings

        git = detector.git
        if self._shared is not None or git is None:
            return Siblings()
        home, fingerprint = cairn_home(), identity.config_fingerprint
        trees = {tree.root: tree.head for tree in git.worktrees()}
        head = trees.pop(identity.canonical_root, None)
        paths = tuple(store_path(home, store_id(root, fingerprint)) for root in trees)
        if any(map(os.path.isdir, paths)):
            return Siblings(paths, head)
        from cairn.team.first import fetched

        arrived, address, notes = fetched(home, identity, git, stack, detector.scanner.scan)
        return Siblings(arrived, head, notes, address)

    def remove(self, identity: Identity, tracking: Tracking | None, *, whole: bool = False) -> tuple[bool, list[Note]]:
        """Remove the store and forget the codebase; whether there was anything, and what could not be removed.

        An index in another engine than that of the settings answers still: it is kept, unless the `whole` is meant.
        """
        from cairn.codebase.homestores import outdated_of
        from cairn.store.inventory import engine_at, left_behind, remove_store, remove_store_at

        if tracking is not None:
            tracking.require_idle()
            answering = tracking.answering()
            engine = engine_at(store_path(cairn_home(), answering)) or identity.engine
            if answering != identity.store_id and engine != identity.engine and not whole:
                left = list(left_behind(store_path(cairn_home(), identity.store_id)))
                kept = Note("answering_kept", {"engine": engine, "settings": identity.engine})
                return remove_store(cairn_home(), identity.store_id), [*left, kept]
            # One of a former format is an index of this root too, and nobody else would remove it.
            outdated = {store.store_id for store in outdated_of(cairn_home(), identity.canonical_root)}
            stores = sorted({identity.store_id, answering} | outdated)
            # What can't be removed from here is told; what can't be removed now must stay known: the row goes last.
            left = [each for name in stores for each in left_behind(store_path(cairn_home(), name))]
            removed = [remove_store(cairn_home(), name) for name in stores]
            forgotten = tracking.forget()
            return any(removed) or forgotten, left
        if self._shared is None or open_layout(self._shared) is None:
            return False, []
        path = os.path.abspath(self.opened(identity).layout.path)
        left = list(left_behind(path))
        return remove_store_at(path, os.path.dirname(path)), left
