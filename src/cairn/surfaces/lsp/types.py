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

INITIALIZE = "initialize"
INITIALIZED = "initialized"
SHUTDOWN = "shutdown"
EXIT = "exit"
CANCEL_REQUEST = "$/cancelRequest"
PROGRESS = "$/progress"
TEXT_DOCUMENT_DID_OPEN = "textDocument/didOpen"
TEXT_DOCUMENT_DID_CHANGE = "textDocument/didChange"
TEXT_DOCUMENT_DID_CLOSE = "textDocument/didClose"
TEXT_DOCUMENT_DID_SAVE = "textDocument/didSave"
TEXT_DOCUMENT_DOCUMENT_SYMBOL = "textDocument/documentSymbol"
TEXT_DOCUMENT_DEFINITION = "textDocument/definition"
TEXT_DOCUMENT_DECLARATION = "textDocument/declaration"
TEXT_DOCUMENT_IMPLEMENTATION = "textDocument/implementation"
TEXT_DOCUMENT_REFERENCES = "textDocument/references"
TEXT_DOCUMENT_HOVER = "textDocument/hover"
TEXT_DOCUMENT_DOCUMENT_LINK = "textDocument/documentLink"
TEXT_DOCUMENT_CODE_ACTION = "textDocument/codeAction"
TEXT_DOCUMENT_RENAME = "textDocument/rename"
TEXT_DOCUMENT_PREPARE_RENAME = "textDocument/prepareRename"
TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS = "textDocument/publishDiagnostics"
TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY = "textDocument/prepareCallHierarchy"
CALL_HIERARCHY_INCOMING_CALLS = "callHierarchy/incomingCalls"
CALL_HIERARCHY_OUTGOING_CALLS = "callHierarchy/outgoingCalls"
TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY = "textDocument/prepareTypeHierarchy"
TYPE_HIERARCHY_SUPERTYPES = "typeHierarchy/supertypes"
TYPE_HIERARCHY_SUBTYPES = "typeHierarchy/subtypes"
WORKSPACE_SYMBOL = "workspace/symbol"
WORKSPACE_CONFIGURATION = "workspace/configuration"
WORKSPACE_APPLY_EDIT = "workspace/applyEdit"
WORKSPACE_EXECUTE_COMMAND = "workspace/executeCommand"
WORKSPACE_DID_CHANGE_CONFIGURATION = "workspace/didChangeConfiguration"
WORKSPACE_DID_CHANGE_WATCHED_FILES = "workspace/didChangeWatchedFiles"
WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS = "workspace/didChangeWorkspaceFolders"
WINDOW_LOG_MESSAGE = "window/logMessage"
WINDOW_SHOW_MESSAGE_REQUEST = "window/showMessageRequest"
WINDOW_WORK_DONE_PROGRESS_CREATE = "window/workDoneProgress/create"
WINDOW_WORK_DONE_PROGRESS_CANCEL = "window/workDoneProgress/cancel"
CLIENT_REGISTER_CAPABILITY = "client/registerCapability"
CLIENT_UNREGISTER_CAPABILITY = "client/unregisterCapability"

INFO = 3
"""The kind of a message to the user, and the severity of a mark: neither is an error nor a warning."""
MARKDOWN = "markdown"


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


class SymbolKind(IntEnum):
    """What a symbol is."""

    MODULE = 2
    NAMESPACE = 3
    CLASS = 5
    METHOD = 6
    PROPERTY = 7
    FIELD = 8
    CONSTRUCTOR = 9
    ENUM = 10
    INTERFACE = 11
    FUNCTION = 12
    VARIABLE = 13
    CONSTANT = 14
    STRING = 15
    OBJECT = 19
    KEY = 20
    STRUCT = 23


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
    kind: SymbolKind
    container_name: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentSymbol:
    """A symbol in a tree."""

    name: str
    kind: SymbolKind
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
class CallHierarchyIncomingCall:
    """Who calls, and where."""

    from_: HierarchyItem
    from_ranges: Sequence[Range]


@dataclass(frozen=True, slots=True)
class CallHierarchyOutgoingCall:
    """What is called, and where."""

    to: HierarchyItem
    from_ranges: Sequence[Range]


@dataclass(frozen=True, slots=True)
class MarkupContent:
    """A text with marks in it."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Hover:
    """What is shown of a place."""

    contents: MarkupContent


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
