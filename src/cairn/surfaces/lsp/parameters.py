"""What messages to the server hold, as far as it is looked at; what is more is passed over."""

from collections.abc import Mapping, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.surfaces.lsp import types


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document by its address."""

    uri: str


@dataclass(frozen=True, slots=True)
class DocumentParams:
    """A request about a document."""

    text_document: TextDocument


@dataclass(frozen=True, slots=True)
class PlaceParams:
    """A request about a place in a document."""

    text_document: TextDocument
    position: types.Position


@dataclass(frozen=True, slots=True)
class ReferenceContext:
    """Whether the definition counts."""

    include_declaration: bool


@dataclass(frozen=True, slots=True)
class ReferenceParams:
    """A request for the uses of what stands at a place."""

    text_document: TextDocument
    position: types.Position
    context: ReferenceContext
    work_done_token: int | str | None = None


@dataclass(frozen=True, slots=True)
class RenameParams:
    """A request for another name."""

    text_document: TextDocument
    position: types.Position
    new_name: str


@dataclass(frozen=True, slots=True)
class CodeActionContext:
    """What kinds of actions are asked for."""

    only: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class CodeActionParams:
    """A request for what can be done about a range."""

    text_document: TextDocument
    range: types.Range
    context: CodeActionContext


@dataclass(frozen=True, slots=True)
class ItemParams:
    """A request about an item of a hierarchy."""

    item: types.HierarchyItem


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
class GivenFolder:
    """A folder of the workspace."""

    uri: str


@dataclass(frozen=True, slots=True)
class InitializeParams:
    """What an editor says of itself."""

    capabilities: Mapping[str, Any]
    process_id: int | None = None
    root_uri: str | None = None
    root_path: str | None = None
    workspace_folders: Sequence[GivenFolder] | None = None
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
    range: types.Range | None = None


@dataclass(frozen=True, slots=True)
class DidChangeTextDocumentParams:
    """A document was typed in."""

    text_document: types.VersionedDocument
    content_changes: Sequence[ContentChange]


@dataclass(frozen=True, slots=True)
class DidChangeWatchedFilesParams:
    """Files have changed on disk."""

    changes: Sequence[TextDocument]


@dataclass(frozen=True, slots=True)
class FoldersEvent:
    """Which folders have come and gone."""

    added: Sequence[GivenFolder]
    removed: Sequence[GivenFolder]


@dataclass(frozen=True, slots=True)
class DidChangeWorkspaceFoldersParams:
    """Folders have come and gone."""

    event: FoldersEvent


@dataclass(frozen=True, slots=True)
class DidChangeConfigurationParams:
    """Settings have changed."""

    settings: Any = None


@dataclass(frozen=True, slots=True)
class WorkDoneProgressCancelParams:
    """Something that takes long is to end."""

    token: int | str


PARAMETERS: Mapping[str, type[Any]] = {
    types.INITIALIZE: InitializeParams,
    types.TEXT_DOCUMENT_DID_OPEN: DidOpenTextDocumentParams,
    types.TEXT_DOCUMENT_DID_CHANGE: DidChangeTextDocumentParams,
    types.TEXT_DOCUMENT_DID_CLOSE: DocumentParams,
    types.TEXT_DOCUMENT_DID_SAVE: DocumentParams,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: DocumentParams,
    types.TEXT_DOCUMENT_DEFINITION: PlaceParams,
    types.TEXT_DOCUMENT_DECLARATION: PlaceParams,
    types.TEXT_DOCUMENT_IMPLEMENTATION: PlaceParams,
    types.TEXT_DOCUMENT_REFERENCES: ReferenceParams,
    types.TEXT_DOCUMENT_HOVER: PlaceParams,
    types.TEXT_DOCUMENT_DOCUMENT_LINK: DocumentParams,
    types.TEXT_DOCUMENT_CODE_ACTION: CodeActionParams,
    types.TEXT_DOCUMENT_RENAME: RenameParams,
    types.TEXT_DOCUMENT_PREPARE_RENAME: PlaceParams,
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: PlaceParams,
    types.CALL_HIERARCHY_INCOMING_CALLS: ItemParams,
    types.CALL_HIERARCHY_OUTGOING_CALLS: ItemParams,
    types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY: PlaceParams,
    types.TYPE_HIERARCHY_SUPERTYPES: ItemParams,
    types.TYPE_HIERARCHY_SUBTYPES: ItemParams,
    types.WORKSPACE_SYMBOL: QueryParams,
    types.WORKSPACE_EXECUTE_COMMAND: ExecuteCommandParams,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: DidChangeConfigurationParams,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: DidChangeWatchedFilesParams,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: DidChangeWorkspaceFoldersParams,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: WorkDoneProgressCancelParams,
}
"""What the methods take that take something; requests of our own take whatever they are given."""
