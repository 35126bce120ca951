"""Bring a codebase up to date before a question, once for all who ask at the same time.

Whoever asks must see every edit that was made before the question. So a caller shares a sync only if
it joined before that sync had begun to look at the tree; one that is under way is waited for, and the
next is shared by all who wait. The sync itself is a callable: nothing here knows how to index.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from enum import StrEnum

from cairn.base.errors import (
    BusyError,
    CairnError,
    CancelledError,
    NotIndexedError,
    NotReadyError,
    RequiresReindexError,
)
from cairn.base.shortage import cause_of
from cairn.base.values import dataclass, replace
from cairn.lifecycle.gates import NonOkReason, Verdict


class Decision(StrEnum):
    """What was done so that an answer is fresh, or why nothing was."""

    SYNCED = "synced"
    SKIPPED_RECENT = "skipped_recent"
    SKIPPED_UNCHANGED = "skipped_unchanged"
    COALESCED = "coalesced"
    SKIPPED_INDEXING = "skipped_indexing"
    SKIPPED_REQUIRES_REINDEX = "skipped_requires_reindex"
    SKIPPED_NOT_INDEXED = "skipped_not_indexed"
    SKIPPED_MISSING_PATH = "skipped_missing_path"
    SKIPPED_BUSY = "skipped_busy"
    FAILED = "failed"


LOOKED = frozenset((Decision.SYNCED, Decision.SKIPPED_UNCHANGED, Decision.COALESCED))
"""Those after which the answer is known to speak of the tree as it was when the question came."""

_BLOCKED = {
    NonOkReason.INDEXING: Decision.SKIPPED_INDEXING,
    NonOkReason.REQUIRES_REINDEX: Decision.SKIPPED_REQUIRES_REINDEX,
    NonOkReason.NOT_INDEXED: Decision.SKIPPED_NOT_INDEXED,
}

Sync = Callable[[], bool | None]
"""Brings one codebase up to date; whether anything had changed, or None where another process did it meanwhile."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How fresh an answer is."""

    decision: Decision
    detail: str = ""
    """What went wrong, in words for people."""

    @property
    def looked(self) -> bool:
        """Whether the tree was looked at."""
        return self.decision in LOOKED


class Freshener:
    """The syncs of one process: at most one a codebase at a time, each shared by all who wait for it."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, shares: bool = True) -> None:
        """`shares` is False where the syncs that it is given are shared by themselves."""
        self._clock = clock
        self._shares = shares
        self._guard = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._next: dict[str, Future[Freshness]] = {}
        self._looked_at: dict[str, float] = {}

    def ensure_freshness(
        self, verdict: Verdict, sync: Sync, *, exists: Callable[[], bool], max_age_s: float = 0.0
    ) -> Freshness:
        """Sync what may be read; `max_age_s` lets a look that recent stand in for one of its own."""
        if verdict.reason is not None:
            return Freshness(_BLOCKED[verdict.reason])
        if not exists():
            return Freshness(Decision.SKIPPED_MISSING_PATH, f"{verdict.facts.root} is not there")
        root = verdict.facts.root
        with self._guard:
            last = self._looked_at.get(root)
            if max_age_s > 0 and last is not None and self._clock() - last < max_age_s:
                return Freshness(Decision.SKIPPED_RECENT, "the last look at the tree is recent enough")
            waiting = self._next.get(root)
            if waiting is None and self._shares:
                mine = self._next[root] = Future()
                turn = self._turns.setdefault(root, threading.Lock())
        if not self._shares:
            return self._look(root, sync)
        if waiting is not None:
            shared = waiting.result()
            return replace(shared, decision=Decision.COALESCED) if shared.looked else shared
        try:
            with turn:
                # From here on the tree may be looked at: who comes now shares the next one.
                with self._guard:
                    del self._next[root]
                done = self._look(root, sync)
        except BaseException as error:
            # Those who share it must not wait for ever, wherever it ended.
            with self._guard:
                if self._next.get(root) is mine:
                    del self._next[root]
            mine.set_result(Freshness(Decision.FAILED, f"interrupted: {error}"))
            raise
        mine.set_result(done)
        return done

    def _look(self, root: str, sync: Sync) -> Freshness:
        began = self._clock()
        done = _attempt(sync)
        if done.looked:
            with self._guard:
                self._looked_at[root] = began
        return done


def _attempt(sync: Sync) -> Freshness:
    try:
        changed = sync()
        if changed is None:
            return Freshness(Decision.COALESCED)
        return Freshness(Decision.SYNCED if changed else Decision.SKIPPED_UNCHANGED)
    except CancelledError:
        raise
    except NotReadyError:
        # A run that began between the verdict and the sync.
        return Freshness(Decision.SKIPPED_INDEXING)
    except RequiresReindexError:
        return Freshness(Decision.SKIPPED_REQUIRES_REINDEX)
    except NotIndexedError:
        return Freshness(Decision.SKIPPED_NOT_INDEXED)
    except BusyError as error:
        return Freshness(Decision.SKIPPED_BUSY, error.message)
    except (CairnError, OSError) as error:
        cause = cause_of(error)
        return Freshness(Decision.FAILED, f"{cause.message} {cause.hint}".rstrip())
