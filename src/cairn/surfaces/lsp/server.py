"""The language server: the protocol's messages on one side, features on the other.

Messages are read on one loop. A feature is a function of the session and of a request's parameters; each request runs
in a thread of its own, and ends early where the editor takes it back. What an editor waits for at every key has threads
that nothing long ever takes.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

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
    upkeep,
)
from cairn.surfaces.lsp.buffers import BufferChange
from cairn.surfaces.lsp.client import ApplyEdit, Choose, LiveEditor, Talk
from cairn.surfaces.lsp.following import Following
from cairn.surfaces.lsp.loop import own_streams, run
from cairn.surfaces.lsp.offering import is_offered, narrow
from cairn.surfaces.lsp.positions import Position
from cairn.surfaces.lsp.session import EditorSession

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
    types.TEXT_DOCUMENT_REFERENCES: _READING,
    types.TEXT_DOCUMENT_IMPLEMENTATION: _READING,
    types.CALL_HIERARCHY_INCOMING_CALLS: _READING,
    types.CALL_HIERARCHY_OUTGOING_CALLS: _READING,
    types.TYPE_HIERARCHY_SUPERTYPES: _READING,
    types.TYPE_HIERARCHY_SUBTYPES: _READING,
    "cairn/search": _READING,
    types.TEXT_DOCUMENT_RENAME: _WORKING,
    types.TEXT_DOCUMENT_PREPARE_RENAME: _WORKING,
    "cairn/impact": _WORKING,
    "cairn/map": _WORKING,
}
"""Requests that may take seconds, and those that may take longer; all others are quick. Commands are work."""
_LAST_S = 3.0
"""How long closing may take."""


class Protocol(LanguageServerProtocol):
    """Documents go to the session, which counts as the editor does; capabilities are those that are offered."""

    _server: "CairnServer"

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Take in what the editor can and wants."""
        result: types.InitializeResult = yield from super().lsp_initialize(params)
        encoding = result.capabilities.position_encoding
        self._server.begin(params, str(getattr(encoding, "value", encoding) or "utf-16"))
        narrow(result.capabilities, self._server.session, params.capabilities)
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is shown."""
        document = params.text_document
        language = str(getattr(document.language_id, "value", document.language_id))
        self._server.session.buffers.opened(document.uri, document.text, document.version, language)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document was typed in."""
        changes = [_change(each) for each in params.content_changes]
        self._server.session.buffers.changed(params.text_document.uri, changes, params.text_document.version)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is shown no longer."""
        self._server.session.buffers.closed(params.text_document.uri)

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Folders have come and gone."""
        for gone in params.event.removed:
            self._server.session.close_folder(gone.uri)
        for come in params.event.added:
            self._server.session.open_folder(come.uri)
        self._server.following.folders_changed()


class CairnServer(LanguageServer):
    """One editor's server."""

    def __init__(self, session: EditorSession) -> None:
        super().__init__("cairn", __version__, protocol_cls=Protocol)
        self.session = session
        self.workers = {
            pace: ThreadPoolExecutor(_AT_ONCE, thread_name_prefix=pace) for pace in (_QUICK, _READING, _WORKING)
        }
        session.log = self.log
        session.tell = self.tell
        self.following = Following(self, session)
        for module in _MODULES:
            for method, function in module.FEATURES.items():
                self.feature(method)(self._handler(method, function))
            for name, function in getattr(module, "COMMANDS", {}).items():
                self.command(name)(self._command(name, function))

    def begin(self, params: types.InitializeParams, encoding: str) -> None:
        """The editor has said what it can and wants, and which folders it shows."""
        self.session.negotiate(encoding)
        documents = params.capabilities.text_document
        outline = documents.document_symbol if documents is not None else None
        self.session.shows_trees = outline is not None and bool(outline.hierarchical_document_symbol_support)
        folders = [each.uri for each in params.workspace_folders or ()]
        for uri in folders or ([params.root_uri] if params.root_uri else []):
            self.session.open_folder(uri)
        self.session.settings, faults = self.session.settings.changed(params.initialization_options)
        for fault in faults:
            self.log(fault)

    def log(self, text: str) -> None:
        """Tell the editor's log; nobody is interrupted by it. From any thread."""
        self._loop_call(
            lambda: self.window_log_message(types.LogMessageParams(types.MessageType.Info, f"cairn: {text}"))
        )

    def tell(self, token: Any, text: str) -> None:
        """Say something to who waits for an answer, in the progress of its request or in the log."""
        if token is None:
            self.log(text)
            return
        begin = types.WorkDoneProgressBegin(title="Cairn")
        for value in (begin, types.WorkDoneProgressEnd(message=text)):
            self._loop_call(partial(self.progress, types.ProgressParams(token, value)))

    def _loop_call(self, function: Callable[[], Any]) -> None:
        loop = getattr(self, "loop", None)
        if loop is None or not loop.is_running():
            return
        loop.call_soon_threadsafe(function)

    def _handler(self, method: str, function: Feature, pace: str = _QUICK) -> Callable[[Any], Any]:
        workers = self.workers[_PACES.get(method, pace)]

        async def handle(params: Any) -> Any:
            self.loop = asyncio.get_running_loop()
            editor = self.session.client = LiveEditor(self, self.loop)
            bounds = WorkBounds()

            async def work(step: Callable[[], Any]) -> Any:
                return await self.loop.run_in_executor(workers, self._work, method, step, bounds)

            try:
                if not is_offered(self.session, method, params):
                    return None
                found = await work(partial(function, self.session, params))
                return await _talked(found, work, editor) if isinstance(found, Generator) else found
            except asyncio.CancelledError:
                bounds.cancelled.set()
                raise

        return handle

    def _command(self, name: str, function: Feature) -> Callable[..., Any]:
        handle = self._handler(name, function, _WORKING)

        async def run_command(*given: Any) -> Any:
            return await handle(given)

        return run_command

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
        except (CairnError, JsonRpcException) as error:
            step = partial(talk.throw, error)
        found = await work(step)
    return found


def _change(given: Any) -> BufferChange:
    if not isinstance(given, types.TextDocumentContentChangePartial):
        return BufferChange(given.text)
    start, end = given.range.start, given.range.end
    return BufferChange(given.text, Position(start.line, start.character), Position(end.line, end.character))


def serve(home: str, *, offline: bool = False) -> NoReturn:
    """Serve the editor at standard input and output until it hangs up, and end the process."""
    # pygls writes every message to its log, and a trace for everything that is refused.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    session = EditorSession(home, offline=offline)
    server = CairnServer(session)
    code = run(server, *own_streams())
    # Threads that are still at work were told to end; nobody waits for their answers.
    for workers in server.workers.values():
        workers.shutdown(wait=False, cancel_futures=True)
    threading.Timer(_LAST_S, os._exit, (code,)).start()
    server.following.close()
    session.close()
    os._exit(code)
