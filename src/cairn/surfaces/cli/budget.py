"""A search answer within a budget of tokens: whole texts, and what there was no room for."""

from typing import TYPE_CHECKING

from cairn.base.text import plural, printable, printable_lines
from cairn.questions.parameters import Values
from cairn.surfaces.cli import results
from cairn.surfaces.cli.envelope import show_footer
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.bodies import Found
    from cairn.search import Fitted, Piece, SearchHit, Unit

_NAMED = 3


def show(found: "Found[SearchHit]", changed: frozenset[tuple[str, str]], values: Values) -> None:
    """Print whole texts without line numbers.

    `changed` holds the (root, path) of files that are no longer what the snapshot holds.
    """
    if found.fitted is None:
        return
    for item in found.fitted.shown:
        unit = found.units[item.index]
        notes = (
            "changed since" if (unit.root, unit.path) in changed else "",
            *(results.explained(found.items[item.index]) if values["explain"] else ()),
        )
        say("  ".join([_head(unit, item.piece), *filter(None, notes)]))
        for line in item.piece.text.removesuffix("\n").split("\n"):
            # Tabs stay, since they cost less than spaces.
            say(printable_lines(line.removesuffix("\r")).rstrip())
        say("")
    if not found.units:
        say("nothing found")
    if values["explain"]:
        say(results.searched_by(found))
    show_footer(footer_of(found.fitted))


def _head(unit: "Unit", piece: "Piece") -> str:
    place = printable(f"{unit.root}/{unit.path}" if unit.root else unit.path)
    notes = (printable(unit.symbol), "signature" if piece.form == "signature" else "")
    return "  ".join([f"{place}:{piece.start_line}-{piece.end_line}", *filter(None, notes)])


def footer_of(fitted: "Fitted") -> str:
    """How much of the budget was used, and what was left out."""
    parts = [f"{fitted.used_tokens:,} of {plural(fitted.budget_tokens, 'token')}"]
    if fitted.shortened:
        parts.append(f"{plural(fitted.shortened, 'result')} not in full")
    if fitted.left_out:
        named = [
            printable(f"{item.root}/{item.path}" if item.root else item.path) + f":{item.start_line}-{item.end_line}"
            for item in fitted.left_out[:_NAMED]
        ]
        more = ["..."] if len(fitted.left_out) > _NAMED else []
        parts.append(f"{plural(len(fitted.left_out), 'result')} left out: {', '.join([*named, *more])}")
    return " · ".join(parts)
