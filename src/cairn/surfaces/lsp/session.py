"""One editor that is served: its folders and documents, what it has settled, and the codebases behind them."""

import os
import stat
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from cairn.base.errors import CairnError, NotIndexedError
from cairn.base.values import dataclass
from cairn.codebase.names import NamesKept
from cairn.codebase.offers import languages_offered
from cairn.languages.files import language_of
from cairn.lifecycle.registry import Registry
from cairn.lifecycle.roots import effective_root
from cairn.lifecycle.tracked import Tracked
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.asking import Asking, Document
from cairn.surfaces.lsp.buffers import MOST_BYTES, Buffers, path_of
from cairn.surfaces.lsp.positions import PositionEncoding, Positions
from cairn.surfaces.lsp.settings import Settings

if TYPE_CHECKING:
    from cairn.surfaces.lsp.choices import RenameQuestion
    from cairn.surfaces.lsp.client import EditorClient

_LOOK_S = 1.0
"""How long the list of codebases stands."""
Say = Callable[[str], None]
Moved = Callable[[str, str], None]
Tell = Callable[[Any, str], None]


@dataclass(frozen=True, slots=True)
class WorkspaceFolder:
    """A folder of the editor's workspace, by the name that the editor has for it and by its real path."""

    uri: str
    path: str
    real: str


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file of a codebase."""

    root: str
    path: str
    """From the root on."""


class EditorSession:
    """What features work with; from any thread."""

    def __init__(self, home: str, *, offline: bool = False, log: Say = lambda _: None) -> None:
        self.encoding = PositionEncoding.UTF16
        self.buffers = Buffers(self.encoding)
        self.settings = Settings()
        self.shows_trees = True
        """Whether the editor takes the symbols of a document as a tree."""
        self.folders: tuple[WorkspaceFolder, ...] = ()
        self.asking = Asking(home, offline=offline)
        self.registry = Registry(home)
        self.names = NamesKept(home)
        self.known_places: dict[tuple[str, str, int, int, int], types.Location | None] = {}
        """Where names stand in files that have not changed since."""
        self.log = log
        self.moved: Moved = lambda _root, _snapshot: None
        """Told when answers of a codebase come from another snapshot than before."""
        self.tell: Tell = lambda _token, _text: None
        """Says something beside an answer, to who waits for it: the token is that of the request's progress."""
        self.index: Callable[[str], dict[str, Any]] = lambda _: {}
        """Makes or renews the index of a root, and tells what came of it."""
        self.client: EditorClient
        self.question: RenameQuestion | None = None
        """The last rename that asked."""
        self.marked: tuple[str, ...] = ()
        """Documents in which what it asked about is marked."""
        self._seen: dict[str, str] = {}
        self._tracked: tuple[float, tuple[Tracked, ...]] = (0.0, ())

    def negotiate(self, encoding: str) -> None:
        """Count as the editor does."""
        self.encoding = PositionEncoding(encoding)
        self.buffers = Buffers(self.encoding)

    def open_folder(self, uri: str) -> None:
        """A folder has come to the workspace."""
        path = path_of(uri)
        if path is not None and all(each.path != path for each in self.folders):
            self.folders = (*self.folders, WorkspaceFolder(uri, path, os.path.realpath(path)))

    def close_folder(self, uri: str) -> None:
        """A folder has left the workspace."""
        path = path_of(uri)
        self.folders = tuple(each for each in self.folders if each.path != path)

    def tracked(self) -> tuple[Tracked, ...]:
        """The codebases that Cairn knows; none where their list can't be read."""
        looked, found = self._tracked
        if time.monotonic() - looked > _LOOK_S:
            try:
                found = self.registry.all()
            except (CairnError, OSError) as error:
                self.log(f"The list of codebases can't be read: {_sentence(error)}")
                found = ()
            self._tracked = (time.monotonic(), found)
        return found

    def look_again(self) -> None:
        """A codebase has come, gone or moved."""
        self._tracked = (0.0, ())

    def codebase(self, uri: str) -> str | None:
        """The root of the indexed codebase that a document or a folder belongs to; None where there is none."""
        path = path_of(uri)
        if path is None:
            return None
        return effective_root(os.path.realpath(path), [row.root for row in self.tracked() if row.is_searchable])

    def roots(self) -> list[str]:
        """The indexed codebases of the workspace: around its folders, and beneath them."""
        known = [row.root for row in self.tracked() if row.is_searchable]
        found: dict[str, None] = {}
        for folder in self.folders:
            around = effective_root(folder.real, known)
            beneath = [root for root in known if root.startswith(f"{folder.real.rstrip('/')}/")]
            found |= dict.fromkeys([*([around] if around is not None else []), *beneath])
        return list(found)

    def root_meant(self, uri: str | None) -> str | None:
        """The codebase of a URI; without one, the first of the workspace."""
        if uri:
            return self.codebase(uri)
        return next(iter(self.roots()), None)

    def spot(self, uri: str) -> DocumentFile | None:
        """The file of a document within its codebase; None for one that is in none, is untitled or very large."""
        root, path = self.codebase(uri), path_of(uri)
        if root is None or path is None:
            return None
        # The last step may be a link, which has a name of its own in the index.
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if not real.startswith(f"{root.rstrip('/')}/"):
            return None
        return DocumentFile(root, real[len(root.rstrip("/")) + 1 :])

    def language(self, uri: str) -> str | None:
        """The language of a document by its name."""
        path = path_of(uri)
        return None if path is None else language_of(os.path.basename(path))

    def held(self, root: str) -> dict[str, frozenset[str]]:
        """The languages that the index of a codebase holds, each with the globs that its files fit."""
        try:
            return languages_offered(self.asking.home, root)
        except (CairnError, OSError) as error:
            self.log(f"What the index of {root} holds can't be read: {_sentence(error)}")
            return {}

    def ask(self, name: str, given: Mapping[str, Any], uri: str) -> Document:
        """The answer of a question about the codebase of a document or folder; NotIndexedError where there is none."""
        root = self.codebase(uri)
        if root is None:
            raise NotIndexedError(f"Nothing is indexed around {uri}.")
        return self.ask_root(name, given, root)

    def ask_root(self, name: str, given: Mapping[str, Any], root: str, *, patience_s: float | None = None) -> Document:
        """The same of a codebase by its root; DeadlineError where it takes longer than one has patience for."""
        found = self.asking.answer(name, given, root, patience_s, self.buffers.texts())
        snapshot = found.get("snapshot_id")
        if snapshot:
            self.saw(root, snapshot)
        return found

    def saw(self, root: str, snapshot: str) -> None:
        """Answers of a codebase come from this snapshot."""
        before = self._seen.get(root)
        self._seen[root] = snapshot
        if before is not None and before != snapshot:
            self.moved(root, snapshot)

    def text(self, path: str) -> bytes | None:
        """A file as the editor sees it: its open document, else what is on disk; None where it can't be read or is very
        large."""
        buffer = self.buffers.at(path)
        if buffer is not None:
            return buffer.data if len(buffer.data) <= MOST_BYTES else None
        try:
            status = os.stat(path)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                return None
            with open(path, "rb", buffering=0) as file:
                return file.read()
        except (OSError, ValueError):
            return None

    def positions(self, path: str, data: bytes) -> Positions:
        """The places in what Cairn was given of a file, as the editor counts them."""
        buffer = self.buffers.at(path)
        return Positions(data, self.encoding) if buffer is None else buffer.positions(data)

    def named(self, real: str) -> str:
        """A real path as the editor names it: beneath a folder that is a link, by the link."""
        for folder in self.folders:
            if folder.real != folder.path and f"{real}/".startswith(f"{folder.real.rstrip('/')}/"):
                return folder.path.rstrip("/") + real[len(folder.real.rstrip("/")) :]
        return real

    def uri(self, root: str, path: str = "") -> str:
        """The URI of a file of a codebase, as the editor spells it."""
        real = os.path.join(root, path) if path else root
        buffer = self.buffers.at(real)
        return uri_of(self.named(real)) if buffer is None else buffer.uri

    def close(self) -> None:
        """Let go of what is open."""
        self.asking.close()


def _sentence(error: Exception) -> str:
    return f"{str(error).rstrip('.')}."


def uri_of(path: str) -> str:
    """The URI of a file."""
    return "file://" + quote(os.fsencode(path), safe="/!$&'()*+,;=:@~")
