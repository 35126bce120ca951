"""The first index of a fresh clone: the user's first remote is asked before anything is read of the tree.

Nobody waits long for it, and nothing depends on it: where it is away, slow, or has nothing, the tree is indexed.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from cairn.base import deadline
from cairn.base.errors import CairnError, DeadlineError
from cairn.base.notes import Note
from cairn.team.settings import signing_key, team_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import ExitStack

    from cairn.store import Identity
    from cairn.workspace.git import Git


def fetched(
    home: str, identity: Identity, git: Git, stack: ExitStack, walk: Callable[[], object]
) -> tuple[tuple[str, ...], str, tuple[Note, ...]]:
    """The store of a snapshot that came, gone with the stack, from where, and why none did, where one could have.

    While that is under way, a walk through the tree looks at what has to be looked at in any case.
    """
    settings = team_settings()
    if not settings.addresses:
        return (), "", ()
    from cairn.team.arrival import ArrivedSnapshot
    from cairn.team.exchange import pull
    from cairn.team.patience import remote_at
    from cairn.team.remote import PATIENCE

    address = next(iter(settings.addresses.values()))
    outer = deadline.current()
    at = time.monotonic() + PATIENCE * settings.timeout_s
    bounds = deadline.WorkBounds(at if outer.deadline is None else min(at, outer.deadline), outer.cancelled)
    arrival = stack.enter_context(ArrivedSnapshot(home, identity))
    try:
        with _beside(walk), deadline.within(bounds):
            found = pull(
                remote_at(address, settings.timeout_s), git, identity.config_fingerprint, signing_key(), arrival, None
            )
    except CairnError as error:
        if isinstance(error, DeadlineError):
            # Whoever asked may have no time left either.
            deadline.check()
        return (), address, (_unused(address, error.message),)
    paths = (arrival.layout.path,) if found.listing is not None else ()
    return paths, address, tuple(_unused(address, each) for each in found.passed)


@contextlib.contextmanager
def _beside(walk: Callable[[], object]) -> Iterator[None]:
    bounds = deadline.current()

    def run() -> None:
        # What is in its way is in that of the look which follows too, and told there.
        with contextlib.suppress(CairnError, OSError), deadline.within(bounds):
            walk()

    walking = threading.Thread(target=run, name="cairn-walk")
    walking.start()
    try:
        yield
    finally:
        walking.join()


def _unused(address: str, message: str) -> Note:
    return Note("remote_unused", {"remote": address, "message": message})
