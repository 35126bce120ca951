"""Answers that stay within a number of bytes, as they go to the client."""

import json
from collections.abc import Callable
from typing import Any

from cairn.base.errors import UsageError

Answer = dict[str, Any]


def text_of(answer: Answer) -> str:
    """The JSON that a client gets: names on disk may hold bytes that are no text, what is sent is valid UTF-8."""
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace").decode()


def size_of(answer: Answer) -> int:
    """The bytes of an answer as it is sent."""
    return len(text_of(answer).encode())


def fitted(build: Callable[[int], Answer], count: int, most: int) -> Answer:
    """What `build` makes of as many items as there is room for.

    Always one at least, since an empty page would lead nowhere; UsageError where there is no room for it.
    """
    whole = build(count)
    if size_of(whole) <= most:
        return whole
    fewest = min(count, 1)
    best = build(fewest)
    least = size_of(best)
    if least > most:
        raise UsageError(f"max_bytes = {most} is too small for this answer.", hint=f"Give {least} or more.")
    low, high = fewest, count
    while high - low > 1:
        middle = (low + high) // 2
        found = build(middle)
        if size_of(found) <= most:
            low, best = middle, found
        else:
            high = middle
    return best
