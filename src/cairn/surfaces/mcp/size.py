"""Answers that stay within a number of bytes."""

import json
from collections.abc import Sequence
from typing import Any

_TAIL = 400
"""Room for what says how to go on."""


def size_of(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def fitted(head: dict[str, Any], items: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """As many as there is room for; always one, cut where it must be, since an empty page would lead nowhere."""
    room = most - size_of(head) - _TAIL
    kept: list[dict[str, Any]] = []
    for item in items:
        room -= size_of(item) + 2
        if room < 0 and kept:
            break
        if room < 0 and "snippet" in item:
            item = item | {"snippet": "", "snippetCut": True}
        kept.append(item)
    return kept
