"""`cairn change-signature`: a parameter more or less, or some in another order, in all definitions and calls."""

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base.errors import UsageError
from cairn.questions.signature import PARAMETERS, require_one
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.editing import PLACE, PLACE_HELP, AskedPlace, go_on, written
from cairn.surfaces.cli.edits import add_choosing, choosing_of

if TYPE_CHECKING:
    from cairn.edit.editor import Planned

_EXAMPLE = "cairn change-signature src/lease.py:12:9 --add 'retries: int = 3'"


def add_to(commands: Any) -> None:
    """Add the command `change-signature`."""
    parser = commands.add_parser(
        "change-signature",
        help="add, remove or reorder parameters of a function in all files (Python, TypeScript)",
        description="Plan another signature of the function at a place, with what overrides and declares it, and with "
        "the calls that give an argument to what is removed. With --apply it is written if all of it is proven; --take "
        "says what else is: all files or none. `cairn rename --undo` takes it back.",
        epilog=f"Example: {_EXAMPLE} --apply",
        allow_abbrev=False,
    )
    parser.add_argument("place", nargs="?", metavar=PLACE, help=PLACE_HELP)
    for each in PARAMETERS:
        how: dict[str, Any] = {"dest": each.name, "help": each.help, "default": each.default}
        if each.kind == "boolean":
            how["action"] = "store_true"
        else:
            how |= {"metavar": each.metavar or each.name.upper(), "type": int if each.kind == "integer" else str}
        parser.add_argument(each.option, **how)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--plan", action="store_true", help="only show what would be done (the default)")
    what.add_argument("--apply", metavar="PLAN", nargs="?", const="", help="write a plan, or a place's change at once")
    add_choosing(parser)
    parser.add_argument("--root", metavar="PATH", default=None, help="the codebase (default: that of the file)")
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.signatures import SignatureChanging
    from cairn.graph.targets import place_of

    if options.apply and options.place is None and place_of(options.apply) is not None:
        options.apply, options.place = "", options.apply  # The option takes what stands behind it.
    typed = partial(_typed, options)
    if options.apply and options.place is None:
        with Codebase(options.root or ".") as codebase:
            return written(SignatureChanging(codebase), options.apply, options, typed, None)
    if not options.place:
        raise UsageError("A change of a signature needs a place.", hint=f"For example: {_EXAMPLE}")
    require_one(options.add, options.remove, options.reorder)
    asked = AskedPlace(options.place)
    with Codebase(options.root or asked.folder) as codebase:
        changing = SignatureChanging(codebase)
        said: dict[str, Any] = {each.name: getattr(options, each.name) for each in PARAMETERS}
        at = asked.within(codebase, changing)
        planned = changing.plan_signature(*at, **(said | choosing_of(options, codebase)))
        return go_on(changing, planned, options, typed, None)


def _typed(options: argparse.Namespace, planned: "Planned") -> list[str]:
    """The command that asks for this plan."""
    target = planned.draft.target
    words = ["cairn", "change-signature", options.place or f"{target.path}:{target.line}:{target.column + 1}"]
    for each in PARAMETERS:
        value = getattr(options, each.name)
        if each.kind == "boolean":
            words += [each.option] * bool(value)
        elif value is not None:
            words += [each.option, str(value)]
    return words + (["--root", options.root] if options.root else [])
