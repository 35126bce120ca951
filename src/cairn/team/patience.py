"""The remote at an address, whichever of them it is, asked so that nobody waits without end."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from cairn.base import deadline
from cairn.engines.deadline import TooLateError, within
from cairn.team.remote import PATIENCE, FolderRemote, Span, TeamRemote, unreachable
from cairn.team.settings import OBJECT_STORES, READABLE

_MEGABYTE = 1 << 20
_T = TypeVar("_T")


def remote_at(address: str, timeout_s: float) -> TeamRemote:
    """The remote at an address, which nobody has asked anything yet."""
    return PatientRemote(remote_beneath(address, timeout_s), PATIENCE * timeout_s)


def remote_beneath(address: str, timeout_s: float) -> TeamRemote:
    """The same without a bound on how long all of a request may take."""
    scheme, there, _ = address.partition("://")
    if not there:
        return FolderRemote(address)
    if scheme in READABLE:
        from cairn.team.web import WebRemote

        return WebRemote(address, timeout_s)
    assert scheme in OBJECT_STORES
    from cairn.team.bucket import BucketRemote

    return BucketRemote(address, timeout_s)


def hurried(remote: TeamRemote, seconds: float) -> TeamRemote:
    """A remote that is asked for no longer than that in all; each commit anew of one that is asked for commits."""
    inner = remote.inner if isinstance(remote, PatientRemote) else remote
    return PatientRemote(inner, seconds, time.monotonic() + seconds if inner.lists else None)


class PatientRemote:
    """A remote that nobody waits for without end: what it is asked for reading is asked on threads that may be left.

    Names of hosts, shares and the libraries of object stores can't be given up in the middle of a call.
    """

    def __init__(self, inner: TeamRemote, patience_s: float, ends_at: float | None = None) -> None:
        """Each request has its time, and all of them together have an end where there is one."""
        self.inner = inner
        self._ends_at = ends_at
        self._patience_s = patience_s
        self.address, self.lists = inner.address, inner.lists

    def names(self, prefix: str) -> dict[str, float]:
        return self._within(self._patience_s, partial(self.inner.names, prefix))

    def has(self, name: str) -> bool:
        return self._within(self._patience_s, partial(self.inner.has, name))

    def read(self, name: str) -> Iterator[bytes]:
        stream, left, came = self.inner.read(name), self._patience_s, 0
        while True:
            asked = time.monotonic()
            block = self._within(left, partial(next, stream, None))
            if block is None:
                return
            left, came = left - (time.monotonic() - asked), came + len(block)
            if came >= _MEGABYTE:
                left, came = self._patience_s, 0
            yield block

    def pieces(self, name: str, spans: Sequence[Span]) -> list[bytes]:
        size = sum(end - start for start, end in spans)
        return self._within(self._patience_s * (1 + size // _MEGABYTE), partial(self.inner.pieces, name, spans))

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        return self.inner.write(name, blocks)

    def move(self, name: str, to: str) -> None:
        self.inner.move(name, to)

    def remove(self, name: str) -> None:
        self.inner.remove(name)

    def _within(self, seconds: float, work: Callable[[], _T]) -> _T:
        deadline.check()
        ends = [end - time.monotonic() for end in (deadline.current().deadline, self._ends_at) if end is not None]
        left = min(seconds, *ends) if ends else seconds
        try:
            if left <= 0:
                raise TooLateError
            return within(left, work)
        except TooLateError as error:
            deadline.check()
            raise unreachable(self.address, f"it takes longer than {self._patience_s:g} s") from error
