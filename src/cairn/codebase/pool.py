"""Codebases that stay open between requests, each for one request at a time.

Readers and syncs have codebases of their own: a question never waits for a sync, nor for another
question. Taking one never waits either; how many are at work is decided where requests are admitted,
and how many stay open afterwards is decided here.
"""

import contextlib
import os
import resource
import threading
from collections import Counter
from collections.abc import Callable, Iterator

from cairn.base import system
from cairn.base.errors import CairnError
from cairn.base.values import dataclass
from cairn.codebase.codebase import Codebase
from cairn.config.user import USER_CONFIG
from cairn.embed.protocol import Embedder, Inheritable
from cairn.embed.settings import embedder_from, load_settings
from cairn.workspace.root import find_root

MOST_IDLE = 16
_MOST_ALIKE = 4
"""Of one root and for one purpose."""


@dataclass(frozen=True, slots=True)
class _Kept:
    root: str
    syncs: bool
    settings: object
    """Of the user: other ones mean another embedder."""
    turn: int
    """How often the root was dropped before."""
    codebase: Codebase


class Pool:
    """The codebases of one home."""

    def __init__(
        self,
        home: str,
        *,
        most_idle: int = MOST_IDLE,
        most_handles: int | None = None,
        kind: Callable[..., Codebase] = Codebase,
    ) -> None:
        self._home = home
        self._kind = kind
        self._config = os.path.join(home, USER_CONFIG)
        self._most_idle = most_idle
        self._most_handles = most_handles or resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2
        self._guard = threading.Lock()
        self._idle: list[_Kept] = []
        """The one that was used last comes last."""
        self._roots: dict[str, bool] = {}
        """The roots that are known, and whether each is a repository's."""
        self._dropped: Counter[str] = Counter()
        self._shared: tuple[object, Embedder | None] | None = None
        self._closed = False

    @contextlib.contextmanager
    def using(self, path: str, *, syncs: bool = False) -> Iterator[Codebase]:
        """The codebase of a path, with the settings as they are now."""
        kept = self._taken(self._root_of(path), syncs)
        try:
            kept.codebase.refresh()
            yield kept.codebase
        except CairnError:
            # Told on purpose: what was asked, or the store, is at fault, and not what is open here.
            self._give_back(kept)
            raise
        except BaseException:
            kept.codebase.close()
            raise
        else:
            self._give_back(kept)

    def drop(self, root: str) -> None:
        """Let go of a codebase whose store is removed or replaced; those in use are closed when they come back."""
        with self._guard:
            self._dropped[root] += 1
            gone = [kept for kept in self._idle if kept.root == root]
            self._idle = [kept for kept in self._idle if kept.root != root]
        for kept in gone:
            kept.codebase.close()

    def idle(self) -> int:
        """How many codebases are open and unused."""
        with self._guard:
            return len(self._idle)

    def close(self) -> None:
        """Close what is unused; what is in use is closed when it is given back."""
        with self._guard:
            self._closed = True
            gone, self._idle = self._idle, []
        for kept in gone:
            kept.codebase.close()

    def _root_of(self, path: str) -> str:
        """The root of a path; git is asked only where what it said of it before may not hold any more."""
        folder = real = os.path.realpath(path) if path and "\0" not in path else path
        if folder in self._roots or os.path.isdir(folder):
            while folder != "/" and not os.path.lexists(os.path.join(folder, ".git")):
                folder = os.path.dirname(folder)
            known = real if folder == "/" else folder
            if self._roots.get(known) is (folder != "/") and os.path.isdir(real):
                return known
        found = find_root(path)
        with self._guard:
            self._roots[found.path] = found.in_git
        return found.path

    def _taken(self, root: str, syncs: bool) -> _Kept:
        settings = _stamp(self._config)
        stale: list[_Kept] = []
        found = None
        with self._guard:
            for kept in reversed(self._idle):
                if kept.settings != settings:
                    stale.append(kept)
                elif found is None and (kept.root, kept.syncs) == (root, syncs):
                    found = kept
            self._idle = [kept for kept in self._idle if kept is not found and kept not in stale]
            turn = self._dropped[root]
        for kept in stale:
            kept.codebase.close()
        return found or _Kept(root, syncs, settings, turn, self._kind(root, embedder=self._model(settings)))

    def _model(self, settings: object) -> Embedder | None:
        """One model for all where it is nothing but memory; other embedders belong to one codebase each."""
        with self._guard:
            if self._shared is None or self._shared[0] != settings:
                made = embedder_from(load_settings(self._home, os.environ), self._home, os.environ)
                self._shared = (settings, made if isinstance(made, Inheritable) else None)
            return self._shared[1]

    def _give_back(self, kept: _Kept) -> None:
        kept.codebase.release()
        gone: list[_Kept] = []
        with self._guard:
            alike = sum((each.root, each.syncs) == (kept.root, kept.syncs) for each in self._idle)
            if self._dropped[kept.root] == kept.turn and alike < _MOST_ALIKE:
                self._idle.append(kept)
            else:
                gone.append(kept)
            over = len(self._idle) if self._closed else max(0, len(self._idle) - self._most_idle)
            if not over and open_handles() > self._most_handles:
                # The least used half: one that is needed again is opened again.
                over = (len(self._idle) + 1) // 2
            gone += self._idle[:over]
            self._idle = self._idle[over:]
        for each in gone:
            each.codebase.close()


def open_handles() -> int:
    """How many descriptors are open, as the kernel counts them; an older one only gives out the lowest free one."""
    try:
        return system.open_handles()
    except OSError:
        # None is left.
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def handles_are_scarce() -> bool:
    """Whether so few descriptors are left that what is begun now might fail for want of them."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return most != resource.RLIM_INFINITY and open_handles() > most - most // 8


def _stamp(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
