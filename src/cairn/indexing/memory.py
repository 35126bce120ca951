"""How much memory an index may take: a setting, shared out between the process that writes and those that parse.

One half is the writer's, which holds what it will write of a segment until that is finished; so a segment takes in
less text where there is less memory. The other half is the workers': what each needs follows from the largest file that
it has, and no file is given out before there is room for it. The system holds each to that: a parser that wants more
dies of it, and its file is cut by lines like any that a grammar can't bear.
"""

import contextlib
import os
import resource

from cairn.base import system
from cairn.base.errors import ConfigError

VARIABLE = "CAIRN_MEMORY_MB"
LEAST_MB = 512
"""With less, what the interpreter and its libraries take in each process would not fit."""
MOST_BYTES = 2 << 30
"""What is taken without a setting, where the machine has four times as much."""
_MB = 1 << 20
_WORKER_BYTES = 96 * _MB
"""What a worker remembers of words and pieces, and takes for small files."""
_OF_FILE = 512
"""What a parser may take for each byte of a file: more than twice what dense code needs."""
_OF_SEGMENT = 4
"""What the writer needs, for each byte of text in a segment."""
_SEGMENTS = 32
"""However little memory there is, a snapshot has to hold the segments of the whole tree."""


def memory_limit() -> int:
    """The bytes that all processes of an index may take together: the setting, else a quarter of the machine."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return max(LEAST_MB * _MB, min(machine // 4, MOST_BYTES))
    if not (given.isascii() and given.isdigit() and len(given) < 12 and int(given) >= LEAST_MB):
        raise ConfigError(
            f"{VARIABLE} is {given!r}, which is no number of megabytes from {LEAST_MB} on.",
            hint=f"Set it to a larger number, or unset it to use a quarter of the machine's memory, at most "
            f"{MOST_BYTES // _MB}.",
        )
    return int(given) * _MB


def workers_room(limit: int) -> int:
    """What all workers may take together."""
    return limit // 2


def need_of(largest: int, room: int) -> int:
    """What a worker may take, beyond what it inherits, for files of which the largest has so many bytes."""
    return min(_WORKER_BYTES + _OF_FILE * largest, room)


def segment_bytes(limit: int, total: int) -> int:
    """How much text a segment may take in, where there are so many bytes of it in all."""
    return max(limit // 2 // _OF_SEGMENT, -(-total // _SEGMENTS))


def data_bytes() -> int:
    """What this process has taken, as the system counts it for `keep_within`; 0 where it doesn't tell."""
    return system.memory_pages(5)


def keep_within(size: int) -> None:
    """Let this process have so many bytes in all, and no more; nothing where the system has no such limit."""
    with contextlib.suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))
