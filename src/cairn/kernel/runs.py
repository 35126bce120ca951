"""Runs of letters, digits and underscores: the one cut that terms and vectors both start from."""

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

V = TypeVar("V")

MAX_REMEMBERED = 300_000
REMEMBERED_CHARS = 80
# In UTF-8 no byte of a longer character is an ASCII byte, so a table of bytes can blank the separators.
_BLANKED = bytes(code if code >= 128 or chr(code).isalnum() or code == ord("_") else ord(" ") for code in range(256))


@lru_cache(maxsize=1024)
def runs(text: str) -> tuple[str, ...]:
    """What stands between white space and ASCII signs other than the underscore, in order.

    A run of ASCII alone is a word or nothing but underscores; any other may hold further signs.
    The last ones are kept: the terms of a file's chunks are asked for first, then their vectors.
    """
    return tuple(text.encode("utf-8", "surrogatepass").translate(_BLANKED).decode("utf-8", "surrogatepass").split())


class Remembered(dict[str, V], Generic[V]):
    """What a function makes of each run that was met: code repeats its names, so most are asked for again."""

    def __init__(self, make: Callable[[str], V], most: int = MAX_REMEMBERED) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, run: str) -> V:
        found = self._make(run)
        # Long runs are encoded data that seldom comes twice.
        if len(run) <= REMEMBERED_CHARS:
            if len(self) >= self._most:
                self.clear()
            self[run] = found
        return found
