"""What every command that edits does with a plan: show it with what comes next, or write it."""

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode
from cairn.base.text import json_text
from cairn.surfaces.cli.edits import commands, is_chosen, show, show_written
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.renames import Renaming
    from cairn.edit.editor import Planned

PLACE = "PLACE"
PLACE_HELP = "FILE:LINE:COLUMN (bytes, from 1), FILE:LINE, FILE:NAME or a name that is defined once"
Typed = Callable[["Planned"], list[str]]
"""The words of the command that asks for a plan."""


class AskedPlace:
    """What a user names as the place of an edit: a place of a file, a name of a file, or a name alone."""

    def __init__(self, typed: str) -> None:
        from cairn.graph.targets import place_of

        self._place = place_of(typed)
        self._file, self._name = _file_and_name(typed) if self._place is None else (self._place.path, "")

    @property
    def folder(self) -> str:
        """The folder that its codebase is looked for from."""
        from cairn.questions.asking import folder_of
        from cairn.surfaces.cli.console import current

        return folder_of(self._file, current()) if self._file else "."

    def within(self, codebase: "Codebase", editing: "Renaming") -> tuple[str, int, int]:
        """The file from the root on, the line and the column that are meant."""
        from cairn.workspace.livefiles import real_key

        place = self._place
        key = real_key(codebase.root_path, key_of_file(self._file, codebase)) if self._file else ""
        if place is None or place.column is None:
            place = editing.locate(self._name, key, place.line if place is not None else None)
        return key or place.path, place.line, place.column or 1


def _file_and_name(typed: str) -> tuple[str, str]:
    """The parts of FILE:NAME; no file for a plain name."""
    from cairn.surfaces.cli.console import current

    file, _, name = typed.rpartition(":")
    is_file = bool(name) and os.path.isfile(current().at(file))
    return (file, name) if is_file else ("", typed)


def key_of_file(name: str, codebase: "Codebase") -> str:
    """The path of a file from the root on, as the user writes it from where he stands."""
    from cairn.questions.asking import file_meant
    from cairn.questions.question import Asked
    from cairn.surfaces.cli.console import current

    return file_meant(name, Asked(codebase, current()))


def go_on(renaming: "Renaming", planned: "Planned", options: argparse.Namespace, typed: Typed, to: int | None) -> int:
    """Write a plan where that is wanted and possible; otherwise show it. `to` is the new name among the words."""
    wanted = (options.apply is not None or is_chosen(options)) and not (options.diff or options.plan)
    if not wanted or planned.plan is None or not planned.applicable:
        return shown(renaming, planned, options, typed, to)
    return written(renaming, planned.plan.id, options, typed, to)


def shown(renaming: "Renaming", planned: "Planned", options: argparse.Namespace, typed: Typed, to: int | None) -> int:
    """Show a plan, and how to go on."""
    document = _document(renaming, planned, options, typed, to)
    if options.json:
        say(json_text(document))
    else:
        show(document)
    return ExitCode.OK if planned.applicable else ExitCode.REFUSED


def written(renaming: "Renaming", plan_id: str, options: argparse.Namespace, typed: Typed, to: int | None) -> int:
    """Write a plan, and say how to take it back."""
    from cairn.codebase.renamed import written_document
    from cairn.surfaces.cli.notes import sentences, texts

    done = renaming.apply(plan_id)
    edit = done.applied.written
    if options.json:
        document = _document(renaming, done.applied.planned, options, typed, to) | {
            "applied": written_document(edit),
            "notes": texts(done.notes),
            "next": [{"do": "undo", "why": "take it back", "call": f"cairn rename --undo {edit.id}"}],
        }
        document["refresh_jobs"] = list(done.jobs)
        say(json_text(document))
        return ExitCode.OK
    show_written(edit.title, len(done.applied.planned.spots), len(edit.entries), edit.id)
    for sentence in sentences(done.notes):
        say(f"note: {sentence}", error=True)
    return ExitCode.OK


def _document(
    renaming: "Renaming", planned: "Planned", options: argparse.Namespace, typed: Typed, to: int | None
) -> dict[str, Any]:
    from cairn.codebase.renamed import planned_document

    # Of what passes people see the diff in any case; what asks is shown as its question.
    wanted = options.diff or (planned.applicable and not options.json)
    diff = renaming.diff(planned) if wanted and planned.plan is not None else None
    return planned_document(planned, renaming.proof(planned), commands(typed(planned), to=to), diff)
