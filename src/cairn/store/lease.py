"""The writer lease: one writer at a time, told by a file with a heartbeat and an epoch.

Every change of the lease happens under the guard. The epoch only grows: it is the fencing token
that every manifest carries. A writer that lost its lease finds out before each long stage and,
for certain, at the pointer: whoever takes the lease over removes the pointer that the former
owner had staged, so that its swap fails.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Self

from cairn.base import durable
from cairn.base.errors import BusyError, CairnError, CorruptStoreError, LeaseLostError, OutOfResourcesError
from cairn.base.owner import Owner, is_proven_alive, is_proven_dead, owner_from, this_process
from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass
from cairn.store import faults
from cairn.store.guard import guard
from cairn.store.layout import Layout
from cairn.store.versions import require_readable, writable

LEASE_TTL_MS = 120_000
STAGE = ".staged-"


@dataclass(frozen=True, slots=True)
class LeaseState:
    """What the lease file says."""

    owner_id: str
    owner: Owner | None
    epoch: int
    ttl_ms: int
    started_at: str
    heartbeat_ns: int
    staging_txn_id: str
    released: bool

    def is_free(self, now_ns: int) -> bool:
        """Whether another writer may take it: given back, expired, or its owner proven dead.

        A heartbeat from far ahead says nothing about its age, since the clock was set back: only an
        owner that is seen to live keeps such a lease.
        """
        if self.released or is_proven_dead(self.owner):
            return True
        age_ns, ttl_ns = now_ns - self.heartbeat_ns, self.ttl_ms * 1_000_000
        return age_ns > ttl_ns or (age_ns < -ttl_ns and not is_proven_alive(self.owner))


def lease_ttl_ms() -> int:
    """The time to live; the environment can only lower it."""
    try:
        asked = int(os.environ.get("CAIRN_LEASE_TTL_MS", LEASE_TTL_MS))
    except ValueError:
        return LEASE_TTL_MS
    return max(1, min(asked, LEASE_TTL_MS))


def read_lease(layout: Layout) -> LeaseState | None:
    """The lease as it stands; None when there is no readable one."""
    try:
        found = json.loads(layout.read_file(layout.lease))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    require_readable("writer_lease", found.get("schema_version"))
    try:
        return LeaseState(
            owner_id=str(found["owner_id"]),
            owner=owner_from(found),
            epoch=int(found["lease_epoch"]),
            ttl_ms=int(found["lease_ttl_ms"]),
            started_at=str(found["started_at"]),
            heartbeat_ns=int(found["last_heartbeat_ns"]),
            staging_txn_id=str(found["staging_txn_id"]),
            released=bool(found["released"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


class WriterLease:
    """A held lease with its heartbeat; a context manager that gives it back."""

    def __init__(self, layout: Layout, epoch: int, owner_id: str, txn_id: str) -> None:
        self.layout = layout
        self.epoch = epoch
        self.owner_id = owner_id
        self.txn_id = txn_id
        self.ttl_ms = lease_ttl_ms()
        self._owner = this_process()
        self._started_at = _now_text()
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="cairn-lease", daemon=True)

    @classmethod
    def acquire(cls, layout: Layout, *, epoch_floor: int = 0) -> Self:
        """Take a free lease at once, or BusyError: waiting is the caller's choice.

        `epoch_floor` is the highest epoch that any manifest carries: the lease file may be lost,
        the order of epochs may not.
        """
        with guard(layout):
            current = read_lease(layout)
            now = time.time_ns()
            if current is not None and not current.is_free(now):
                left_ms = current.ttl_ms - (now - current.heartbeat_ns) // 1_000_000
                who = f" (process {current.owner.pid})" if current.owner is not None else ""
                raise BusyError(
                    f"Another writer{who} is at work on this store.", retry_after_ms=max(50, min(int(left_ms), 1000))
                )
            epoch = max(current.epoch if current is not None else 0, epoch_floor) + 1
            lease = cls(layout, epoch, new_ulid(), new_ulid())
            revoke_staged(layout)
            if not lease._replace(released=False, still=lambda: read_lease(layout) == current):
                raise BusyError("Another writer took the lease first.", retry_after_ms=50)
            faults.reach("lease.written")
            if current is not None and not current.released:
                faults.reach("lease.stolen")
        lease._thread.start()
        return lease

    def check(self) -> None:
        """Before an expensive stage: stop if the lease is no longer ours."""
        if self._lost.is_set() or not self.is_ours():
            raise LeaseLostError(f"The writer lease (epoch {self.epoch}) was taken over by another process.")

    def is_ours(self) -> bool:
        """Whether the lease on disk is still this one."""
        current = read_lease(self.layout)
        return (
            current is not None
            and not current.released
            and (current.owner_id, current.epoch) == (self.owner_id, self.epoch)
        )

    def staged_pointer(self) -> str:
        """Where this owner stages the pointer: the name by which a successor revokes it."""
        return f"{self.layout.pointer}{STAGE}{self.owner_id}"

    def release(self) -> None:
        """Stop renewing the lease, and give it back if it is still ours."""
        self._stop.set()
        self._thread.join()
        with guard(self.layout):
            try:
                written = self._replace(released=True, still=self.is_ours)
            except OSError:
                # A full disk has no room for the word that we are done, but removing needs none.
                if self.is_ours():
                    os.unlink(self.layout.lease)
                return
            if written:
                faults.reach("lease.released")

    def guarded(self) -> contextlib.AbstractContextManager[object]:
        """A section in which nobody replaces the lease."""
        return guard(self.layout)

    def forget(self) -> None:
        """Stop beating without giving back: the store itself is gone."""
        self._stop.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _beat(self) -> None:
        while not self._stop.wait(self.ttl_ms / 3000):
            try:
                with guard(self.layout):
                    if not self._replace(released=False, still=self.is_ours):
                        self._lost.set()
                        return
                    faults.reach("lease.heartbeat")
            except (OSError, BusyError, OutOfResourcesError):
                # The file system or this process is in trouble; the next beat or the next check will tell.
                continue
            except CairnError:
                # A lease of another format: whoever wrote it has taken over.
                self._lost.set()
                return

    def _replace(self, *, released: bool, still: Callable[[], bool]) -> bool:
        """Write the lease if the condition holds; False when it doesn't, or was lost in between.

        The new content is staged under the owner's name before the condition is looked at. Whoever
        takes the lease over removes it first, so a writer that was stopped between look and rename
        can't overwrite its successor.
        """
        staged = f"{self.layout.lease}{STAGE}{self.owner_id}"
        data = self._document(released)
        with durable.staged_file(self.layout.lease, data, self.layout.kind.file_mode, temporary=staged) as swap:
            if not still():
                return False
            try:
                swap()
            except FileNotFoundError:
                return False
            except IsADirectoryError as error:
                raise CorruptStoreError("locks/writer_lease.json is a folder, not a file.") from error
        return True

    def _document(self, released: bool) -> bytes:
        document: dict[str, Any] = {
            "schema_version": writable("writer_lease"),
            "owner_id": self.owner_id,
            **self._owner.document(),
            "started_at": self._started_at,
            "last_heartbeat_at": _now_text(),
            "last_heartbeat_ns": time.time_ns(),
            "lease_epoch": self.epoch,
            "lease_ttl_ms": self.ttl_ms,
            "staging_txn_id": self.txn_id,
            "released": released,
        }
        return json.dumps(document, indent=1).encode()


def revoke_staged(layout: Layout) -> None:
    """Take from every former owner the pointer and the lease that it had staged.

    A writer that was stopped between its check and its rename then finds its source gone: the
    rename fails instead of overwriting what happened since.
    """
    for folder in (layout.path, layout.locks):
        for name in os.listdir(folder):
            if STAGE in name:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, name))


def _now_text() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
