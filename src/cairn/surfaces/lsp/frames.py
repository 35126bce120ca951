"""Messages from a stream of bytes, as the protocol frames them: a head with the length, then that many bytes.

Whoever writes a wrong head is read on from the next one that is right; nothing is taken into memory on somebody's word
that it will be large.
"""

import re
from typing import BinaryIO

MOST_BYTES = 256 << 20
"""Of one message: documents come whole in them."""
_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,18})[ \t]*\r?\n?\Z", re.IGNORECASE)
_LONGEST_LINE = 1 << 16


class TooLongError(Exception):
    """A message that nobody can want to send: what follows it can't be made out."""


def next_frame(stream: BinaryIO) -> bytes | None:
    """The next message; None where the stream ends, in the middle of one too."""
    length = 0
    while True:
        line = stream.readline(_LONGEST_LINE)
        if not line:
            return None
        # What stands before it on the line is the rest of something whose length was wrong.
        if (found := _LENGTH.search(line)) is not None:
            length = int(found[1])
        elif length and not line.strip():
            break
    if length > MOST_BYTES:
        raise TooLongError(f"A message of {length} bytes is too long; {MOST_BYTES} are allowed.")
    body = stream.read(length)
    return body if len(body) == length else None
