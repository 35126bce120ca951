"""What was read of a segment, kept for the next question up to a bound."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class KnownParts(Generic[K, T]):
    """What was read under some keys, such as the numbers of files."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._known: dict[K, T] = {}

    def of(self, keys: Sequence[K], read: Callable[[list[K]], Iterable[tuple[K, T]]]) -> dict[K, T]:
        """All that is known, and that of some keys for certain, unless there is nothing of them."""
        known = self._known
        missing = [key for key in keys if key not in known]
        if len(known) + len(missing) > self._bound:
            # Never emptied: another thread may be reading it.
            known, missing = {}, list(keys)
            if len(missing) <= self._bound:
                self._known = known
        if missing:
            known.update(read(missing))
        return known
