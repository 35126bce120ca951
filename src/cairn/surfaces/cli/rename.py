"""`cairn rename`: a rename that is proven, asked about or refused; a plan first, then all files or none."""

import argparse
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.text import json_text, plural, printable
from cairn.questions.rename import ACTIONS, parameter
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.renames import Renaming
    from cairn.edit.editor import Planned
    from cairn.edit.journalfile import EditRecord
    from cairn.graph.targets import Place

_SHOWN = 20


def add_to(commands: Any) -> None:
    """Add the command `rename`."""
    parser = commands.add_parser(
        "rename",
        help="rename a symbol in all files: proven, asked about, or refused",
        description="Plan the rename of what stands at a place, and show it as a diff. With --apply it is written, all "
        "files or none. What is indexed is brought up to date first.",
        epilog="Example: cairn rename src/lease.py:12:9 acquire_lease, then cairn rename --apply PLAN",
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
            return _shown(renaming, renaming.decide(options.decide), options)
        if place is None or place.column is None:
            return _applied(renaming, options.apply, options)
        planned = renaming.plan(_key(place.path, codebase), place.line, place.column, options.new_name)
        if options.apply is None or planned.plan is None or not planned.applicable:
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
    from cairn.codebase.renamed import planned_document, written_document
    from cairn.surfaces.cli.notes import sentences, texts

    done = renaming.apply(plan_id)
    edit = done.applied.written
    if options.json:
        document = planned_document(done.applied.planned) | {
            "applied": written_document(edit),
            "notes": texts(done.notes),
        }
        document["refresh_jobs"] = list(done.jobs)
        say(json_text(document))
        return ExitCode.OK
    spots = done.applied.planned.spots
    say(f"{printable(edit.title)}: {plural(len(spots), 'place')} in {plural(len(edit.entries), 'file')} written")
    say(f"undo it with: cairn rename --undo {edit.id}")
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
    from cairn.codebase.renamed import planned_document

    code = ExitCode.OK if planned.applicable else ExitCode.REFUSED
    if options.json:
        say(json_text(planned_document(planned)))
        return code
    draft = planned.draft
    status = "decided" if planned.plan is not None and planned.plan.choice else draft.status
    say(f"{printable(draft.target.name)} to {printable(draft.new_name)}: {status}")
    for reason in draft.reasons if not planned.applicable else ():
        say(f"  {printable(reason)}")
    if planned.spots and planned.plan is not None:
        for line in renaming.diff(planned):
            say(printable(line))
    _doubts(planned)
    if draft.mentions:
        say(f"{plural(len(draft.mentions), 'mention')} in comments, strings and prose stay as they are:")
        for mention in draft.mentions[:_SHOWN]:
            say(f"  {printable(mention.path)}:{mention.line} ({mention.tier}) {printable(mention.shown)}")
        if len(draft.mentions) > _SHOWN:
            say(f"  and {len(draft.mentions) - _SHOWN} more: use --json")
    if planned.applicable and planned.plan is not None:
        files = len({spot.path for spot in planned.spots})
        say(f"{plural(len(planned.spots), 'place')} in {plural(files, 'file')}; write it within five minutes with:")
        say(f"  cairn rename --apply {planned.plan.id}")
    return code


def _doubts(planned: "Planned") -> None:
    draft, plan = planned.draft, planned.plan
    if planned.applicable or draft.witness is None:
        return
    for each in draft.opened[:_SHOWN]:
        say(f"  open: {printable(each.path)}:{each.line} ({each.why}) {printable(each.shown)}")
    if len(draft.opened) > _SHOWN:
        say(f"  and {len(draft.opened) - _SHOWN} more: use --json")
    for doubt in draft.witness.checklist:
        say(f"  {printable(doubt.question)} Needed: {printable(doubt.needed)}; {printable(doubt.verify)}.")
    if plan is not None:
        for candidate in draft.candidates:
            say(f"  --decide {plan.id}:{candidate.choice}  {candidate.title}, {plural(len(candidate.spots), 'place')}")
        if planned.offered:
            say(f"  in the same situation you chose: {planned.offered}")
