"""Code actions and commands for a rename that asked: its choices at the name, and what is open to look at."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.choices import RenameAsk, RenameQuestion
from cairn.surfaces.lsp.client import ApplyEdit, Talk
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.renaming import RenameRefusedError, edit_for
from cairn.surfaces.lsp.session import EditorSession

KIND = "refactor.rename"
_MOST = (1 << 31) - 1
TAKE, SHOW, DROP = "cairn.rename.take", "cairn.rename.show", "cairn.rename.drop"
_TAKES = f"{TAKE} takes one object with uri, position, newName and take."


def code_actions(session: EditorSession, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be answered to a rename that asked at this place."""
    question = session.question
    if question is None or question.asked.uri != params.text_document.uri or not _is_wanted(params.context.only):
        return []
    buffer = session.buffers.get(question.asked.uri)
    is_as_it_was = (buffer.version if buffer is not None else None) == question.version
    if not is_as_it_was or not _meets(params.range, question.name):
        return []
    return list(_offered(question))


def _offered(question: RenameQuestion) -> Iterator[types.CodeAction]:
    asked = question.asked
    for choice in question.choices:
        given = {
            "uri": asked.uri,
            "position": {"line": asked.position.line, "character": asked.position.character},
            "newName": asked.new_name,
            "take": choice.take,
        }
        command = types.EditorCommand(choice.title, TAKE, arguments=[given])
        yield types.CodeAction(choice.title, KIND, is_preferred=choice.was_taken or None, command=command)
    if question.open_places:
        title = f"Rename to {asked.new_name}: show what is open ({len(question.open_places)})"
        yield types.CodeAction(title, KIND, command=types.EditorCommand(title, SHOW))
    title = f"Rename to {asked.new_name}: leave it"
    yield types.CodeAction(title, KIND, command=types.EditorCommand(title, DROP))


def _is_wanted(only: Sequence[str] | None) -> bool:
    """Whether an editor that asks for some kinds asks for these."""
    return not only or any(kind == "" or f"{KIND}.".startswith(f"{kind}.") for kind in only)


def _meets(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def take(session: EditorSession, given: object = None) -> Talk[dict[str, Any]]:
    """Have the editor do a rename, with what the user takes of it."""
    asked = _asked(given)
    edit, label = edit_for(session, asked)
    done = yield ApplyEdit(edit, label)
    if types.said(done, "applied") is not True:
        why = types.said(done, "failureReason") or "it gives no reason"
        raise RenameRefusedError(f"The editor didn't apply it: {why}.")
    _clear(session)
    return {"applied": True, "label": label}


def show(session: EditorSession, _given: object = None) -> dict[str, Any]:
    """Mark what is open in the documents that it stands in; the marks go with the question."""
    _clear(session)
    question = session.question
    if question is None:
        return {"places": 0}
    places = EditorPlaces(session, question.root)
    marks: dict[str, list[types.Diagnostic]] = {}
    for each in question.open_places:
        text = places.positions(each.path)
        if text is None:
            continue
        start, end = text.lines(each.line, each.line)
        if each.column is not None:
            start = text.position(each.line, each.column + 1)
        there = types.Range(types.Position(*start), types.Position(*end))
        said = types.Diagnostic(there, each.why, types.INFO, code="rename", source="cairn")
        marks.setdefault(session.uri(question.root, each.path), []).append(said)
    for uri, found in marks.items():
        session.client.show_places(uri, found)
    session.marked = tuple(marks)
    return {"places": sum(map(len, marks.values()))}


def drop(session: EditorSession, _given: object = None) -> None:
    """Ask no more."""
    session.question = None
    _clear(session)


def _clear(session: EditorSession) -> None:
    for uri in session.marked:
        session.client.show_places(uri, ())
    session.marked = ()


def _asked(given: object) -> RenameAsk:
    """What the command is given, which may be anything."""
    said = given[0] if isinstance(given, list | tuple) and given else given
    place = said.get("position") if isinstance(said, Mapping) else None
    if not isinstance(said, Mapping) or not isinstance(place, Mapping):
        raise RenameRefusedError(_TAKES)
    line, character = place.get("line"), place.get("character")
    only, but = said.get("only") or [], said.get("except") or []
    uri, new, taken = (said.get(name) or "" for name in ("uri", "newName", "take"))
    if not isinstance(line, int) or not isinstance(character, int) or min(line, character) < 0:
        raise RenameRefusedError(_TAKES)
    if not isinstance(only, list) or not isinstance(but, list):
        raise RenameRefusedError(_TAKES)
    if not all(isinstance(each, str) for each in (uri, new, taken, *only, *but)):
        raise RenameRefusedError(_TAKES)
    position = types.Position(min(line, _MOST), min(character, _MOST))
    return RenameAsk(uri, position, new, taken, tuple(only), tuple(but))


FEATURES = {"textDocument/codeAction": code_actions}
COMMANDS = {TAKE: take, SHOW: show, DROP: drop}
