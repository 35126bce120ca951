"""What happens while an editor is served: files are saved, settings and folders change, and the index moves."""

import asyncio
import contextlib
import threading
import uuid
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from cairn.base.errors import CairnError
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.client import chosen
from cairn.surfaces.lsp.offering import registrations
from cairn.surfaces.lsp.peer import Peer
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
            following.ask(following.peer.ask("window/workDoneProgress/create", {"token": self._token}))
            self._say(kind="begin", title=f"Indexing {title}", cancellable=True, percentage=0)

    def report(self, share: float, text: str) -> None:
        self._say(kind="report", percentage=max(0, min(100, int(share))), message=text)

    def end(self, text: str) -> None:
        self._say(kind="end", message=text)
        self._following.cancels.pop(self._token or "", None)

    def _say(self, **value: Any) -> None:
        if self._token is not None:
            self._following.peer.notify("$/progress", {"token": self._token, "value": value})


class Following:
    """Follows one editor from its first message on."""

    def __init__(self, peer: Peer, session: EditorSession) -> None:
        self.peer = peer
        self.session = session
        self.capabilities: types.ClientCapabilities = {}
        """What the editor says that it can."""
        self.cancels: dict[str, threading.Event] = {}
        """Of runs that are shown: what ends each, by the token of its progress."""
        self.upkeep = IndexUpkeep(session, partial(_ShownProgress, self), self.settle)
        session.index = self.upkeep.index
        self._loop: asyncio.AbstractEventLoop | None = None
        self._registered: dict[str, types.Registration] = {}
        self._turn = asyncio.Lock()
        session.moved = self._moved
        self.handlers: dict[str, Callable[[Any], Any]] = {
            "initialized": self._begin,
            "textDocument/didSave": self._saved,
            "workspace/didChangeWatchedFiles": self._changed,
            "workspace/didChangeConfiguration": self._configured,
            "window/workDoneProgress/cancel": self._cancelled,
        }

    @property
    def shows_progress(self) -> bool:
        """Whether the editor shows progress that the server begins."""
        return types.said(self.capabilities, "window", "workDoneProgress") is True

    def ask(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """What the editor answers to a request of ours, in a thread that may wait; None where it refuses."""
        if self._loop is None or not self._loop.is_running():
            asking.close()
            return None
        try:
            return asyncio.run_coroutine_threadsafe(asking, self._loop).result(_PATIENCE_S)
        except (types.RpcError, TimeoutError, asyncio.CancelledError):
            return None

    def settle(self) -> None:
        """Register what is offered now; from any thread."""
        if self._loop is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._register()))

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
        """Read the names before the first key is pressed. None begins so: what finds others is made too."""
        for root in self.session.roots():
            with contextlib.suppress(CairnError, OSError):
                self.session.names.like(root, "~~", 1)

    def _sync_all(self) -> None:
        if self.session.settings.sync:
            for root in self.session.roots():
                self.upkeep.sync_soon(root, _AT_START_S)

    def _offer(self) -> None:
        """Ask about folders that are not indexed, where the editor can show a question."""
        can_ask = types.said(self.capabilities, "window", "showMessage") is not None
        if self.session.settings.index == "ask" and not can_ask:
            return
        self.upkeep.offer(self._choose)

    def _choose(self, question: str, titles: Sequence[str]) -> str | None:
        found: str | None = self.ask(chosen(self.peer, question, titles))
        return found

    def _saved(self, params: types.DocumentParams) -> None:
        self.upkeep.changed([params.text_document.uri])

    def _changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        self.upkeep.changed([each.uri for each in params.changes])

    async def _configured(self, params: Any) -> None:
        self._take(types.said(params, "settings", _SECTION))
        await self._configure()
        await self._register()

    async def _configure(self) -> None:
        """Ask an editor that has settings for ours."""
        if types.said(self.capabilities, "workspace", "configuration") is not True:
            return
        try:
            found = await self.peer.ask("workspace/configuration", {"items": [{"section": _SECTION}]})
        except types.RpcError:
            return
        self._take(found[0] if isinstance(found, list) and found else None)

    def _take(self, given: Any) -> None:
        known = given if isinstance(given, dict) else {}
        self.session.settings, faults = self.session.settings.changed(known)
        for fault in faults:
            self.session.log(fault)

    async def _register(self) -> None:
        """Tell the editor what is offered for which files, where that is another than before."""
        async with self._turn:
            loop, can = asyncio.get_running_loop(), self.capabilities
            wanted = await loop.run_in_executor(None, registrations, self.session, can)
            by_id = {each.id: each for each in wanted}
            gone = [each for name, each in self._registered.items() if by_id.get(name) != each]
            new = [each for each in wanted if self._registered.get(each.id) != each]
            self._registered = by_id
            try:
                if gone:
                    # The protocol spells it so.
                    parts = {"unregisterations": [{"id": each.id, "method": each.method} for each in gone]}
                    await self.peer.ask("client/unregisterCapability", parts)
                if new:
                    await self.peer.ask("client/registerCapability", {"registrations": new})
            except types.RpcError as error:
                self.session.log(f"The editor refuses to register features: {error}.")

    def _cancelled(self, params: Any) -> None:
        if (event := self.cancels.get(str(types.said(params, "token")))) is not None:
            event.set()

    def _moved(self, root: str, snapshot: str) -> None:
        self.session.look_again()
        self.peer.notify(_CHANGED, {"root": self.session.uri(root), "snapshot": snapshot})
