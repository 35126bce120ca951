"""`textDocument/rename` and `prepareRename`: through the gate, as an edit that the editor applies.

Nothing is written here, so nothing is put into the journal: the editor's own undo takes an edit back. What an answer
settles about constructs isn't kept either, because nobody would tell that it was taken back.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cairn.base.errors import CairnError, CancelledError, UsageError
from cairn.base.text import plural
from cairn.codebase.goingon import going_on
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.choices import (
    RenameAsk,
    RenameChoice,
    RenameQuestion,
    choices_of,
    follows,
    sentence_of,
    standing_in_the_way,
)
from cairn.surfaces.lsp.client import Choose, Talk
from cairn.surfaces.lsp.positions import Positions
from cairn.surfaces.lsp.session import DocumentFile, EditorSession
from cairn.surfaces.lsp.workspaceedit import workspace_edit

if TYPE_CHECKING:
    from cairn.codebase.renames import Renaming
    from cairn.edit.editor import Planned


class RenameRefusedError(types.RpcError):
    """A rename that is not done, with the sentence that editors show."""

    CODE = types.ErrorCode.FAILED


def prepare_rename(session: EditorSession, params: types.PlaceParams) -> types.PrepareRenamePlaceholder:
    """The name at a place, or why it can't be renamed."""
    uri = params.text_document.uri
    with _renaming(session, uri) as (renaming, spot, _):
        positions = _positions(session, spot)
        target, fault = renaming.subject(spot.path, *positions.place(params.position.line, params.position.character))
    if fault:
        raise RenameRefusedError(f"{target.name} can't be renamed: {fault}.")
    return types.PrepareRenamePlaceholder(_range(positions, target.line, target.column, target.name), target.name)


def rename(session: EditorSession, params: types.RenameParams) -> Talk[types.WorkspaceEdit]:
    """The edit of a rename that passes; otherwise the user is asked, or told why not."""
    asked = RenameAsk(params.text_document.uri, params.position, params.new_name)
    with _renaming(session, asked.uri) as (renaming, spot, versions):
        planned, name = _planned(session, renaming, spot, asked)
        can = session.client.editing
        if planned.applicable and not (follows(planned) and can.renames_files and can.chooses):
            return edit_of(session, renaming, spot, planned, versions)
        choices = choices_of(planned, going_on(planned, renaming.proof(planned)), files=can.renames_files)
        edit = edit_of(session, renaming, spot, planned, versions) if planned.applicable else None
    if edit is not None:
        return (yield from _with_file(session, asked, planned, choices)) or edit
    sentence = sentence_of(planned)
    if not choices:
        raise RenameRefusedError(sentence)
    buffer = session.buffers.get(asked.uri)
    version = buffer.version if buffer is not None else None
    session.question = RenameQuestion(
        asked, version, name, sentence, choices, spot.root, tuple(standing_in_the_way(planned))
    )
    taken = (yield from _chosen(sentence, choices)) if can.chooses else None
    if taken is None:
        raise RenameRefusedError(f"{sentence[:-1]} with a code action at the name.")
    return edit_for(session, _with(asked, taken.take))[0]


def edit_for(session: EditorSession, asked: RenameAsk) -> tuple[types.WorkspaceEdit, str]:
    """The edit of a rename of which the user has said what to take, and what it does in words."""
    with _renaming(session, asked.uri) as (renaming, spot, versions):
        planned, _ = _planned(session, renaming, spot, asked)
        if not planned.applicable:
            raise RenameRefusedError(sentence_of(planned))
        edit = edit_of(session, renaming, spot, planned, versions)
    files = len({each.path for each in planned.spots})
    said = f"{plural(len(planned.spots), 'place')} in {plural(files, 'file')}"
    session.question = None
    return edit, f"Rename {planned.draft.target.name} to {asked.new_name}: {said}"


