"""Cutting a file into chunks by lines: the way for every text that has no better one."""

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
    chunks = []
    start = 0
    start_line = line = 1
    at = 0
    for text in _lines(data):
        if at > start and at + len(text) - start > size:
            chunks.append(_chunk(data, start, at, start_line, line - 1))
            start, start_line = at, line
        if len(text) > size:
            for left, right in _pieces(text, size):
                chunks.append(_chunk(data, at + left, at + right, line, line))
            start, start_line = at + len(text), line + 1
        at += len(text)
        line += 1
    if at > start:
        chunks.append(_chunk(data, start, at, start_line, line - 1))
    return chunks


def _lines(data: bytes) -> list[bytes]:
    """Lines end at newlines alone, as editors and diffs count them."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


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
