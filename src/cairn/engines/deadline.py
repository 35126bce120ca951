"""A deadline for calls that have none of their own."""

import threading
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")


class TooLateError(OSError):
    """No answer within the deadline."""


def within(seconds: float, work: Callable[[], R]) -> R:
    """The result of the work; TooLateError if it takes too long.

    The work then goes on in a thread that nobody waits for, not even at the end of the process. So it must be work
    that may stay half done.
    """
    done: list[R] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where the work was asked for
            raised.append(error)

    thread = threading.Thread(target=run, name="cairn-deadline", daemon=True)
    thread.start()
    thread.join(seconds)
    for error in raised:
        raise error
    if not done:
        raise TooLateError(f"no answer within {seconds:g} s")
    return done[0]
