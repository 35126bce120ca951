"""The language server: the protocol's messages on one side, features on the other.

Messages are read on one loop. A feature is a function of the session and of a request's parameters; each request runs
in a thread of its own, and ends early where the editor takes it back. What an editor waits for at every key has threads
that nothing long ever takes.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NoReturn

from cairn import __version__
from cairn.base import deadline
from cairn.base.deadline import WorkBounds
from cairn.base.errors import CairnError, CancelledError
from cairn.surfaces.lsp import (
    actions,
    custom,
    hierarchy,
    hover,
    impact,
    links,
    navigation,
    renaming,
    symbols,
    types,
    upkeep,
)
from cairn.surfaces.lsp.buffers import BufferChange
from cairn.surfaces.lsp.client import ApplyEdit, Choose, LiveEditor, Talk
from cairn.surfaces.lsp.following import Following
from cairn.surfaces.lsp.loop import own_streams, run
from cairn.surfaces.lsp.offering import capabilities, is_offered
from cairn.surfaces.lsp.peer import Handler, Peer
from cairn.surfaces.lsp.positions import PositionEncoding
from cairn.surfaces.lsp.session import EditorSession, uri_of

Feature = Callable[[EditorSession, Any], Any]
_MODULES: tuple[Any, ...] = (
    symbols,
    navigation,
    hierarchy,
    hover,
    impact,
    renaming,
    actions,
    links,
    custom,
    upkeep,
)
"""Each has FEATURES: functions by the method that asks for them; some have COMMANDS."""
_AT_ONCE = 4
"""How many requests of one pace are worked at."""
_QUICK, _READING, _WORKING = "quick", "reading", "working"
_PACES = {
    "textDocument/references": _READING,
    "textDocument/implementation": _READING,
    "callHierarchy/incomingCalls": _READING,
    "callHierarchy/outgoingCalls": _READING,
    "typeHierarchy/supertypes": _READING,
    "typeHierarchy/subtypes": _READING,
    "cairn/search": _READING,
    "textDocument/rename": _WORKING,
    "textDocument/prepareRename": _WORKING,
    "cairn/impact": _WORKING,
    "cairn/map": _WORKING,
}
"""Requests that may take seconds, and those that may take longer; all others are quick. Commands are work."""
_DEFAULT = PositionEncoding.UTF16.value
_LAST_S = 3.0
"""How long closing may take."""


class CairnServer:
    """One editor's server."""

    def __init__(self, session: EditorSession) -> None:
        self.session = session
        self.workers = {
            pace: ThreadPoolExecutor(_AT_ONCE, thread_name_prefix=pace) for pace in (_QUICK, _READING, _WORKING)
        }
        session.log = self.log
        session.tell = self.tell
        self._handlers: dict[str, Handler] = {
            "initialize": self._initialize,
            "shutdown": lambda _: None,
            "textDocument/didOpen": self._opened,
            "textDocument/didChange": self._changed,
            "textDocument/didClose": self._closed,
            "workspace/didChangeWorkspaceFolders": self._folders_changed,
            "workspace/executeCommand": self._execute,
        }
        self.peer = Peer(self._handlers, self.log)
        self._editor: LiveEditor
        self.following = Following(self.peer, session)
        self._handlers |= self.following.handlers
        self._commands: dict[str, Callable[..., Any]] = {}
        for module in _MODULES:
            for method, function in module.FEATURES.items():
                self._handlers[method] = self._handler(method, function, _PACES.get(method, _QUICK))
            for name, function in getattr(module, "COMMANDS", {}).items():
                self._commands[name] = self._handler(name, function, _WORKING)

    def _initialize(self, params: types.InitializeParams) -> dict[str, Any]:
        """Take in what the editor can and wants, and which folders it shows."""
        can = self.following.capabilities = params.capabilities
        session = self.session
        session.negotiate(_encoding(types.said(can, "general", "positionEncodings")))
        trees = types.said(can, "textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport")
        session.shows_trees = trees is True
        root = params.root_uri or (uri_of(params.root_path) if params.root_path else None)
        for uri in [each.uri for each in params.workspace_folders or ()] or ([root] if root else []):
            session.open_folder(uri)
        session.settings, faults = session.settings.changed(params.initialization_options)
        for fault in faults:
            self.log(fault)
        session.client = self._editor = LiveEditor(self.peer, can)
        return {
            "capabilities": capabilities(session, can, self._commands),
            "serverInfo": {"name": "cairn", "version": __version__},
        }

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        self.session.buffers.opened(document.uri, document.text, document.version, document.language_id)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        changes = [
            BufferChange(each.text) if each.range is None else BufferChange(each.text, each.range.start, each.range.end)
            for each in params.content_changes
        ]
        self.session.buffers.changed(params.text_document.uri, changes, params.text_document.version)

    def _closed(self, params: types.DocumentParams) -> None:
        self.session.buffers.closed(params.text_document.uri)

    def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        for gone in params.event.removed:
            self.session.close_folder(gone.uri)
        for come in params.event.added:
            self.session.open_folder(come.uri)
        self.following.folders_changed()

    def _execute(self, params: types.ExecuteCommandParams) -> Any:
        handle = self._commands.get(params.command)
        if handle is None:
            raise types.RpcError(f"There is no command {params.command}.", types.ErrorCode.INVALID_PARAMS)
        return handle(tuple(params.arguments or ()))

    def log(self, text: str) -> None:
        """Tell the editor's log; nobody is interrupted by it. From any thread."""
        self.peer.notify("window/logMessage", {"type": types.INFO, "message": f"cairn: {text}"})

    def tell(self, token: Any, text: str) -> None:
        """Say something to who waits for an answer, in the progress of its request or in the log."""
        if token is None:
            self.log(text)
            return
        for value in ({"kind": "begin", "title": "Cairn"}, {"kind": "end", "message": text}):
            self.peer.notify("$/progress", {"token": token, "value": value})

    def _handler(self, method: str, function: Feature, pace: str) -> Handler:
        workers = self.workers[pace]

        async def handle(params: Any) -> Any:
            loop, bounds = asyncio.get_running_loop(), WorkBounds()

            async def work(step: Callable[[], Any]) -> Any:
                return await loop.run_in_executor(workers, self._work, method, step, bounds)

            try:
                if not is_offered(self.session, method, params):
                    return None
                found = await work(partial(function, self.session, params))
                return await _talked(found, work, self._editor) if isinstance(found, Generator) else found
            except asyncio.CancelledError:
                bounds.cancelled.set()
                raise

        return handle

    def _work(self, method: str, step: Callable[[], Any], bounds: WorkBounds) -> Any:
        try:
            with deadline.within(bounds):
                return step()
        except StopIteration as end:
            return end.value
        except CancelledError:
            return None
        except CairnError as error:
            # Beside other servers, one that has no answer is silent: what it has to say stands in the log.
            self.log(f"{method}: {error.message} {error.hint}".strip())
            return None


