"""Code in texts that somebody may run: examples that doctest runs, and cells of notebooks."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_NOTEBOOK = ".ipynb"
_LITERAL = re.compile(rb'"(?:[^"\\]|\\.)*"')
_FIRST = re.compile(rb"[\s\"'rRuU]*>>>(?:\s|\Z)")
_NEXT = re.compile(rb"\s*\.\.\.(?:\s|\Z)")


def example_at(path: str, data: bytes, start: int) -> bytes:
    """An example and what is expected of it, from its beginning to the end of a place's line; empty if in none."""
    if path.endswith(_NOTEBOOK):
        return next((text for begin, end, text in _cells(data) if begin <= start < end), b"")
    begin, end = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", start)
    stop = end if end >= 0 else len(data)
    last = stop
    while not _FIRST.match(data, begin, last):
        if not begin or not data[begin:last].strip():
            return b""  # What is expected of an example ends with an empty line.
        last = begin - 1
        begin = data.rfind(b"\n", 0, last) + 1
    return data[begin:stop]


def is_answer(data: bytes, start: int) -> bool:
    """Whether a place in an example is in what is expected of it, and not in its code."""
    begin = data.rfind(b"\n", 0, start) + 1
    return not (_FIRST.match(data, begin, start) or _NEXT.match(data, begin, start))


@lru_cache(maxsize=8)
def _cells(data: bytes) -> tuple[tuple[int, int, bytes], ...]:
    """The texts of a notebook's code, each with where it stands in the file."""
    code = set(_code(data))
    return tuple((each.start(), each.end(), each[0]) for each in _LITERAL.finditer(data) if each[0] in code)


def _code(data: bytes) -> Iterator[bytes]:
    try:
        notebook = json.loads(data)
    except ValueError:
        return
    cells: Any = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            said = cell.get("source", "")
            for text in said if isinstance(said, list) else [said]:
                for plain in (True, False):
                    yield json.dumps(text, ensure_ascii=plain).encode("utf-8", "surrogatepass")
