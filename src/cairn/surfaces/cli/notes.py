"""Notes as the command line tells them: a parameter is an option here."""

from collections.abc import Iterable, Sequence

from cairn.base.notes import Note
from cairn.base.text import printable
from cairn.codebase.wording import UNNAMED, Spelling, worded
from cairn.questions import envelope
from cairn.questions.parameters import options_of
from cairn.questions.question import Document, Question
from cairn.surfaces.cli.steps import command
from cairn.surfaces.cli.text import say

PLAIN = Spelling({}, ask="use", up_to="{name} up to {value}", exactly="{name} {value}", step=command)
"""The words of a command that is no question: nothing that it takes lifts a limit."""


def spelling(question: Question, *, json: bool = False) -> Spelling:
    """The words of a question's commands."""
    options = options_of(question.parameters)
    names = {name: option for name, option in options.items() if not (json and name in UNNAMED)}
    return Spelling(names, ask=PLAIN.ask, up_to=PLAIN.up_to, exactly=PLAIN.exactly, step=PLAIN.step)


def sentences(notes: Iterable[Note], words: Spelling = PLAIN) -> list[str]:
    """What people read, safe for a terminal."""
    return [printable(worded(note, words)) for note in notes]


def warn(notes: Iterable[Note], words: Spelling = PLAIN) -> None:
    """Tell people what to know, beside the answer."""
    for sentence in sentences(notes, words):
        say(f"warning: {sentence}", error=True)


def texts(notes: Iterable[Note]) -> list[str]:
    """What JSON holds as sentences."""
    return [worded(note, PLAIN) for note in notes]


def note_fields(notes: Sequence[Note]) -> Document:
    """The part of a JSON answer that says what to know of it."""
    return envelope.note_fields(notes, PLAIN)
