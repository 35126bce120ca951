"""The newest text of every line that a model was given of one file, as spans of versions.

A model that was given a whole file and then some lines of a later version has a mixture before it, which may never
have been on the disk. Only that mixture may be called unchanged, or be the old side of a diff. Pure, like the trust
machine that keeps it.
"""

import hashlib

from cairn.base.values import dataclass
from cairn.readcache.meta import LAST_LINE, range_of


@dataclass(frozen=True, slots=True)
class GivenLines:
    """Lines whose newest text is that of one version; the last span of a whole file has no end."""

    start: int
    end: int
    hash: str


Newest = tuple[GivenLines, ...]


def lines_of(scope: str) -> tuple[int, int]:
    """The first and last line of a scope; the whole file goes on to the last number there is."""
    return range_of(scope) or (1, LAST_LINE)


def overlaid(spans: Newest, scope: str, version: str) -> Newest:
    """Spans after the lines of a scope were given in a version."""
    start, end = lines_of(scope)
    before = [GivenLines(each.start, min(each.end, start - 1), each.hash) for each in spans if each.start < start]
    after = [GivenLines(max(each.start, end + 1), each.end, each.hash) for each in spans if each.end > end]
    found: list[GivenLines] = []
    for each in (*before, GivenLines(start, end, version), *after):
        last = found[-1] if found else None
        if last is not None and last.hash == each.hash and last.end + 1 == each.start:
            found[-1] = GivenLines(last.start, each.end, each.hash)
        else:
            found.append(each)
    return tuple(found)


def within(spans: Newest, scope: str) -> Newest:
    """The spans of a scope's lines; empty if any line of them was never given."""
    start, end = lines_of(scope)
    found = tuple(
        GivenLines(max(each.start, start), min(each.end, end), each.hash)
        for each in spans
        if each.start <= end and start <= each.end
    )
    at = start
    for each in found:
        if each.start != at:
            return ()
        at = each.end + 1
    return found if at == end + 1 else ()


def identity(spans: Newest) -> str:
    """The hash under which a log names spans: the version's own where there is only one; else one of the mixture."""
    if len({each.hash for each in spans}) == 1:
        return spans[0].hash
    return hashlib.sha256(";".join(f"{each.start}:{each.end}:{each.hash}" for each in spans).encode()).hexdigest()
