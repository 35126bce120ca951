"""What a feature may ask of the editor while it works: to choose, to apply an edit, to show what was found.

A feature that needs the editor's answer is a generator: it yields what it wishes and is sent what the editor says. So
nothing of it stands in a thread while a user thinks.
"""

import asyncio
from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from cairn.base.errors import CairnError
from cairn.base.values import dataclass
from cairn.surfaces.lsp.workspaceedit import EditingClient

T = TypeVar("T")
_PATIENCE_S = 300.0
"""How long a user may think about a question: as long as a plan lives."""


@dataclass(frozen=True, slots=True)
class Choose:
    """Have the user choose: the answer is a title, or None where the question is put aside."""

    question: str
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ApplyEdit:
    """Have the editor do an edit: the answer says whether it did."""

    edit: types.WorkspaceEdit
    label: str


EditorWish = Choose | ApplyEdit
Talk = Generator[EditorWish, Any, T]
"""A feature that asks the editor on its way to an answer."""


class EditorClient(Protocol):
    """The editor, as features see it."""

    @property
    def editing(self) -> EditingClient:
        """What it can do with edits."""
        ...

    def show_places(self, uri: str, found: Sequence[types.Diagnostic]) -> None:
        """Mark places of a document; none takes the marks away."""
        ...


class LiveEditor:
    """An editor that is spoken to over the loop that reads its messages."""

    def __init__(self, server: LanguageServer, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._loop = loop

    @property
    def editing(self) -> EditingClient:
        """What it can do with edits."""
        return EditingClient.of(self._server.client_capabilities)

    def show_places(self, uri: str, found: Sequence[types.Diagnostic]) -> None:
        """Mark places of a document; from any thread."""
        marks = types.PublishDiagnosticsParams(uri, list(found))
        self._loop.call_soon_threadsafe(self._server.text_document_publish_diagnostics, marks)

    async def asked(self, wish: EditorWish) -> Any:
        """What the editor answers; its own errors, and CairnError where nothing comes. Only on the loop."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                if isinstance(wish, ApplyEdit):
                    given = types.ApplyWorkspaceEditParams(wish.edit, wish.label)
                    return await self._server.workspace_apply_edit_async(given)
                items = [types.MessageActionItem(each) for each in wish.titles]
                question = types.ShowMessageRequestParams(types.MessageType.Info, wish.question, items)
                found = await self._server.window_show_message_request_async(question)
                return found.title if found is not None else None
        except TimeoutError:
            raise CairnError("The editor doesn't answer.") from None
