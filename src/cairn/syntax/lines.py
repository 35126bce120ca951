"""Cutting a file into chunks by lines: the way for every text that has no better one."""

from bisect import bisect_right
from functools import lru_cache

from cairn.syntax.facts import Chunk


@lru_cache(maxsize=1)
def line_starts(data: bytes) -> tuple[int, ...]:
    """Where each line begins; lines end at newlines alone, and there is an empty one behind the last.

    The last ones are kept: whoever asks about a file asks several times.
    """
    import numpy as np  # which a search for a text does without

    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
    return (0, *ends.tolist())


def chunk_lines(data: bytes, chunk_bytes: int, max_chunks: int) -> list[Chunk]:
    """Whole lines up to `chunk_bytes` each; a longer line is cut between characters.

    Packing may leave chunks half full; when that makes too many, larger ones are made. The size
    limit of eligible files guarantees that this ends.
    """
    size = chunk_bytes
    while True:
        chunks = _cut(data, size)
        if len(chunks) <= max_chunks:
            return chunks
        size *= 2


def _cut(data: bytes, size: int) -> list[Chunk]:
    # Lines end at newlines alone, as editors and diffs count them.
    ends = line_starts(data)[1:] if data.endswith(b"\n") or not data else (*line_starts(data)[1:], len(data))
    chunks: list[Chunk] = []
    start = line = 0
    while line < len(ends):
        following = bisect_right(ends, start + size, line)
        if following > line:
            chunks.append(_chunk(data, start, ends[following - 1], line + 1, following))
        else:
            following = line + 1
            for left, right in _pieces(data[start : ends[line]], size):
                chunks.append(_chunk(data, start + left, start + right, following, following))
        start, line = ends[following - 1], following
    return chunks


def _pieces(text: bytes, size: int) -> list[tuple[int, int]]:
    """Ranges of at most `size` bytes that split no UTF-8 character."""
    pieces = []
    left = 0
    while left < len(text):
        right = min(left + size, len(text))
        while right < len(text) and right > left + 1 and text[right] & 0xC0 == 0x80:
            right -= 1
        pieces.append((left, right))
        left = right
    return pieces


def _chunk(data: bytes, start: int, end: int, first: int, last: int) -> Chunk:
    return Chunk(data[start:end].decode("utf-8"), first, last, start, end)
