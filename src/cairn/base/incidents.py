"""What comes up amid some work and whoever asked for it should know.

It is told where it happens, and said where the work ends.
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from cairn.base.notes import Note

_HEARD: ContextVar[list[Note] | None] = ContextVar("incidents", default=None)


@contextlib.contextmanager
def incidents() -> Iterator[list[Note]]:
    """The notes that are told within, each once; where the work fails, whoever listens around it hears them instead."""
    heard: list[Note] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    except BaseException:
        _HEARD.reset(token)
        for note in heard:
            tell_incident(note)
        raise
    _HEARD.reset(token)


def tell_incident(note: Note) -> None:
    """Tell something to whoever listens nearest."""
    heard = _HEARD.get()
    if heard is not None and note not in heard:
        heard.append(note)
