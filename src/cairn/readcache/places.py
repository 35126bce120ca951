"""A file and lines of it, as people write them."""

import os
import re

_LINES = re.compile(r"(?P<path>.+):(?P<start>[0-9]{1,9})(?P<to>-(?P<end>[0-9]{0,9}))?", re.DOTALL)


def place_of(text: str) -> tuple[str, int | None, int | None]:
    """`FILE`, `FILE:A`, `FILE:A-` or `FILE:A-B`; a file whose own name looks like that is meant as it is."""
    match = _LINES.fullmatch(text)
    if match is None or os.path.exists(text):
        return text, None, None
    start = int(match["start"])
    if match["to"]:
        return match["path"], start, int(match["end"]) if match["end"] else None
    return match["path"], start, start
