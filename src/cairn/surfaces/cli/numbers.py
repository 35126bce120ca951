"""Numbers before the places of an answer, for `cairn open`: on a terminal only, since a pipe wants the places alone."""

from collections.abc import Callable

from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import DIM, is_terminal, paint, wants_colour
from cairn.surfaces.cli.lastlist import MOST_PLACES, MOST_TEXT


def numbered(path: str, line: int, text: str = "", *, among: int = 0) -> str:
    """The number of a place as it stands before it, empty in a pipe; `text` is something that its line holds.

    The path may be one from the root of the codebase. Where places stand in columns, `among` is how many there are.
    """
    places = current().places
    if len(places) >= MOST_PLACES:
        return ""
    places.append((path, line, text.strip()[:MOST_TEXT]))
    if not is_terminal():
        return ""
    return paint(f"[{len(places)}]".rjust(label_width(among)), DIM, wants_colour()) + " "


def label_width(among: int) -> int:
    """How wide the number of the last of some places is."""
    return len(f"[{among}]") if among else 0


def keep_places(root: Callable[[], str], *, opens: bool) -> None:
    """Remember what was numbered, as the list that this terminal was shown last."""
    here = current()
    if here.places and (is_terminal() or opens):
        here.keep({"root": root(), "places": list(here.places)})
