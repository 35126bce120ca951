"""The protocol's methods and values, as far as they are spoken here; names and fields are the protocol's.

A library that declares all of it takes longer to load than a search of the index takes to answer. A field that is None
is left out of a message, and a name here is its name there, with small letters and underscores (`shapes` turns them).
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from cairn.base.values import dataclass
from cairn.surfaces.lsp.positions import Position

__all__ = ["Position"]  # with all that stands below


INFO = 3
"""The kind of a message to the user, and the severity of a mark: neither is an error nor a warning."""


class ErrorCode(IntEnum):
    """Why a request has no answer."""

    PARSE = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    NOT_INITIALIZED = -32002
    FAILED = -32803
    CANCELLED = -32800


class RpcError(Exception):
    """A request that has no answer, for one side or the other: what it is told."""

    CODE = ErrorCode.INTERNAL

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = self.CODE if code is None else code


ClientCapabilities = Mapping[str, Any]
"""What an editor says that it can, as it says it."""


def said(capabilities: object, *names: str) -> Any:
    """What an editor says of itself at the end of a path of names; None where it says nothing."""
    for name in names:
        capabilities = capabilities.get(name) if isinstance(capabilities, Mapping) else None
    return capabilities


@dataclass(frozen=True, slots=True)
class Range:
    """From one place up to another."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Location:
    """A range of a document."""

    uri: str
    range: Range


@dataclass(frozen=True, slots=True)
class FlatSymbol:
    """A symbol in a list."""

    location: Location
    name: str
    kind: int
    container_name: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentSymbol:
    """A symbol in a tree."""

    name: str
    kind: int
    range: Range
    selection_range: Range
    detail: str | None = None
    children: Sequence["DocumentSymbol"] | None = None


@dataclass(frozen=True, slots=True)
class HierarchyItem:
    """A function of a call hierarchy, or a type of a type hierarchy."""

    name: str
    kind: int
    uri: str
    range: Range
    selection_range: Range
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A place of a document that leads to another."""

    range: Range
    target: str
    tooltip: str | None = None


@dataclass(frozen=True, slots=True)
class PrepareRenamePlaceholder:
    """What can be renamed."""

    range: Range
    placeholder: str


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A text in the place of another."""

    range: Range
    new_text: str


@dataclass(frozen=True, slots=True)
class VersionedDocument:
    """A document in one version; in whichever it has on disk where that is None, which is said."""

    uri: str
    version: int | None


@dataclass(frozen=True, slots=True)
class TextDocumentEdit:
    """Edits of a document."""

    text_document: VersionedDocument
    edits: Sequence[TextEdit]


@dataclass(frozen=True, slots=True)
class RenameFile:
    """A file that gets another path."""

    old_uri: str
    new_uri: str
    kind: str = "rename"


@dataclass(frozen=True, slots=True)
class WorkspaceEdit:
    """Edits of several documents: by their addresses alone, or with versions and in order."""

    changes: Mapping[str, Sequence[TextEdit]] | None = None
    document_changes: Sequence[TextDocumentEdit | RenameFile] | None = None


@dataclass(frozen=True, slots=True)
class EditorCommand:
    """What an editor may have done."""

    title: str
    command: str
    arguments: Sequence[Any] | None = None


@dataclass(frozen=True, slots=True)
class CodeAction:
    """What is offered at a place."""

    title: str
    kind: str
    is_preferred: bool | None = None
    command: EditorCommand | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A mark in a document."""

    range: Range
    message: str
    severity: int
    code: str
    source: str


@dataclass(frozen=True, slots=True)
class Registration:
    """A feature that is offered from now on."""

    id: str
    method: str
    register_options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document or a folder by its address."""

    uri: str


@dataclass(frozen=True, slots=True)
class DocumentParams:
    """A request about a document."""

    text_document: TextDocument


@dataclass(frozen=True, slots=True)
class PlaceParams:
    """A request about a place in a document."""

    text_document: TextDocument
    position: Position


@dataclass(frozen=True, slots=True)
class ReferenceContext:
    """Whether the definition counts."""

    include_declaration: bool


