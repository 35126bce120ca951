"""What a command prints: through the streams of whoever asked, and never half of it unseen."""

import contextlib
import os
from typing import TextIO

from cairn.base.errors import OutputError
from cairn.base.tally import tell_text
from cairn.surfaces.cli.console import current


def say(text: str, *, error: bool = False) -> None:
    """Print text and make sure that it got out; OutputError when it didn't.

    A closed stream and a reader that has seen enough are no errors.
    """
    here = current()
    target = here.err if error else here.out
    if target is None:
        return
    try:
        target.write(encodable(text, target))
        target.write("\n")
        target.flush()
        if not error:
            tell_text(f"{text}\n")
    except BrokenPipeError:
        silence(target)
    except OSError as failure:
        silence(target)
        raise unwritten(failure) from failure


def unwritten(failure: OSError) -> OutputError:
    """The error for output that the system doesn't take."""
    return OutputError(f"The output could not be written: {failure.strerror}.")


def encodable(text: str, target: TextIO) -> str:
    """The text with what a stream can't hold escaped."""
    encoding = target.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def silence(stream: TextIO) -> None:
    """Keep the interpreter from trying again, and complaining, when it exits."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
