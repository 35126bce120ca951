"""One codebase among several: opened, synced and closed so that its trouble stays its own."""

import contextlib
import os
from collections.abc import Callable

from cairn.base.errors import CairnError, CancelledError, NotIndexedError
from cairn.base.notes import Note
from cairn.base.shortage import cause_of
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass, field
from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.indexing.options import SyncOptions
from cairn.store.inventory import list_stores
from cairn.workspace.root import find_root

Sync = Callable[[Codebase], tuple[bool, list[Note]]]
"""Brings one codebase up to date: whether it was, and what to say of it."""
Opened = Callable[[str], contextlib.AbstractContextManager[Codebase]]
"""Opens a codebase by its root."""


@dataclass(slots=True)
class Member:
    """A codebase, or the error because of which there is none to ask."""

    root: str
    codebase: Codebase | None = None
    error: CairnError | None = None
    synced: bool = False
    notes: list[Note] = field(default_factory=list)
    _held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def open(self, opened: Opened) -> None:
        """Open the codebase; a failure is kept as the member's error."""
        try:
            self.codebase = self._held.enter_context(opened(self.root))
        except (CairnError, OSError) as error:
            self.error = cause_of(error)

    def sync(self, bring: Sync) -> None:
        """An interrupt is the user's and ends everything; any other trouble is noted."""
        if self.codebase is None:
            return
        self.synced, self.notes, self.error = False, [], None
        try:
            self.synced, self.notes = bring(self.codebase)
        except CancelledError:
            raise
        except (CairnError, OSError) as error:
            self.error = cause_of(error)

    def require(self) -> Codebase:
        """The codebase; its error where it can't be asked."""
        if self.error is not None:
            raise self.error
        if self.codebase is None:
            raise NotIndexedError(f"{self.root} is not open.")
        return self.codebase

    def close(self) -> None:
        """Close the codebase if it was opened."""
        self._held.close()


def members_of(paths: list[str]) -> list[Member]:
    """Each codebase once, however and how often it was named, in the order of their roots."""
    found: dict[str, Member] = {}
    for path in paths:
        try:
            root, error = find_root(path).path, None
        except (CairnError, OSError) as failure:
            # Named as it was asked for: there is no root to name it by.
            root, error = os.path.abspath(path) if "\0" not in path else path, cause_of(failure)
        found.setdefault(root, Member(root, error=error))
    return [found[root] for root in sorted(found)]


def known_roots() -> tuple[list[str], list[Note]]:
    """The roots of all stores under the home that are still there, and what to say of the others."""
    # A first index that is at work, or was interrupted, is no codebase yet.
    roots = {store.canonical_root for store in list_stores(cairn_home()) if not store.is_empty}
    there = sorted(root for root in roots if root and os.path.isdir(root))
    notes = [Note("codebase_gone", {"codebase": root}) for root in sorted(roots - {"", *there})]
    if "" in roots:
        notes.append(Note("codebase_unknown"))
    if not there:
        raise NotIndexedError(
            "No codebase is indexed yet.", hint=Advice(NextStep("index_first"), " in a project first.")
        )
    return there, notes


def bring_up_to_date(codebase: Codebase) -> tuple[bool, list[Note]]:
    """Sync; where that fails, what is indexed already answers."""
    try:
        codebase.index(SyncOptions(spares=True))
    except CancelledError:
        raise
    except (CairnError, OSError) as error:
        if not codebase.is_indexed():
            raise
        return False, [Note("not_synced", {"message": str(error)})]
    return True, list(codebase.notes)
