"""A stream of hints that a tree may have moved; the change detector decides whether it did.

Events of the file system arrive debounced. Since events can be lost, a reconciliation is due at a
fixed cadence; if the system can't watch at all, there is nothing else.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from cairn.base.values import dataclass

DEBOUNCE_MS = 300
MAX_DEBOUNCE_MS = 2000
RECONCILE_S = 300.0
_LOOK_UP_MS = 500
_UNDECODABLE = "Unable to decode path"
# Git touches these when a branch is switched or a commit made; the rest of .git is its own affair.
_GIT_SIGNS = (".git/HEAD", ".git/logs/HEAD")


class HintReason(StrEnum):
    """Why a tree should be looked at."""

    START = "start"
    EVENTS = "events"
    RECONCILE = "reconcile"
    UNWATCHED = "unwatched"


@dataclass(frozen=True, slots=True)
class Hint:
    """A reason to look; `paths` are raw and root-relative, empty when anything may have changed."""

    reason: HintReason
    paths: tuple[str, ...] = ()
    detail: str = ""


def watch(
    root: str,
    stop: threading.Event,
    *,
    pruned: Callable[[], frozenset[str]] = frozenset,
    debounce_ms: int = DEBOUNCE_MS,
    reconcile_s: float = RECONCILE_S,
) -> Iterator[Hint]:
    """Yield hints until `stop` is set. `pruned` names folders whose events don't count."""
    next_look = time.monotonic() + reconcile_s
    due: HintReason | None = HintReason.START
    while not stop.is_set():
        try:
            for batch in _events(root, stop, debounce_ms):
                if due is not None:
                    # The watches are in place: a scan after this hint misses nothing.
                    yield Hint(due)
                    due = None
                paths = relevant(root, (path for path in batch if not _through_link(root, path)), pruned())
                if paths:
                    yield Hint(HintReason.EVENTS, paths)
                if time.monotonic() >= next_look:
                    yield Hint(HintReason.RECONCILE)
                    next_look = time.monotonic() + reconcile_s
            return
        except (OSError, RuntimeError) as error:
            if _UNDECODABLE not in str(error):
                # Typically the limit on inotify watches or instances.
                yield Hint(HintReason.UNWATCHED, detail=str(error))
                yield from _reconcile_only(stop, reconcile_s)
                return
            # An event about a name that is not UTF-8 ends the watcher: look now, and once more
            # when the next one is in place.
            yield Hint(due or HintReason.RECONCILE)
            due = HintReason.RECONCILE
            stop.wait(debounce_ms / 1000)


def relevant(root: str, paths: Iterable[str], pruned: frozenset[str]) -> tuple[str, ...]:
    """Root-relative paths that may matter to the index, in byte order."""
    prefix = root.rstrip("/") + "/"
    found = set()
    for path in paths:
        if not path.startswith(prefix):
            continue
        raw = path[len(prefix) :]
        if raw in _GIT_SIGNS or not (".git" in raw.split("/") or _inside(raw, pruned)):
            found.add(raw)
    return tuple(sorted(found))


def _inside(raw: str, folders: frozenset[str]) -> bool:
    end = raw.find("/")
    while end >= 0:
        if raw[:end] in folders:
            return True
        end = raw.find("/", end + 1)
    return False


def _events(root: str, stop: threading.Event, debounce_ms: int) -> Iterator[list[str]]:
    """Lists of changed absolute paths; an empty one every half second without events."""
    from watchfiles import watch as file_events

    for batch in file_events(
        root,
        watch_filter=None,
        debounce=MAX_DEBOUNCE_MS,
        step=debounce_ms,
        stop_event=stop,
        rust_timeout=_LOOK_UP_MS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    ):
        yield [path for _, path in batch]


def _through_link(root: str, path: str) -> bool:
    """Whether a path goes through a link: its target is reported under its own name, or is outside of the tree."""
    folder = os.path.dirname(path)
    while len(folder) > len(root):
        if os.path.islink(folder):
            return True
        folder = os.path.dirname(folder)
    return False


def _reconcile_only(stop: threading.Event, reconcile_s: float) -> Iterator[Hint]:
    while not stop.wait(reconcile_s):
        yield Hint(HintReason.RECONCILE)
