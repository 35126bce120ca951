"""Notes as tools tell them: a parameter is an argument, and each tool has its own."""

from collections.abc import Iterable, Mapping

from cairn.base.notes import Lift, Note
from cairn.codebase.wording import Spelling, worded
from cairn.surfaces.mcp.arguments import MAX_BYTES
from cairn.surfaces.mcp.steps import call

_ROUND = 1_000


def spelling(names: Mapping[str, str] | None = None, most: Mapping[str, int] | None = None) -> Spelling:
    """The spelling of a tool, by what its arguments are called and how far they go."""
    form = "{name}: {value}"
    return Spelling(names or {}, up_to=form, exactly=form, most=most or {}, step=call, is_compared=True)


PLAIN = spelling()
"""That of a tool without arguments that could lift a limit."""


def left_out(what: str, full: int, max_bytes: int, narrower: str) -> str:
    """Says that `max_bytes` cut an answer of so many bytes: the value that shows all, or else how to narrow it."""
    # What an answer says of itself grows by a few bytes from one call to the next.
    rounded = -(-full // _ROUND) * _ROUND
    fields = {"limit": max_bytes, "full_bytes": rounded, "what": what, "narrower": narrower}
    most = {MAX_BYTES.name: MAX_BYTES.most or rounded}
    words = spelling({MAX_BYTES.name: MAX_BYTES.name}, most)
    return worded(Note("answer_cut", fields, Lift(MAX_BYTES.name, rounded)), words)


def sentences(notes: Iterable[Note], words: Spelling = PLAIN) -> list[str]:
    """Notes in sentences."""
    return [worded(note, words) for note in notes]
