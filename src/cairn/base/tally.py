"""What was answered amid some work, gathered for whoever keeps count of it afterwards.

Answers are told where they are made and texts where they are said; without a listener both are forgotten.
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from cairn.base.values import dataclass, field


@dataclass(slots=True)
class Tally:
    """The questions that were answered, each with its answer, and how many bytes went out."""

    answers: list[tuple[str, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    goes_on: bool = False
    """Whether it is a further page of an answer, whose files were counted with its first."""


_LISTENS: ContextVar[Tally | None] = ContextVar("tally", default=None)


@contextlib.contextmanager
def tallied() -> Iterator[Tally]:
    """Gather what is answered and said within."""
    found = Tally()
    token = _LISTENS.set(found)
    try:
        yield found
    finally:
        _LISTENS.reset(token)


def tell_answer(question: str, answer: Any) -> None:
    """Tell that a question was answered."""
    listens = _LISTENS.get()
    if listens is not None:
        listens.answers.append((question, answer))


def tell_text(text: str) -> None:
    """Tell what is said to whoever asked."""
    listens = _LISTENS.get()
    if listens is not None:
        listens.texts.append(text)