def edit_of(
    session: EditorSession, renaming: "Renaming", spot: DocumentFile, planned: "Planned", versions: Mapping[str, int]
) -> types.WorkspaceEdit:
    """A plan as the editor's edit, of the very contents that the plan is of."""
    root = spot.root
    edit = workspace_edit(
        renaming.changes(planned),
        planned,
        session.client.editing,
        uri_of=lambda path: session.uri(root, path),
        version_of=versions.get,
        positions_of=lambda path, data: session.positions(os.path.join(root, path), data),
    )
    if {buffer.uri: buffer.version for buffer in session.buffers} != versions:
        raise RenameRefusedError("A document was changed while the rename was planned: ask for it again.")
    return edit


def _planned(
    session: EditorSession, renaming: "Renaming", spot: DocumentFile, asked: RenameAsk
) -> "tuple[Planned, types.Range]":
    """What the gate says, and where the name stands."""
    positions = _positions(session, spot)
    place = positions.place(asked.position.line, asked.position.character)
    planned = renaming.plan(spot.path, *place, asked.new_name, take=asked.take, only=asked.only, except_=asked.excluded)
    target = planned.draft.target
    return planned, _range(positions, target.line, target.column, target.name)


def _with_file(
    session: EditorSession, asked: RenameAsk, planned: "Planned", choices: Sequence[RenameChoice]
) -> Talk[types.WorkspaceEdit | None]:
    """The edit with the file that is called after the thing, if the user wants that."""
    name, new = planned.draft.target.name, asked.new_name
    plain = RenameChoice(f"Rename to {new}: only the name ({plural(len(planned.spots), 'place')})", "")
    files = [each for each in choices if "file" in each.take.split(",")]
    taken = yield from _chosen(f"The file is called after {name}: rename it too?", (*files, plain))
    return edit_for(session, _with(asked, taken.take))[0] if taken is not None and taken.take else None


def _chosen(question: str, choices: Sequence[RenameChoice]) -> Talk[RenameChoice | None]:
    try:
        title = yield Choose(question, tuple(each.title for each in choices))
    except (CairnError, types.RpcError):
        return None  # It said that it could ask, and can't.
    return next((each for each in choices if each.title == title), None)


def _with(asked: RenameAsk, take: str) -> RenameAsk:
    return RenameAsk(asked.uri, asked.position, asked.new_name, take)


@contextmanager
def _renaming(session: EditorSession, uri: str) -> "Iterator[tuple[Renaming, DocumentFile, dict[str, int]]]":
    """The gate of a document's codebase, with what is not saved laid over it; errors are told in their own words."""
    from cairn.codebase.renames import Renaming

    spot = session.spot(uri)
    if spot is None:
        raise RenameRefusedError("This document is in no codebase that is indexed: run `cairn index` in its folder.")
    try:
        versions = {buffer.uri: buffer.version for buffer in session.buffers}
        texts = session.buffers.texts()
        asking = session.asking
        opened = asking.overlay.using(spot.root, texts) if texts else asking.pool.using(spot.root, syncs=True)
        with opened as codebase:
            yield Renaming(codebase), spot, versions
    except CancelledError:
        raise
    except CairnError as error:
        # How a place is named elsewhere is no help to whoever points at it.
        hint = "" if isinstance(error, UsageError) else str(error.hint or "")
        raise RenameRefusedError(f"{error.message} {hint}".strip()) from error


def _positions(session: EditorSession, spot: DocumentFile) -> Positions:
    path = os.path.join(spot.root, spot.path)
    data = session.text(path)
    if data is None:
        raise RenameRefusedError(f"{spot.path} can't be read.")
    return session.positions(path, data)


def _range(positions: Positions, line: int, column: int, name: str) -> types.Range:
    start, end = positions.position(line, column + 1), positions.position(line, column + 1 + len(name.encode()))
    return types.Range(types.Position(*start), types.Position(*end))


FEATURES = {
    "textDocument/prepareRename": prepare_rename,
    "textDocument/rename": rename,
}
