"""One create or reindex, from `indexing` to its end: the row says that it lives, how far it is, and how it ended."""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from cairn.base.errors import CairnError, CancelledError
from cairn.base.steps import Advice, NextStep
from cairn.lifecycle.proof import Proof
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.tracked import HEARTBEAT_S, Failure
from cairn.store.identity import Identity

_MOST = 99.0
_STEP = 0.05
"""A run that isn't published yet is never at its end."""


class Run:
    """A context manager: enters `indexing`, and leaves by `complete` or as failed."""

    def __init__(
        self,
        registry: Registry,
        identity: Identity,
        run_id: str,
        parts: Mapping[str, str],
        *,
        heartbeat_s: float = HEARTBEAT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._identity = identity
        self.run_id = run_id
        self._parts = parts
        self._heartbeat_s = heartbeat_s
        self._clock = clock
        self._last = clock()
        self._phase = "starting"
        self._share = 0.0
        self._completed = False

    def at(self, phase: str, share: float | None) -> None:
        """How far it is; written down at the pace of a heart, whenever another phase begins, and with each twentieth.

        In the thread that works, and in no other: a fork in the middle of a write would leave the child a lock
        that nobody opens.
        """
        now = self._clock()
        moved = (share or 0.0) - self._share >= _STEP
        if phase == self._phase and not moved and now - self._last < self._heartbeat_s:
            return
        self._last, self._phase, self._share = now, phase, share or 0.0
        progress = None if share is None else round(min(share * 100, _MOST), 1)
        # A beat that is missed is made up by the next; who takes over for lack of them is fenced by the lease.
        with contextlib.suppress(CairnError, OSError):
            self._registry.beat(self._identity.canonical_root, self.run_id, progress, phase)

    def complete(self, proof: Proof) -> None:
        """The end of a run that published; TransitionError without a valid proof."""
        self._registry.complete(self._identity.canonical_root, self.run_id, proof)
        self._completed = True

    def __enter__(self) -> Self:
        self._registry.begin(self._identity, self.run_id, self._parts)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._completed:
            return
        try:
            self._fail(failure_of(error))
        except (CairnError, OSError):
            # A process that lives on would be taken for one that still indexes.
            threading.Thread(
                target=self._fail_later, args=(failure_of(error),), name="cairn-failed", daemon=True
            ).start()
            if error is None:
                raise

    def _fail(self, failure: Failure) -> None:
        self._registry.fail(self._identity.canonical_root, self.run_id, failure)

    def _fail_later(self, failure: Failure) -> None:
        pause = threading.Event()
        while not pause.wait(self._heartbeat_s):
            with contextlib.suppress(CairnError, OSError):
                self._fail(failure)
                return


def failure_of(error: BaseException | None) -> Failure:
    """Why a run failed, for the row and for whoever asks later."""
    if isinstance(error, CairnError):
        return Failure(error.code, error.message, error.hint)
    if error is None:
        return Failure(
            "not_completed", "The run ended without a proof of its completion.", Advice(NextStep("index"), " again.")
        )
    if isinstance(error, KeyboardInterrupt):
        return failure_of(CancelledError("The run was interrupted."))
    return Failure("internal", f"Unexpected {type(error).__name__}: {error}", Advice(NextStep("index"), " again."))
