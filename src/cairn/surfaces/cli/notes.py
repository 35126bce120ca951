"""Notes as the command line tells them: a parameter is an option here."""

from collections.abc import Iterable, Sequence

from cairn.base.notes import Note
from cairn.base.text import printable
from cairn.questions.wording import Spelling, worded
from cairn.surfaces.cli.text import say

SPELLING = Spelling(
    {
        "limit": "--limit",
        "nodes": "--nodes",
        "fan_out": "--fan-out",
        "notes": "--notes",
        "depth": "--depth",
        "budget_tokens": "--budget",
        "paths": "--path",
    },
    ask="use",
    up_to="{name} up to {value}",
    exactly="{name} {value}",
)
# Programs compare that one warning as it stands.
_IN_JSON = SPELLING.without("notes")


def sentences(notes: Iterable[Note]) -> list[str]:
    """What people read, safe for a terminal."""
    return [printable(worded(note, SPELLING)) for note in notes]


def warn(notes: Iterable[Note]) -> None:
    for sentence in sentences(notes):
        say(f"warning: {sentence}", error=True)


def texts(notes: Iterable[Note]) -> list[str]:
    """What JSON holds as sentences."""
    return [worded(note, _IN_JSON) for note in notes]


def told(notes: Sequence[Note]) -> dict[str, object]:
    """The part of a JSON answer that says what to know of it: as sentences, and as the values behind them."""
    return {"warnings": texts(notes), "notices": [note.document() for note in notes]}
