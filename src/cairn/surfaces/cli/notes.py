"""Notes and steps as the command line tells them: a parameter is an option here, and a step a command."""

import shlex
from collections.abc import Iterable, Sequence

from cairn.base.notes import Note
from cairn.base.steps import NextStep
from cairn.base.text import printable
from cairn.base.values import replace
from cairn.codebase.wording import Spelling, worded
from cairn.questions import envelope
from cairn.questions.parameters import options_of
from cairn.questions.question import Document, Question
from cairn.surfaces.cli.text import say

COMMANDS = {
    "help": "cairn --help",
    "index": "cairn index",
    "index_first": "cairn index",
    "index_folder": "cairn index {0}",
    "index_shared": "cairn index --shared-store FOLDER",
    "preview": "cairn index --dry-run",
    "preview_folder": "cairn index --dry-run {0}",
    "reindex": "cairn index --reindex",
    "index_degraded": "cairn index --allow-degraded",
    "migrate": "cairn engine migrate --to {0}",
    "repair": "cairn repair",
    "upgrade": "cairn upgrade-store",
    "compact": "cairn compact",
    "clear": "cairn clear",
    "clear_all": "cairn clear --yes",
    "collect": "cairn gc --force",
    "collect_stores": "cairn gc --stores",
    "stores": "cairn stores",
    "status": "cairn status",
    "settings": "cairn config",
    "edit_settings": "cairn config edit",
    "contexts": "cairn contexts",
    "refresh": "cairn refresh",
    "jobs": "cairn jobs",
    "job": "cairn jobs {0}",
    "edits": "cairn rename --list",
    "move": "cairn move {0}",
    "rename": "cairn rename {0}",
    "importers": "cairn imports {0}",
    "undo": "cairn rename --undo {0}",
    "recover": "cairn rename --recover",
    "recover_with": "CAIRN_ENGINE={0} cairn rename --recover",
    "open_session": "cairn session open",
    "add_remote": "cairn remote add NAME ADDRESS",
    "push_askable": "cairn push --askable",
    "push_askable_again": "cairn push --askable --again",
}


def command(step: NextStep) -> str:
    """The step as a command to run."""
    words = shlex.join(step.argument.split("\n"))
    return f"run `{COMMANDS[step.action].format(words)}`"


PLAIN = Spelling({}, ask="use", up_to="{name} up to {value}", exactly="{name} {value}", step=command)
"""The words of a command that is no question: nothing that it takes lifts a limit."""


def spelling(question: Question, *, json: bool = False) -> Spelling:
    """The words of a question's commands."""
    return replace(PLAIN, names=options_of(question.parameters), is_compared=json)


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