async def _talked(talk: Talk[Any], work: Callable[[Callable[[], Any]], Awaitable[Any]], editor: LiveEditor) -> Any:
    """Lead a feature that asks the editor to its answer; no worker waits for what the editor says."""
    found = await work(partial(next, talk))
    while isinstance(found, Choose | ApplyEdit):
        try:
            step = partial(talk.send, await editor.asked(found))
        except (CairnError, types.RpcError) as error:
            step = partial(talk.throw, error)
        found = await work(step)
    return found


def _encoding(offered: object) -> str:
    """The first encoding of the editor's that is known; what every editor knows where it names none."""
    known = [each.value for each in PositionEncoding]
    named = offered if isinstance(offered, list) else []
    return next((str(each) for each in named if each in known), _DEFAULT)


def serve(home: str, *, offline: bool = False) -> NoReturn:
    """Serve the editor at standard input and output until it hangs up, and end the process."""
    session = EditorSession(home, offline=offline)
    server = CairnServer(session)
    code = run(server.peer, *own_streams())
    # Threads that are still at work were told to end; nobody waits for their answers.
    for workers in server.workers.values():
        workers.shutdown(wait=False, cancel_futures=True)
    threading.Timer(_LAST_S, os._exit, (code,)).start()
    server.following.close()
    session.close()
    os._exit(code)
