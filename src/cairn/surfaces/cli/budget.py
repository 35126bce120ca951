"""A search answer within a budget of tokens: whole texts, and what there was no room for."""

from collections.abc import Mapping, Sequence

from cairn.base.text import plural, printable, printable_lines
from cairn.codebase.wording import Spelling, worded
from cairn.questions.parameters import Values
from cairn.search import Fitted, Piece, SearchHit, Unit, fit
from cairn.surfaces.cli import results
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import show_footer
from cairn.surfaces.cli.text import encodable, say

_NAMED = 3


def show(
    found: Sequence[SearchHit],
    units: Sequence[Unit],
    changed: frozenset[tuple[str, str]],
    values: Values,
    words: Spelling,
) -> None:
    """Print whole texts without line numbers; what goes to standard output keeps the budget.

    `changed` holds the (root, path) of files that are no longer what the snapshot holds.
    """
    signals: Mapping[tuple[str, str], str] = {
        (unit.root, unit.path): results.explained(item)
        for unit, item in zip(units, found, strict=True)
        if values["explain"]
    }

    def write(unit: Unit, piece: Piece) -> str:
        place = f"{unit.root}/{unit.path}" if unit.root else unit.path
        head = f"{printable(place)}:{piece.start_line}-{piece.end_line}"
        notes = (
            printable(unit.symbol),
            "signature" if piece.form == "signature" else "",
            "changed since" if (unit.root, unit.path) in changed else "",
            signals.get((unit.root, unit.path), ""),
        )
        lines = ["  ".join([head, *filter(None, notes)]), *map(_line, piece.text.rstrip("\n").split("\n")), "", ""]
        text, out = "\n".join(lines), current().out
        return encodable(text, out) if out is not None else text

    fitted = fit(units, values["budget_tokens"], write)
    for item in fitted.shown:
        # The last line break is the stream's.
        say(write(units[item.index], item.piece).removesuffix("\n"))
    if not units:
        say("nothing found")
    show_footer(footer_of(fitted, words))


def footer_of(fitted: Fitted, words: Spelling) -> str:
    """What was left out, and how to get it."""
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
    hint = [worded(fitted.note, words)] if fitted.note is not None else []
    return " · ".join([*parts, *hint])


def _line(text: str) -> str:
    """A line of source as it stands, harmless: tabs stay, since they cost less than spaces."""
    return printable_lines(text.removesuffix("\r")).rstrip()
