"""`cairn rename`: a rename that is proven, asked about or refused; a plan first, then all files or none."""

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.text import json_text, plural, printable
from cairn.questions.rename import ACTIONS, parameter
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.editing import PLACE, PLACE_HELP, AskedPlace, go_on, shown, written
from cairn.surfaces.cli.edits import add_choosing, choosing_of
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.edit.editor import Planned
    from cairn.edit.journalfile import EditRecord

_UNDO = "undo one with: cairn rename --undo EDIT"
_NEW_NAME = 3
"""Where it stands in the words of the command."""


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
    parser.add_argument("place", nargs="?", metavar=PLACE, help=PLACE_HELP)
    parser.add_argument("new_name", nargs="?", metavar=new_name.metavar, help=new_name.help)
    what = parser.add_mutually_exclusive_group()
    for action in ACTIONS.values():
        # A place that stands beside `--apply` needs no plan.
        how: dict[str, Any] = {"metavar": action.metavar} if action.metavar else {"action": "store_true"}
        how |= {"nargs": "?", "const": ""} if action.name in ("apply", "undo") else {}
        what.add_argument(f"--{action.name}", help=action.help, **how)
    add_choosing(parser)
    parser.add_argument("--root", metavar="PATH", default=None, help="the codebase (default: that of the file)")
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.renames import Renaming
    from cairn.graph.targets import place_of

    if options.apply and options.place and options.new_name is None and place_of(options.apply) is not None:
        # `--apply PLACE NEW`: the option takes what stands behind it.
        options.apply, options.place, options.new_name = "", options.apply, options.place
    if options.undo == "":
        raise UsageError("An undo needs an edit.", hint="`cairn rename --list` shows the last ones.")
    by_place = options.apply in (None, "") and not (options.decide or options.undo or options.recover or options.list)
    if by_place and (not options.place or options.new_name is None):
        raise _lacking(options.place)
    if not by_place and options.place:
        raise UsageError("A place doesn't go with this.", hint="Run `cairn rename --help` to see what is understood.")
    typed = partial(_typed, options)
    asked = AskedPlace(options.place) if by_place else None
    with Codebase(options.root or (asked.folder if asked is not None else ".")) as codebase:
        renaming = Renaming(codebase)
        if options.recover:
            return _settled(renaming.recover(), options, "nothing was left half done")
        if options.list:
            return _edits(renaming.edits(), options, "no edits were made", _UNDO)
        if options.undo:
            return _settled((renaming.undo(options.undo),), options, "")
        if options.decide:
            chosen = choosing_of(options, codebase)
            planned = renaming.decide(options.decide, only=chosen["only"], except_=chosen["except_"])
            return shown(renaming, planned, options, typed, _NEW_NAME)
        if asked is None:
            return written(renaming, options.apply, options, typed, _NEW_NAME)
        at = asked.within(codebase, renaming)
        planned = renaming.plan(*at, options.new_name, **choosing_of(options, codebase))
        return go_on(renaming, planned, options, typed, _NEW_NAME)


def _lacking(typed: str | None) -> UsageError:
    """What a rename lacks, and how to give it."""
    said = "A rename needs a place and a new name." if typed is None else "The new name is missing."
    return UsageError(said, hint="For example: cairn rename src/lease.py:12:9 acquire_lease")


def _settled(edits: "tuple[EditRecord, ...]", options: argparse.Namespace, nothing: str) -> int:
    _edits(edits, options, nothing)
    return ExitCode.CORRUPT if any(edit.lost for edit in edits) else ExitCode.OK


def _edits(edits: "tuple[EditRecord, ...]", options: argparse.Namespace, nothing: str, hint: str = "") -> int:
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
    if last := hint if edits else nothing:
        say(last)
    return ExitCode.OK


def _typed(options: argparse.Namespace, planned: "Planned") -> list[str]:
    """The command that asks for this plan."""
    target = planned.draft.target
    place = f"{target.path}:{target.line}:{target.column + 1}"
    root = ["--root", options.root] if options.root else []
    return ["cairn", "rename", options.place or place, planned.draft.new_name, *root]
