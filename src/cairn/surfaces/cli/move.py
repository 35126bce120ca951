"""`cairn move`: a definition at the top of a module goes to another one, imports mended."""

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base.errors import UsageError
from cairn.questions.move import TO_FILE
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.editing import PLACE, PLACE_HELP, AskedPlace, go_on, key_of_file, written
from cairn.surfaces.cli.edits import add_choosing, choosing_of

if TYPE_CHECKING:
    from cairn.edit.editor import Planned

_EXAMPLE = "cairn move src/lease.py:39:5 src/locks.py"


def add_to(commands: Any) -> None:
    """Add the command `move`."""
    parser = commands.add_parser(
        "move",
        help="move a function, class or constant to another module (Python, TypeScript)",
        description="Plan the move of the definition at a place to another file, with the imports that it needs and "
        "those of everybody who uses it. With --apply it is written if all of it is proven; --take says what else is: "
        "all files or none. `cairn rename --undo` takes it back.",
        epilog=f"Example: {_EXAMPLE} --apply",
        allow_abbrev=False,
    )
    parser.add_argument("place", nargs="?", metavar=PLACE, help=PLACE_HELP)
    parser.add_argument("to_file", nargs="?", metavar=TO_FILE.metavar, help=TO_FILE.help)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--plan", action="store_true", help="only show what would be done (the default)")
    what.add_argument("--apply", metavar="PLAN", nargs="?", const="", help="write a plan, or a place's move at once")
    add_choosing(parser)
    parser.add_argument("--root", metavar="PATH", default=None, help="the codebase (default: that of the file)")
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.moves import Moving
    from cairn.graph.targets import place_of

    if options.apply and options.place and options.to_file is None and place_of(options.apply) is not None:
        # `--apply PLACE FILE`: the option takes what stands behind it.
        options.apply, options.place, options.to_file = "", options.apply, options.place
    typed = partial(_typed, options)
    if options.apply and options.place is None:
        with Codebase(options.root or ".") as codebase:
            return written(Moving(codebase), options.apply, options, typed, None)
    if not options.place or options.to_file is None:
        raise _lacking(options.place)
    asked = AskedPlace(options.place)
    with Codebase(options.root or asked.folder) as codebase:
        moving = Moving(codebase)
        at = asked.within(codebase, moving)
        to_file = key_of_file(options.to_file, codebase)
        planned = moving.plan_move(*at, to_file, **choosing_of(options, codebase))
        return go_on(moving, planned, options, typed, None)


def _lacking(typed: str | None) -> UsageError:
    said = "A move needs a place and a file." if not typed else "The file that it goes to is missing."
    return UsageError(said, hint=f"For example: {_EXAMPLE}")


def _typed(options: argparse.Namespace, planned: "Planned") -> list[str]:
    """The command that asks for this plan."""
    target = planned.draft.target
    place = options.place or f"{target.path}:{target.line}:{target.column + 1}"
    root = ["--root", options.root] if options.root else []
    return ["cairn", "move", place, *([options.to_file] if options.to_file else []), *root]
