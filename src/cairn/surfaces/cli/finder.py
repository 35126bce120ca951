"""What `cairn pick` asks while one types: the daemon where one listens, else one codebase that is kept open."""

import contextlib
import os
import threading
from typing import TYPE_CHECKING, Any

from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import CairnError
from cairn.base.text import plural
from cairn.base.values import dataclass
from cairn.daemon.client import GoneError
from cairn.surfaces.cli.console import Console

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.progress import Progress

MODES = ("meaning", "lines", "names")
_MOST = 50
_GIVEN: dict[str, dict[str, Any]] = {"meaning": {}, "lines": {"literal": True}, "names": {"mode": "symbol"}}
_TYPED = {"meaning": (), "lines": ("--literal",), "names": ("--mode", "symbol")}


@dataclass(frozen=True, slots=True)
class PickedPlace:
    """One line of the list."""

    root: str
    path: str
    line: int
    text: str

    @property
    def file(self) -> str:
        """Where the file is."""
        return os.path.join(self.root, self.path)


@dataclass(frozen=True, slots=True)
class PickList:
    """What was found, and a word on it."""

    places: tuple[PickedPlace, ...] = ()
    said: str = ""


class Finder(Console):
    """Answers one question after the other, always in the same thread; the tree is looked at once, before the first."""

    def __init__(self) -> None:
        super().__init__()
        self._codebase: Codebase | None = None
        self._synced = False

    def ask(self, query: str, mode: str, given_up: threading.Event) -> PickList:
        """What is found for a query; nothing once it was given up."""
        if not query.strip():
            return PickList()
        try:
            document = self._by_daemon(query, mode, given_up) or self._directly(query, mode, given_up)
        except GoneError:
            return PickList()
        except CairnError as error:
            return PickList(said=error.message)
        self._synced = True
        places = tuple(_place(document["root"], each) for each in document["results"])
        return PickList(places, plural(len(places), "place"))

    def close(self) -> None:
        """Let the codebase go."""
        if self._codebase is not None:
            self._codebase.close()
            self._codebase = None

    def opened(self, path: str, shared_store: str | None = None) -> "contextlib.AbstractContextManager[Codebase]":
        """The one codebase, which stays open."""
        from cairn.codebase.codebase import Codebase

        if self._codebase is None:
            self._codebase = Codebase(path, shared_store=shared_store)
        return contextlib.nullcontext(self._codebase)

    def progress(self) -> "contextlib.AbstractContextManager[Progress | None]":
        """The screen is taken."""
        return contextlib.nullcontext()

    def _by_daemon(self, query: str, mode: str, given_up: threading.Event) -> dict[str, Any] | None:
        from cairn.surfaces.cli.through import document

        if self._codebase is not None:
            # Nobody answered before, and what is open answers faster than another look.
            return None
        only_read = ("--no-sync",) if self._synced else ()
        words = ["search", "--json", "--limit", str(_MOST), *only_read, *_TYPED[mode], "--", query]
        return document(words, lambda: not given_up.is_set())

    def _directly(self, query: str, mode: str, given_up: threading.Event) -> dict[str, Any]:
        from cairn.questions.asking import Where, ask, values_of
        from cairn.questions.search import SEARCH

        values = values_of(SEARCH, {"query": query, "limit": _MOST, **_GIVEN[mode]}, sized=False)
        # A first look at the tree is worth finishing: every further question rests on it.
        bounds = WorkBounds(cancelled=given_up) if self._synced else WorkBounds()
        with deadline.within(bounds):
            return ask(SEARCH, values, self, Where(), sync=not self._synced).document()


def _place(root: str, each: dict[str, Any]) -> PickedPlace:
    text = str(each.get("text") or "").strip("\n")
    line = each.get("line") or each.get("start_line") or 1
    about = text if each.get("kind") == "match" else each.get("symbol") or text
    return PickedPlace(root, each["path"], line, about.strip().partition("\n")[0])
