"""What a feature may ask of the editor while it works: to choose, to apply an edit, to show what was found."""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from cairn.base import deadline
from cairn.base.errors import CairnError
from cairn.surfaces.lsp.workspaceedit import EditingClient

T = TypeVar("T")
_LOOK_S = 0.1
_PATIENCE_S = 300.0
"""How long a user may think about a question: as long as a plan lives."""


class GoneAwayError(CairnError):
    """The editor can't be asked any more."""


class EditorClient(Protocol):
    """The editor, as features see it."""

    @property
    def editing(self) -> EditingClient:
        """What it can do with edits."""
        ...

    def choose(self, question: str, titles: Sequence[str]) -> str | None:
        """What the user answers; None where the question is put aside."""
        ...

    def apply(self, edit: types.WorkspaceEdit, label: str) -> types.ApplyWorkspaceEditResult:
        """Have the editor do an edit."""
        ...

    def show_places(self, uri: str, found: Sequence[types.Diagnostic]) -> None:
        """Mark places of a document; none takes the marks away."""
        ...


class LiveEditor:
    """An editor that is spoken to from the threads of features, over the loop that reads its messages."""

    def __init__(self, server: LanguageServer, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._loop = loop

    @property
    def editing(self) -> EditingClient:
        """What it can do with edits."""
        return EditingClient.of(self._server.client_capabilities)

    def choose(self, question: str, titles: Sequence[str]) -> str | None:
        """What the user answers, however long that takes; the request that it belongs to can be taken back."""
        asked = types.ShowMessageRequestParams(
            types.MessageType.Info, question, [types.MessageActionItem(each) for each in titles]
        )
        found = self._asked(self._server.window_show_message_request_async(asked))
        return found.title if found is not None else None

    def apply(self, edit: types.WorkspaceEdit, label: str) -> types.ApplyWorkspaceEditResult:
        """Have the editor do an edit."""
        return self._asked(self._server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label)))

    def show_places(self, uri: str, found: Sequence[types.Diagnostic]) -> None:
        """Mark places of a document."""
        marks = types.PublishDiagnosticsParams(uri, list(found))
        self._loop.call_soon_threadsafe(self._server.text_document_publish_diagnostics, marks)

    def _asked(self, asking: Coroutine[Any, Any, T]) -> T:
        """What the editor answers; its own errors, and GoneAwayError where it answers no more."""
        future = asyncio.run_coroutine_threadsafe(asking, self._loop)
        bounds, given_up = deadline.current(), time.monotonic() + _PATIENCE_S
        try:
            while True:
                bounds.check()
                try:
                    return future.result(_LOOK_S)
                except TimeoutError:
                    # Nothing yet, and nothing to come from a loop that has ended.
                    if not self._loop.is_running() or time.monotonic() > given_up:
                        raise GoneAwayError("The editor doesn't answer.") from None
        finally:
            future.cancel()
