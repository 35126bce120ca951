"""Text for terminals: nothing from a repository may act on the terminal it is shown on."""

import contextlib
import json
import os
import unicodedata
from typing import TextIO

from cairn.errors import OutputError
from cairn.surfaces.cli.console import current

# Cc: control; Cf: format, with the bidirectional overrides; Cs: lone surrogates; Zl, Zp: line breaks.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable(text: str) -> str:
    """The text with every character escaped that is not a plain visible one."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if unicodedata.category(character) not in _UNSAFE else ascii(character)[1:-1] for character in text
    )


def json_text(document: object) -> str:
    """One line of JSON in plain ASCII: valid in every encoding and harmless on every terminal."""
    return json.dumps(document).replace("\x7f", "\\u007f")


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
    except BrokenPipeError:
        silence(target)
    except OSError as failure:
        silence(target)
        raise unwritten(failure) from failure


def unwritten(failure: OSError) -> OutputError:
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


def human_bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1023.95:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
