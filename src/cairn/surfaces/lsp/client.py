"""What a feature may ask of the editor while it works: to choose, to apply an edit, to show what was found.

A feature that needs the editor's answer is a generator: it yields what it wishes and is sent what the editor says. So
nothing of it stands in a thread while a user thinks.
"""

import asyncio
from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeVar

from cairn.base.errors import CairnError
from cairn.base.values import dataclass
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.peer import Peer
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

    def __init__(self, peer: Peer, capabilities: types.ClientCapabilities) -> None:
        self._peer = peer
        self._capabilities = capabilities

    @property
    def editing(self) -> EditingClient:
        """What it can do with edits."""
        return EditingClient.of(self._capabilities)

    def show_places(self, uri: str, found: Sequence[types.Diagnostic]) -> None:
        """Mark places of a document; from any thread."""
        self._peer.notify("textDocument/publishDiagnostics", {"uri": uri, "diagnostics": found})

    async def asked(self, wish: EditorWish) -> Any:
        """What the editor answers; its own errors, and CairnError where nothing comes. Only on the loop."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                if isinstance(wish, ApplyEdit):
                    given = {"edit": wish.edit, "label": wish.label}
                    return await self._peer.ask("workspace/applyEdit", given)
                return await chosen(self._peer, wish.question, wish.titles)
        except TimeoutError:
            raise CairnError("The editor doesn't answer.") from None


async def chosen(peer: Peer, question: str, titles: Sequence[str]) -> str | None:
    """What the user chooses; None where the question is put aside."""
    asked = {"type": types.INFO, "message": question, "actions": [{"title": each} for each in titles]}
    title = types.said(await peer.ask("window/showMessageRequest", asked), "title")
    return title if isinstance(title, str) else None
