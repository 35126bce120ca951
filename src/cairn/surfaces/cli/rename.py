"""`cairn rename`: a rename that is proven, asked about or refused; a plan first, then all files or none."""

import argparse
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.text import json_text, plural, printable
from cairn.questions.rename import ACTIONS, parameter
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.edits import add_choosing, choosing_of, commands, is_chosen, show, show_written
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.renames import Renaming
    from cairn.edit.editor import Planned
    from cairn.edit.journalfile import EditRecord
    from cairn.graph.targets import Place


def add_to(commands: Any) -> None:
    """Add the command `rename`."""
    parser = commands.add_parser(
        "rename",
        help="rename a symbol in all files: proven, asked about, or refused",
        description="Plan the rename of what stands at a place, and show it as a diff. With --apply it is written if "
        "all of it is proven; --take says what else is, where something is open: all files or none. What is indexed is "
        "brought up to date first.",
        epilog="Example: cairn rename src/lease.py:12:9 acquire_lease --apply",
        allow_abbrev=False,
    )
    new_name = parameter("new_name")
    parser.add_argument("place", nargs="?", metavar="FILE:LINE:COLUMN", help="a place of the name; bytes, from 1")
    parser.add_argument("new_name", nargs="?", metavar=new_name.metavar, help=new_name.help)
    what = parser.add_mutually_exclusive_group()
    for action in ACTIONS.values():
        # A place that stands beside `--apply` needs no plan.
        how: dict[str, Any] = {"metavar": action.metavar} if action.metavar else {"action": "store_true"}
        how |= {"nargs": "?", "const": ""} if action.name == "apply" else {}
        what.add_argument(f"--{action.name}", help=action.help, **how)
    add_choosing(parser)
    parser.add_argument("--root", metavar="PATH", default=None, help="the codebase (default: that of the file)")
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.renames import Renaming
    from cairn.graph.targets import place_of
    from cairn.questions.asking import folder_of
    from cairn.surfaces.cli.console import current

    if options.apply and options.place and options.new_name is None and place_of(options.apply) is not None:
        # `--apply PLACE NEW`: the option takes what stands behind it.
        options.apply, options.place, options.new_name = "", options.apply, options.place
    place = place_of(options.place) if options.place else None
    by_place = options.apply in (None, "") and not (options.decide or options.undo or options.recover or options.list)
    if by_place and (place is None or place.column is None or options.new_name is None):
        raise _lacking(options.place, place, options.new_name)
    if not by_place and options.place:
        raise UsageError("A place doesn't go with this.", hint="Run `cairn rename --help` to see what is understood.")
    folder = options.root or (folder_of(place.path, current()) if place is not None else ".")
    with Codebase(folder) as codebase:
        renaming = Renaming(codebase)
        if options.recover:
            return _settled(renaming.recover(), options, "nothing was left half done")
        if options.list:
            return _edits(renaming.edits(), options, "no edits were made")
        if options.undo:
            return _settled((renaming.undo(options.undo),), options, "")
        if options.decide:
            chosen = choosing_of(options, codebase)
            planned = renaming.decide(options.decide, only=chosen["only"], except_=chosen["except_"])
            return _shown(renaming, planned, options)
        if place is None or place.column is None:
            return _applied(renaming, options.apply, options)
        at = (_key(place.path, codebase), place.line, place.column)
        planned = renaming.plan(*at, options.new_name, **choosing_of(options, codebase))
        wanted = (options.apply is not None or is_chosen(options)) and not (options.diff or options.plan)
        if not wanted or planned.plan is None or not planned.applicable:
            return _shown(renaming, planned, options)
        return _applied(renaming, planned.plan.id, options)


def _lacking(typed: str | None, place: "Place | None", new_name: str | None) -> UsageError:
    """What a rename by place lacks, and how to give it."""
    example = "For example: cairn rename src/lease.py:12:9 acquire_lease"
    if typed is None:
        return UsageError("A rename needs a place and a new name.", hint=example)
    given = printable(typed)
    if place is None:
        said = f"{given} is no place: its file, line and column are missing."
        return UsageError(said, hint=f"Run `cairn symbol {given}` to see where it is defined. {example}")
    if place.column is None:
        said = f"The column is missing: {given} names a line, which may hold several names."
        column = parameter("column").help
        return UsageError(said, hint=f"Write {given}:COLUMN, which says {column}. {example}")
    return UsageError("The new name is missing.", hint=example)


def _key(name: str, codebase: "Codebase") -> str:
    from cairn.questions.asking import file_meant
    from cairn.questions.question import Asked
    from cairn.surfaces.cli.console import current

    return file_meant(name, Asked(codebase, current()))


def _applied(renaming: "Renaming", plan_id: str, options: argparse.Namespace) -> int:
    from cairn.codebase.renamed import written_document
    from cairn.surfaces.cli.notes import sentences, texts

    done = renaming.apply(plan_id)
    edit = done.applied.written
    if options.json:
        document = _document(renaming, done.applied.planned, options) | {
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


def _settled(edits: "tuple[EditRecord, ...]", options: argparse.Namespace, nothing: str) -> int:
    _edits(edits, options, nothing)
    return ExitCode.CORRUPT if any(edit.lost for edit in edits) else ExitCode.OK


def _edits(edits: "tuple[EditRecord, ...]", options: argparse.Namespace, nothing: str) -> int:
    from cairn.codebase.renamed import SCHEMA_VERSION, written_document

    if options.json:
        say(json_text({"schema_version": SCHEMA_VERSION, "edits": [written_document(edit) for edit in edits]}))
        return ExitCode.OK
    for edit in edits:
        say(f"{edit.id}  {edit.state}  {printable(edit.title)}, {plural(len(edit.entries), 'file')}")
        for path in edit.left:
            say(f"  left as it is, changed by somebody else: {printable(path)}")
        for path in edit.lost:
            say(f"  left as it is, its kept content is damaged: {printable(path)}; restore it by hand, or with git")
    if not edits and nothing:
        say(nothing)
    return ExitCode.OK


def _shown(renaming: "Renaming", planned: "Planned", options: argparse.Namespace) -> int:
    document = _document(renaming, planned, options)
    if options.json:
        say(json_text(document))
    else:
        show(document)
    return ExitCode.OK if planned.applicable else ExitCode.REFUSED


def _document(renaming: "Renaming", planned: "Planned", options: argparse.Namespace) -> dict[str, Any]:
    from cairn.codebase.renamed import planned_document

    # Of what passes people see the diff in any case; what asks is shown as its question.
    wanted = options.diff or (planned.applicable and not options.json)
    diff = renaming.diff(planned) if wanted and planned.plan is not None else None
    return planned_document(planned, renaming.proof(planned), commands(_typed(planned, options), to=3), diff)


def _typed(planned: "Planned", options: argparse.Namespace) -> list[str]:
    """The command that asks for this plan."""
    target = planned.draft.target
    place = f"{target.path}:{target.line}:{target.column + 1}"
    root = ["--root", options.root] if options.root else []
    return ["cairn", "rename", options.place or place, planned.draft.new_name, *root]
