"""What happens while an editor is served: files are saved, settings and folders change, and the index moves."""

import asyncio
import contextlib
import threading
import uuid
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from cairn.base.errors import CairnError
from cairn.surfaces.lsp.offering import registrations
from cairn.surfaces.lsp.session import EditorSession
from cairn.surfaces.lsp.upkeep import IndexUpkeep

_CHANGED = "cairn/changed"
_SECTION = "cairn"
_PATIENCE_S = 300.0
"""How long a user may think about a question."""
_AT_START_S = 2.0
"""How long after the start what is indexed is synced: the first answers come before that."""


class _ShownProgress:
    """A run's progress in the editor; nothing of it where the editor shows none."""

    def __init__(self, following: "Following", title: str, cancelled: threading.Event) -> None:
        self._following = following
        self._token: str | None = None
        if following.shows_progress:
            self._token = f"cairn-{uuid.uuid4()}"
            following.cancels[self._token] = cancelled
            params = types.WorkDoneProgressCreateParams(self._token)
            following.ask(following.server.window_work_done_progress_create_async(params))
            self._say(types.WorkDoneProgressBegin(f"Indexing {title}", cancellable=True, percentage=0))

    def report(self, share: float, text: str) -> None:
        self._say(types.WorkDoneProgressReport(percentage=max(0, min(100, int(share))), message=text))

    def end(self, text: str) -> None:
        self._say(types.WorkDoneProgressEnd(message=text))
        self._following.cancels.pop(self._token or "", None)

    def _say(self, value: Any) -> None:
        if self._token is not None:
            self._following.say(partial(self._following.server.progress, types.ProgressParams(self._token, value)))


class Following:
    """Follows one editor from its first message on."""

    def __init__(self, server: LanguageServer, session: EditorSession) -> None:
        self.server = server
        self.session = session
        self.cancels: dict[str, threading.Event] = {}
        """Of runs that are shown: what ends each, by the token of its progress."""
        self.upkeep = IndexUpkeep(session, partial(_ShownProgress, self), self.settle)
        session.index = self.upkeep.index
        self._loop: asyncio.AbstractEventLoop | None = None
        self._registered: dict[str, types.Registration] = {}
        self._turn = asyncio.Lock()
        session.moved = self._moved
        followed: tuple[tuple[str, Callable[[Any], Any]], ...] = (
            (types.INITIALIZED, self._begin),
            (types.TEXT_DOCUMENT_DID_SAVE, self._saved),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._changed),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._configured),
            (types.WINDOW_WORK_DONE_PROGRESS_CANCEL, self._cancelled),
        )
        for method, function in followed:
            server.feature(method)(_handler(function))

    @property
    def shows_progress(self) -> bool:
        """Whether the editor shows progress that the server begins."""
        window = self.server.client_capabilities.window
        return bool(window is not None and window.work_done_progress)

    def say(self, function: Any) -> None:
        """Have something sent from the loop's thread."""
        if self._loop is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(function)

    def ask(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """What the editor answers to a request of ours, in a thread that may wait; None where it refuses."""
        if self._loop is None or not self._loop.is_running():
            asking.close()
            return None
        try:
            return asyncio.run_coroutine_threadsafe(asking, self._loop).result(_PATIENCE_S)
        except (JsonRpcException, TimeoutError, asyncio.CancelledError):
            return None

    def settle(self) -> None:
        """Register what is offered now; from any thread."""
        self.say(lambda: asyncio.ensure_future(self._register()))

    def folders_changed(self) -> None:
        """Folders have come and gone: others are offered, synced, or asked about."""
        self.session.look_again()
        self.settle()
        threading.Thread(target=self._offer, daemon=True).start()

    def close(self) -> None:
        """Begin nothing more."""
        self.upkeep.close()

    async def _begin(self, _params: Any) -> None:
        self._loop = asyncio.get_running_loop()
        for row in self.session.tracked():
            if row.snapshot_id:
                self.session.saw(row.root, row.snapshot_id)
        await self._configure()
        await self._register()
        self._loop.run_in_executor(None, self._read_ahead)
        self._sync_all()
        threading.Thread(target=self._offer, daemon=True).start()

    def _read_ahead(self) -> None:
        """Read the names before the first key is pressed."""
        for root in self.session.roots():
            with contextlib.suppress(CairnError, OSError):
                self.session.names.like(root, "a", 1)

    def _sync_all(self) -> None:
        if self.session.settings.sync:
            for root in self.session.roots():
                self.upkeep.sync_soon(root, _AT_START_S)

    def _offer(self) -> None:
        """Ask about folders that are not indexed, where the editor can show a question."""
        window = self.server.client_capabilities.window
        if self.session.settings.index == "ask" and (window is None or window.show_message is None):
            return
        self.upkeep.offer(self._choose)

    def _choose(self, question: str, titles: Sequence[str]) -> str | None:
        items = [types.MessageActionItem(each) for each in titles]
        params = types.ShowMessageRequestParams(types.MessageType.Info, question, items)
        found = self.ask(self.server.window_show_message_request_async(params))
        return getattr(found, "title", None)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self.upkeep.changed([params.text_document.uri])

    def _changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        self.upkeep.changed([each.uri for each in params.changes])

    async def _configured(self, params: types.DidChangeConfigurationParams) -> None:
        given = params.settings
        own = given.get(_SECTION) if isinstance(given, dict) else getattr(given, _SECTION, None)
        self._take(own)
        await self._configure()
        await self._register()

    async def _configure(self) -> None:
        """Ask an editor that has settings for ours."""
        workspace = self.server.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return
        items = [types.ConfigurationItem(section=_SECTION)]
        try:
            found = await self.server.workspace_configuration_async(types.ConfigurationParams(items))
        except JsonRpcException:
            return
        self._take(found[0] if found else None)

    def _take(self, given: Any) -> None:
        known = given if isinstance(given, dict) else {}
        self.session.settings, faults = self.session.settings.changed(known)
        for fault in faults:
            self.session.log(fault)

    async def _register(self) -> None:
        """Tell the editor what is offered for which files, where that is another than before."""
        async with self._turn:
            loop, can = asyncio.get_running_loop(), self.server.client_capabilities
            wanted = await loop.run_in_executor(None, registrations, self.session, can)
            by_id = {each.id: each for each in wanted}
            gone = [each for name, each in self._registered.items() if by_id.get(name) != each]
            new = [each for each in wanted if self._registered.get(each.id) != each]
            self._registered = by_id
            try:
                if gone:
                    parts = [types.Unregistration(each.id, each.method) for each in gone]
                    await self.server.client_unregister_capability_async(types.UnregistrationParams(parts))
                if new:
                    await self.server.client_register_capability_async(types.RegistrationParams(new))
            except JsonRpcException as error:
                self.session.log(f"The editor refuses to register features: {error}.")

    def _cancelled(self, params: types.WorkDoneProgressCancelParams) -> None:
        if (event := self.cancels.get(str(params.token))) is not None:
            event.set()

    def _moved(self, root: str, snapshot: str) -> None:
        self.session.look_again()
        document = {"root": self.session.uri(root), "snapshot": snapshot}
        self.say(lambda: self.server.protocol.notify(_CHANGED, document))


def _handler(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A method as pygls takes it: it leaves marks on functions, and knows by their kind how to call them."""

    async def handle(params: Any) -> None:
        found = function(params)
        if found is not None:
            await found

    return handle
