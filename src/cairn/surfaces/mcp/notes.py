"""Notes as tools tell them: a parameter is an argument, and each tool has its own."""

from collections.abc import Iterable, Mapping

from cairn.base.notes import Note
from cairn.codebase.wording import Spelling, worded
from cairn.surfaces.mcp.steps import call


def spelling(names: Mapping[str, str] | None = None, most: Mapping[str, int] | None = None) -> Spelling:
    """The spelling of a tool, by what its arguments are called and how far they go."""
    return Spelling(names or {}, up_to="{name}: {value}", exactly="{name}: {value}", most=most or {}, step=call)


PLAIN = spelling()
"""That of a tool without arguments that could lift a limit."""


def sentences(notes: Iterable[Note], words: Spelling = PLAIN) -> list[str]:
    """Notes in sentences."""
    return [worded(note, words) for note in notes]