@dataclass(frozen=True, slots=True)
class ReferenceParams:
    """A request for the uses of what stands at a place."""

    text_document: TextDocument
    position: Position
    context: ReferenceContext
    work_done_token: int | str | None = None


@dataclass(frozen=True, slots=True)
class RenameParams:
    """A request for another name."""

    text_document: TextDocument
    position: Position
    new_name: str


@dataclass(frozen=True, slots=True)
class CodeActionContext:
    """What kinds of actions are asked for."""

    only: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class CodeActionParams:
    """A request for what can be done about a range."""

    text_document: TextDocument
    range: Range
    context: CodeActionContext


@dataclass(frozen=True, slots=True)
class ItemParams:
    """A request about an item of a hierarchy."""

    item: HierarchyItem


@dataclass(frozen=True, slots=True)
class QueryParams:
    """A request for symbols whose names are like something."""

    query: str


@dataclass(frozen=True, slots=True)
class ExecuteCommandParams:
    """A command of ours."""

    command: str
    arguments: Sequence[Any] | None = None


@dataclass(frozen=True, slots=True)
class InitializeParams:
    """What an editor says of itself."""

    capabilities: Mapping[str, Any]
    process_id: int | None = None
    root_uri: str | None = None
    root_path: str | None = None
    workspace_folders: Sequence[TextDocument] | None = None
    initialization_options: Any = None


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document with its text."""

    uri: str
    text: str
    version: int
    language_id: str


@dataclass(frozen=True, slots=True)
class DidOpenTextDocumentParams:
    """A document is shown."""

    text_document: OpenedDocument


@dataclass(frozen=True, slots=True)
class ContentChange:
    """A text in the place of a range, or of all."""

    text: str
    range: Range | None = None


@dataclass(frozen=True, slots=True)
class DidChangeTextDocumentParams:
    """A document was typed in."""

    text_document: VersionedDocument
    content_changes: Sequence[ContentChange]


@dataclass(frozen=True, slots=True)
class DidChangeWatchedFilesParams:
    """Files have changed on disk."""

    changes: Sequence[TextDocument]


@dataclass(frozen=True, slots=True)
class FoldersEvent:
    """Which folders have come and gone."""

    added: Sequence[TextDocument]
    removed: Sequence[TextDocument]


@dataclass(frozen=True, slots=True)
class DidChangeWorkspaceFoldersParams:
    """Folders have come and gone."""

    event: FoldersEvent


PARAMETERS: Mapping[str, type[Any]] = {
    "initialize": InitializeParams,
    "textDocument/didOpen": DidOpenTextDocumentParams,
    "textDocument/didChange": DidChangeTextDocumentParams,
    "textDocument/didClose": DocumentParams,
    "textDocument/didSave": DocumentParams,
    "textDocument/documentSymbol": DocumentParams,
    "textDocument/definition": PlaceParams,
    "textDocument/declaration": PlaceParams,
    "textDocument/implementation": PlaceParams,
    "textDocument/references": ReferenceParams,
    "textDocument/hover": PlaceParams,
    "textDocument/documentLink": DocumentParams,
    "textDocument/codeAction": CodeActionParams,
    "textDocument/rename": RenameParams,
    "textDocument/prepareRename": PlaceParams,
    "textDocument/prepareCallHierarchy": PlaceParams,
    "callHierarchy/incomingCalls": ItemParams,
    "callHierarchy/outgoingCalls": ItemParams,
    "textDocument/prepareTypeHierarchy": PlaceParams,
    "typeHierarchy/supertypes": ItemParams,
    "typeHierarchy/subtypes": ItemParams,
    "workspace/symbol": QueryParams,
    "workspace/executeCommand": ExecuteCommandParams,
    "workspace/didChangeWatchedFiles": DidChangeWatchedFilesParams,
    "workspace/didChangeWorkspaceFolders": DidChangeWorkspaceFoldersParams,
}
"""What the methods take that take something; requests of our own take whatever they are given."""
