"""ULIDs, sortable by time and strictly growing where they are asked to: ids of snapshots, jobs, runs and edits."""

import os
import time

from cairn.base import lazy

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUE = {character: number for number, character in enumerate(_ALPHABET)}
_PATTERN = lazy.expression(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_RANDOM_BITS = 80
_BYTES = 16


def is_ulid(text: str) -> bool:
    """Whether a text has the form of a ULID."""
    return _PATTERN.fullmatch(text) is not None


def new_ulid(after: str | None = None) -> str:
    """An id of now; greater than `after` even when the clock went back."""
    value = (time.time_ns() // 1_000_000) << _RANDOM_BITS | int.from_bytes(os.urandom(_RANDOM_BITS // 8))
    if after is not None:
        value = max(value, _decode(after) + 1)
    return _encode(value)


def made_ms(ulid: str) -> int:
    """When an id was made, in milliseconds since 1970."""
    return _decode(ulid) >> _RANDOM_BITS


def packed(ulid: str) -> bytes:
    """An id in its 16 bytes."""
    return _decode(ulid).to_bytes(_BYTES)


def unpacked(data: bytes) -> str:
    """The id that 16 bytes are."""
    return _encode(int.from_bytes(data))


def _encode(value: int) -> str:
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def _decode(text: str) -> int:
    value = 0
    for character in text:
        value = value << 5 | _VALUE[character]
    return value
