"""Every indexed codebase is watched: hints lead to syncs, and quiet times are used for house-keeping.

A hint decides nothing: the sync looks at the tree itself. If hints are lost, the reconciliation finds
the changes.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import BusyError, CairnError, CancelledError
from cairn.base.values import dataclass, field
from cairn.daemon.logbook import log, note
from cairn.daemon.syncs import Brought, DaemonState
from cairn.indexing.options import SyncOptions
from cairn.workspace.watch import RECONCILE_S, Hint, HintReason, watch

MOST_WATCHED = 64
"""The machine has a limited number of watches; the other codebases are synced when they are asked."""
_SURVEY_S = 2.0
_DEBOUNCE_MS = 25
"""Shorter than elsewhere: all events during a sync lead to one more sync, however many there are."""
_MOST_DEBOUNCE_MS = 100
_PER_WATCHED_MS = 3
"""A watcher wakes this often, and many of them must not keep the machine awake."""
_PATIENCE_S = 1.0
QUIET_S = 30.0


@dataclass(slots=True)
class _Watcher:
    thread: threading.Thread
    place: object = None
    """The folder's identity: events are about this folder, even if another one has its name by now."""
    stop: threading.Event = field(default_factory=threading.Event)
    pruned: frozenset[str] = frozenset()
    by_events: bool = True


class Watching:
    """One thread a codebase that watches it, and one that starts and stops these as the registry changes."""

    def __init__(
        self,
        state: DaemonState,
        *,
        quiet_since: Callable[[], float] = lambda: 0.0,
        reconcile_s: float = RECONCILE_S,
        survey_s: float = _SURVEY_S,
    ) -> None:
        self._state = state
        self._quiet_since = quiet_since
        self._reconcile_s = reconcile_s
        self._survey_s = survey_s
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._watchers: dict[str, _Watcher] = {}
        self._surveyor = threading.Thread(target=self._survey, name="survey", daemon=True)

    def start(self) -> None:
        """Begin to watch the codebases in the registry."""
        self._surveyor.start()

    def watched(self) -> frozenset[str]:
        """The roots that are watched by events; others are only checked now and then."""
        with self._guard:
            return frozenset(root for root, each in self._watchers.items() if each.by_events)

    def close(self) -> None:
        """Stop watching and wait until all threads have ended."""
        self._stop.set()
        if self._surveyor.is_alive():
            self._surveyor.join()
        with self._guard:
            watchers = list(self._watchers.values())
        for each in watchers:
            each.stop.set()
        for each in watchers:
            each.thread.join()

    def _survey(self) -> None:
        while True:
            with contextlib.suppress(CairnError, OSError):
                # A registry that can't be read now may be readable later.
                self._adjust()
            if self._stop.wait(self._survey_s):
                return

    def _adjust(self) -> None:
        rows = [row for row in self._state.registry.all() if row.is_searchable and os.path.isdir(row.root)]
        newest = [row.root for row in sorted(rows, key=lambda row: row.updated_at, reverse=True)][:MOST_WATCHED]
        wanted = {root: place for root in newest if (place := _place(root)) is not None}
        with self._guard:
            moved = [root for root, each in self._watchers.items() if wanted.get(root) != each.place]
            gone = {root: self._watchers.pop(root) for root in moved}
            for root, place in wanted.items():
                known = self._watchers.get(root)
                if known is None or not known.thread.is_alive():
                    self._watchers[root] = self._begun(root, place)
        for root, each in gone.items():
            each.stop.set()
            self._state.pool.drop(root)

    def _begun(self, root: str, place: object) -> _Watcher:
        watcher = _Watcher(threading.Thread(), place)
        watcher.thread = threading.Thread(target=self._watch, args=(root, watcher), name=f"watch {root}", daemon=True)
        watcher.thread.start()
        return watcher

    def _watch(self, root: str, watcher: _Watcher) -> None:
        hints = watch(
            root,
            watcher.stop,
            pruned=lambda: watcher.pruned,
            debounce_ms=debounce_for(len(self._watchers)),
            reconcile_s=self._reconcile_s,
        )
        for hint in hints:
            self._follow(root, hint, watcher)
            if hint.reason is HintReason.RECONCILE and time.monotonic() - self._quiet_since() > QUIET_S:
                self._keep_house(root)

    def _follow(self, root: str, hint: Hint, watcher: _Watcher) -> None:
        if hint.reason is HintReason.UNWATCHED:
            watcher.by_events = False
            log(f"{root} can't be watched and is looked at every {self._reconcile_s:.0f} s: {hint.detail}")
        if not self._state.is_searchable(root):
            return

        def work() -> Brought:
            with self._state.pool.using(root, syncs=True) as codebase:
                codebase.index(
                    SyncOptions(wait_s=_PATIENCE_S, walks=hint.reason is not HintReason.EVENTS, spares=True),
                    create=False,
                )
                watcher.pruned = codebase.detector.scanner.pruned_folders()
                return True, list(codebase.notes)

        try:
            self._state.syncs.join(root, work).result()
        except BusyError:
            # Another process syncs, and sees what we would have seen; the next hint or check finds the rest.
            return
        except (CairnError, OSError) as error:
            note(f"sync {root}", f"{root} could not be synced: {error}")

    def _keep_house(self, root: str) -> None:
        """Compact and collect what is due."""
        try:
            with (
                deadline.within(WorkBounds(cancelled=self._stop)),
                self._state.pool.using(root, syncs=True) as codebase,
            ):
                codebase.compact(force=False)
                codebase.collect(force=False)
        except (BusyError, CancelledError):
            return
        except (CairnError, OSError) as error:
            note(f"tidy {root}", f"{root} could not be tidied: {error}")


def debounce_for(watched: int) -> int:
    """How long a tree has to be quiet before it is synced, given how many are watched."""
    return min(_MOST_DEBOUNCE_MS, max(_DEBOUNCE_MS, _PER_WATCHED_MS * watched))


def _place(root: str) -> object:
    """Which folder has this name now; None if there is none."""
    try:
        found = os.stat(root)
    except OSError:
        return None
    return found.st_dev, found.st_ino
