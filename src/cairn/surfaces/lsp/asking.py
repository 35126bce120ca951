"""The way that a question of an editor takes: to the daemon of this home while one listens, else right here.

The daemon answers at the address that every question has. Where it is not like us, doesn't answer or ends, the
question is asked in this process: it may be asked twice, since a question changes nothing.
"""

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from cairn import __version__
from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import CairnError, CancelledError, DeadlineError
from cairn.base.notes import Note
from cairn.codebase.names import NOTHING_UNSAVED
from cairn.daemon.client import SOCKET, TOOL_PATH, GoneError, asked, got, read_directly, settings
from cairn.daemon.frames import read
from cairn.surfaces.lsp.shown import NO_TEXTS, MovedFiles, Texts

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.names import UnsavedNames
    from cairn.codebase.overlay import Overlay
    from cairn.codebase.pool import Pool
    from cairn.indexing.progress import Progress
    from cairn.questions.parameters import Values
    from cairn.questions.question import Question

Document = dict[str, Any]
_PATIENCE_S = 60.0
"""How long the daemon may take for one answer: the longest of them, of the commonest names, take seconds."""
_MOST_OPEN = 4
_ROUNDS = 3
"""How often a question is asked: the files that were found changed may lead to others."""


class Asking:
    """Asks questions of codebases; from any thread."""

    def __init__(self, home: str, *, offline: bool = False) -> None:
        self.home = home
        self._socket = os.path.join(home, SOCKET)
        self._offline = offline
        self._known: tuple[tuple[int, int], bool] | None = None
        """A daemon by its socket, and whether it is like us."""
        self._pool: Pool | None = None
        self._overlay: Overlay | None = None
        self._moved = MovedFiles()
        self._unsaved: dict[str, tuple[str, Texts, UnsavedNames]] = {}
        """Of each root what was laid over which snapshot, and what that defines."""

    def answer(
        self,
        name: str,
        given: Mapping[str, Any],
        root: str,
        patience_s: float | None = None,
        texts: Texts = NO_TEXTS,
    ) -> Document:
        """The document of a question about the codebase of a root; CairnError where there is no answer.

        `texts` are those of the editor's documents, which lie over the snapshot where it has them otherwise.
        """
        bounds = deadline.current()
        if patience_s is not None:
            bounds = WorkBounds(time.monotonic() + patience_s, bounds.cancelled)
        with deadline.within(bounds):
            for _ in range(_ROUNDS):
                shown = self._moved.over(root, texts)
                if shown and self.overlay.is_needed(root, shown):
                    found = self.here_named(name, given, root, partial(self._overlaid, shown))
                else:
                    found = self._answer(name, given, root)
                if not self._moved.learn(root, found):
                    break
            return found

    def unsaved_names(self, root: str, texts: Texts, snapshot: str) -> "UnsavedNames":
        """What the editor's documents define, where the snapshot has them otherwise."""
        shown = self._moved.over(root, texts)
        known = self._unsaved.get(root)
        if known is None or known[:2] != (snapshot, shown):
            names = self.overlay.names(root, shown) if shown else NOTHING_UNSAVED
            known = self._unsaved[root] = snapshot, shown, names
        return known[2]

    def look_at(self, root: str, snapshot: str, paths: Iterable[str]) -> bool:
        """Have files that changed since a snapshot lie over it from now on; whether there are any."""
        return self._moved.look_at(root, snapshot, paths)

    def _overlaid(self, texts: Texts, root: str) -> "contextlib.AbstractContextManager[Codebase]":
        return self.overlay.using(root, texts)

    def _answer(self, name: str, given: Mapping[str, Any], root: str) -> Document:
        question, values = _checked(name, given)
        if self.has_daemon():
            try:
                return self._from_daemon(question, given, root)
            except GoneError:
                raise CancelledError("Whoever asked has gone away.") from None
            except (OSError, ValueError):
                # It has ended, is stuck, or isn't what it should be.
                self._known = None
        return self.here(question, values, root, self.pool.using)

    def here(
        self,
        question: "Question",
        values: "Values",
        root: str,
        opened: "Callable[[str], contextlib.AbstractContextManager[Codebase]]",
    ) -> Document:
        """The same in this process, of a codebase that is opened as given."""
        from cairn.questions.asking import Where, ask

        found: Document = ask(question, values, _Here(root, opened), Where(root), sync=False).document()
        return found

    def here_named(
        self,
        name: str,
        given: Mapping[str, Any],
        root: str,
        opened: "Callable[[str], contextlib.AbstractContextManager[Codebase]]",
    ) -> Document:
        """The same for a question by its name."""
        return self.here(*_checked(name, given), root, opened)

    def has_daemon(self) -> bool:
        """Whether a daemon of our version and with our settings listens."""
        if self._offline:
            return False
        try:
            found = os.stat(self._socket)
        except OSError:
            return False
        stamp = found.st_ino, found.st_ctime_ns
        if self._known is None or self._known[0] != stamp:
            try:
                self._known = stamp, self._is_like_us()
            except (OSError, ValueError):
                self._known = stamp, False
        return self._known[1]

    def _is_like_us(self) -> bool:
        """Tools are answered only to who has the same version and settings: another's answers may not be ours."""
        request = {
            "version": __version__,
            "settings": settings(os.environ, self.home),
            "tool": "list_codebases",
            "arguments": {},
            "folders": [],
            "fresh_for_s": 0.0,
        }
        frames = asked(self._socket, TOOL_PATH, json.dumps(request).encode())
        return any(kind == "answer" for kind, _ in frames)

    @property
    def pool(self) -> "Pool":
        """The codebases that are open in this process."""
        if self._pool is None:
            from cairn.codebase.pool import Pool

            self._pool = Pool(self.home, most_idle=_MOST_OPEN)
        return self._pool

    @property
    def overlay(self) -> "Overlay":
        """The codebases with the editor's texts over them."""
        if self._overlay is None:
            from cairn.codebase.overlay import Overlay

            self._overlay = Overlay(self.home)
        return self._overlay

    def close(self) -> None:
        """Close what is open."""
        if self._overlay is not None:
            self._overlay.close()
        if self._pool is not None:
            self._pool.close()

    def _from_daemon(self, question: "Question", given: Mapping[str, Any], root: str) -> Document:
        parameters = {question.parameter(name).query_name: _text(value) for name, value in given.items()}
        bounds = deadline.current()
        if bounds.deadline is not None:
            parameters["timeout_ms"] = max(1, int((bounds.deadline - time.monotonic()) * 1_000))
        target = f"/v1/{question.name}?{urlencode({**parameters, 'root': root}, doseq=True)}"
        found = read(got(self._socket, target, lambda: not bounds.cancelled.is_set(), _PATIENCE_S))
        if not isinstance(found, dict):
            raise ValueError("no document")
        if (error := found.get("error")) is not None:
            if error["code"] == DeadlineError.code:
                raise DeadlineError(str(error["message"]))
            if error.get("retry_after_ms") is not None:
                raise OSError(error["message"])  # it has no room for us
            raise CairnError(str(error["message"]), hint=str(error["hint"]))
        return found


class _Here:
    """The host of one question: paths start from the root of the codebase, and nothing is brought up to date."""

    def __init__(self, root: str, opened: "Callable[[str], contextlib.AbstractContextManager[Codebase]]") -> None:
        self._root = root
        self._opened = opened

    def at(self, path: str) -> str:
        return os.path.join(self._root, path)

    def read_mode(self, *, asked_for: bool) -> str:
        return read_directly()

    def opened(self, path: str, shared_store: str | None = None) -> "contextlib.AbstractContextManager[Codebase]":
        return self._opened(path)

    def brought(self, codebase: "Codebase", sync: object) -> tuple[bool, list[Note]]:
        return False, []

    def progress(self) -> "contextlib.AbstractContextManager[Progress | None]":
        return contextlib.nullcontext()


def _checked(name: str, given: Mapping[str, Any]) -> "tuple[Question, Values]":
    from cairn.questions.asking import values_of
    from cairn.questions.registry import QUESTIONS

    question = next(each for each in QUESTIONS if each.name == name)
    return question, values_of(question, given)


def _text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
