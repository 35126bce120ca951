"""A planned rename as an edit for the client, who applies it to its own documents and can undo it."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cairn.base.values import dataclass
from cairn.edit.journal import FileEdit
from cairn.edit.source.texts import written
from cairn.edit.source.values import Spot
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.positions import Positions

if TYPE_CHECKING:
    from cairn.edit.editor import Planned

UriOf = Callable[[str], str]
"""How the client calls a file, by its path from the root."""
VersionOf = Callable[[str], int | None]
"""The version of a document that is open, by its address; None for a file that lies on disk."""
PositionsOf = Callable[[str, bytes], Positions]
"""The places of a file with some content, as the client counts them."""


@dataclass(frozen=True, slots=True)
class EditingClient:
    """What a client can do with an edit, by what it said of itself."""

    versions: bool = False
    """Whether it takes documents with their versions, and refuses what was made for another."""
    renames_files: bool = False
    chooses: bool = False
    """Whether it can put a question with buttons before the user."""

    @classmethod
    def of(cls, said: types.ClientCapabilities) -> "EditingClient":
        """From the capabilities that it was initialized with."""
        versions = types.said(said, "workspace", "workspaceEdit", "documentChanges") is True
        operations = types.said(said, "workspace", "workspaceEdit", "resourceOperations")
        renames = versions and isinstance(operations, list) and "rename" in operations
        return cls(versions, renames, types.said(said, "window", "showMessage") is not None)


def workspace_edit(
    changes: Iterable[FileEdit],
    planned: "Planned",
    client: EditingClient,
    *,
    uri_of: UriOf,
    version_of: VersionOf,
    positions_of: PositionsOf,
) -> types.WorkspaceEdit:
    """The edit that makes of every file what the plan makes of it; files that get another path come last.

    `changes` hold the bytes that the places were found in: whoever made them has held them against the plan.
    """
    edits: dict[str, list[types.TextEdit]] = {}
    for change in changes:
        if change.old is not None:
            found = [spot for spot in planned.spots if spot.path == change.path]
            edits[uri_of(change.path)] = list(
                _text_edits(positions_of(change.path, change.old), found, planned.draft.new_name)
            )
    edits = {uri: found for uri, found in edits.items() if found}
    if not client.versions:
        return types.WorkspaceEdit(changes=edits)
    documents: list[types.TextDocumentEdit | types.RenameFile] = [
        types.TextDocumentEdit(types.VersionedDocument(uri, version_of(uri)), found) for uri, found in edits.items()
    ]
    documents += [types.RenameFile(uri_of(old), uri_of(new)) for old, new in planned.moves.items()]
    return types.WorkspaceEdit(document_changes=documents)


def _text_edits(positions: Positions, spots: Iterable[Spot], new_name: str) -> Iterable[types.TextEdit]:
    for spot in sorted(spots, key=lambda each: (each.line, each.column)):
        start = positions.position(spot.line, spot.column + 1)
        end = positions.position(spot.line, spot.column + 1 + len(spot.text.encode()))
        yield types.TextEdit(types.Range(types.Position(*start), types.Position(*end)), written(spot, new_name))
