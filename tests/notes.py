"""Notes as a test reads them: in the sentences of the command line."""

from collections.abc import Iterable
from typing import Protocol

from cairn.base.notes import Note
from cairn.base.steps import worded_hint
from cairn.codebase.wording import Spelling, worded
from cairn.questions.registry import QUESTIONS
from cairn.surfaces.cli.notes import PLAIN

NAMES = {each.name: each.option for question in QUESTIONS for each in question.parameters}
SPELLING = Spelling(NAMES, ask=PLAIN.ask, up_to=PLAIN.up_to, exactly=PLAIN.exactly, step=PLAIN.step)


class Noted(Protocol):
    @property
    def notes(self) -> tuple[Note, ...]: ...


def said(answer: Noted) -> tuple[str, ...]:
    """What an answer says of itself."""
    return sentences(answer.notes)


def sentences(notes: Iterable[Note]) -> tuple[str, ...]:
    return tuple(worded(note, SPELLING) for note in notes)


def command_hint(hint: str) -> str:
    """A hint as the command line says it."""
    return worded_hint(hint, PLAIN.step)
