"""The index kept up with the editor: synced after a save, made where the user wants one, and told of when it moves.

Runs are processes of their own: they neither hold up answers nor leave their memory here, and go on without the editor.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from cairn.base.errors import CairnError, CancelledError
from cairn.lifecycle.processes import Jobs
from cairn.lifecycle.tracked import Tracked
from cairn.surfaces.lsp.buffers import path_of
from cairn.surfaces.lsp.custom import page_of
from cairn.surfaces.lsp.session import EditorSession
from cairn.workspace.root import find_root

_PAUSE_S = 0.5
"""How long after a change a sync begins: a burst of saves is one."""
_YES, _NO = "Index", "Not now"


class IndexProgress(Protocol):
    """How the editor shows how far a run is."""

    def report(self, share: float, text: str) -> None:
        """It is so far, from 0 to 100."""
        ...

    def end(self, text: str) -> None:
        """It has ended."""
        ...


class IndexUpkeep:
    """The syncs and runs of one editor; from any thread."""

    def __init__(
        self,
        session: EditorSession,
        begin: Callable[[str, threading.Event], IndexProgress],
        settled: Callable[[], None],
    ) -> None:
        """`begin` shows a run's progress, whose end the event asks for; `settled` is told when an index has moved."""
        self._session = session
        self._begin = begin
        self._settled = settled
        self._jobs = Jobs(session.registry)
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="upkeep")
        self._guard = threading.Lock()
        self._due: dict[str, threading.Timer] = {}
        self._declined: set[str] = set()

    def changed(self, uris: Iterable[str]) -> None:
        """Documents were saved, or files have changed: their codebases are synced soon."""
        if self._session.settings.sync:
            for root in {root for uri in uris if (root := self._session.codebase(uri)) is not None}:
                self.sync_soon(root)

    def sync_soon(self, root: str, pause_s: float = _PAUSE_S) -> None:
        """Sync a codebase unless more happens until then."""
        with self._guard:
            if (before := self._due.pop(root, None)) is not None:
                before.cancel()
            timer = self._due[root] = threading.Timer(pause_s, self._submit, (root,))
            timer.daemon = True
            timer.start()

    def index(self, root: str) -> dict[str, Any]:
        """Make or renew the index of a folder, and show how far that is; what came of it."""
        cancelled = threading.Event()
        progress = self._begin(os.path.basename(root), cancelled)
        said = f"{root} was not indexed."
        try:
            found = self._run(root, lambda row: progress.report(*_share(row)), cancelled)
            said = found["message"]
            return found
        finally:
            progress.end(said)

    def offer(self, choose: Callable[[str, list[str]], str | None]) -> None:
        """Ask about folders of the workspace that are not indexed, or index them, as the settings say."""
        for folder in self._session.folders:
            wish = self._session.settings.index
            if wish == "never" or folder.real in self._declined or self._session.codebase(folder.uri) is not None:
                continue
            if any(root.startswith(f"{folder.real.rstrip('/')}/") for root in self._session.roots()):
                continue  # it holds folders that are
            try:
                root = find_root(folder.real).path
            except CairnError as error:
                # The home folder, `/` and what is not there are no codebases.
                self._session.log(error.message)
                continue
            self._declined.add(folder.real)
            if wish == "always" or choose(f"Cairn: {root} is not indexed. Index it now?", [_YES, _NO]) == _YES:
                self.index(root)

    def close(self) -> None:
        """Begin nothing more; runs go on."""
        with self._guard:
            for timer in self._due.values():
                timer.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._jobs.close()

    def _submit(self, root: str) -> None:
        with self._guard:
            self._due.pop(root, None)
        with contextlib.suppress(RuntimeError):  # it has closed
            self._threads.submit(self._run, root, lambda _: None, threading.Event())

    def _run(self, root: str, report: Callable[[Tracked], None], cancelled: threading.Event) -> dict[str, Any]:
        try:
            if not self._jobs.start(root, reindex=False):
                self.sync_soon(root)  # what has changed since that one began
                return {"ok": False, "message": f"{root} is being indexed already."}
            code = self._jobs.wait(root, report, cancelled)
            failure = self._jobs.failure(root)
        except (CairnError, OSError) as error:
            said = "It was cancelled." if isinstance(error, CancelledError) else str(error)
            return {"ok": False, "message": said}
        self._session.look_again()
        self._seen(root)
        self._settled()
        if code:
            said = failure.message if failure is not None else f"The run ended with exit code {code}."
            self._session.log(f"{root}: {said}")
            return {"ok": False, "message": said}
        row = self._session.registry.get(root)
        return {"ok": True, "message": f"{row.files if row is not None else 0} files are indexed."}

    def _seen(self, root: str) -> None:
        row = self._session.registry.get(root)
        if row is not None and row.snapshot_id:
            self._session.saw(root, row.snapshot_id)


def _share(row: Tracked) -> tuple[float, str]:
    return row.progress or 0.0, row.phase or ""


def index(session: EditorSession, given: Any) -> dict[str, Any]:
    """`cairn.index` [uri]: index the folder, or the first of the workspace."""
    uri = next((each for each in given or () if isinstance(each, str)), None)
    uri = uri or next((each.uri for each in session.folders), "")
    path = path_of(uri)
    if path is None:
        return {"ok": False, "message": "There is no folder to index."}
    try:
        root = session.codebase(uri) or find_root(path).path
    except CairnError as error:
        return {"ok": False, "message": error.message}
    return session.index(root)


def open_page(session: EditorSession, _given: Any) -> str | None:
    """`cairn.openPage`: where the page is; None where no daemon serves it."""
    page = page_of(session)
    if page is None:
        session.log("No daemon serves the page: start one with `cairn serve --detach --http 127.0.0.1:0`.")
    return page


FEATURES: dict[str, Any] = {}
COMMANDS = {"cairn.index": index, "cairn.openPage": open_page}
