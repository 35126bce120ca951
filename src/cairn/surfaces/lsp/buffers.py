"""The documents that an editor has open, as it sees them: every change applied as the protocol says.

Lines end where the protocol says and not at everything that Python takes for an end of line (form feeds among them),
and a change costs what it touches. One wrong offset would make all that follows wrong.
"""

import os
import re
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from cairn.surfaces.lsp.positions import BYTE_ORDER_MARK, Position, PositionEncoding, Positions, index_of

MOST_BYTES = 8 << 20
"""Larger documents are left alone: an index holds none of them either."""
_ENDS = re.compile(r"\r\n|\n|\r")
_HALVES = re.compile("[\ud800-\udfff]")


class BufferChange(NamedTuple):
    """Some text in the place of what stands between two positions, or of all."""

    text: str
    start: Position | None = None
    end: Position | None = None


class Buffer:
    """One open document. Its text is made of lines, so that a change costs what it touches and not the whole."""

    def __init__(self, uri: str, text: str, version: int, language: str, encoding: PositionEncoding) -> None:
        self.uri = uri
        self.path = path_of(uri)
        """The file that it is of; None for an untitled one and for what lies in no file system."""
        self.real = None if self.path is None else _real(self.path)
        """The same without links on the way; the last step may be one, which has a name of its own in the index."""
        self.language = language
        """As the editor names it."""
        self.version = version
        self.encoding = encoding
        self._lines: list[str] = []
        self._size = 0
        """How many characters it has."""
        self._set(_sound(text))
        self._lost_mark = not text.startswith("\ufeff") and self.path is not None and _is_marked(self.path)
        self._text: str | None = None
        self._data: bytes | None = None
        self._guard = threading.RLock()

    @property
    def is_large(self) -> bool:
        """Whether it has become so large that nothing of it is kept; until all of its text comes anew."""
        return not self._lines

    @property
    def text(self) -> str:
        """All of it; nothing of a large one."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def data(self) -> bytes:
        """All of it, as it would be saved: the same object until it is changed. Something as large of a large one."""
        with self._guard:
            if self._data is None:
                mark = BYTE_ORDER_MARK if self._hides_mark else b""
                self._data = mark + self.text.encode() if not self.is_large else _large()
            return self._data

    @property
    def _hides_mark(self) -> bool:
        """Whether the file begins with a byte order mark that the editor keeps to itself."""
        return self._lost_mark and not self.is_large and not self._lines[0].startswith("\ufeff")

    def positions(self, data: bytes | None = None) -> Positions:
        """Its places; those in `data` where that is what Cairn was given of it."""
        return Positions(self.data if data is None else data, self.encoding, counts_mark=not self._hides_mark)

    def apply(self, changes: Iterable[BufferChange], version: int | None = None) -> None:
        """Do what the editor did; nobody sees a part of it."""
        with self._guard:
            self._text = self._data = None
            if version is not None:
                self.version = version
            for change in changes:
                self._change(change)

    def _change(self, change: BufferChange) -> None:
        text = _sound(change.text)
        if change.start is None or change.end is None:
            self._set(text)
            return
        if self.is_large:
            return
        (first, left), (last, right) = sorted((self._at(*change.start), self._at(*change.end)))
        # The lines on both sides are cut anew as well: an end of line may be joined or split there.
        begin, end = max(first - 1, 0), min(last + 2, len(self._lines))
        before = "".join(self._lines[begin:first]) + self._lines[first][:left]
        after = self._lines[last][right:] + "".join(self._lines[last + 1 : end])
        cut = _cut(before + text + after)
        if end < len(self._lines):
            cut.pop()  # what follows the last end of line is the line that is there already
        self._size += sum(map(len, cut)) - sum(map(len, self._lines[begin:end]))
        self._lines[begin:end] = cut
        if self._size > MOST_BYTES:
            self._lines = []

    def _set(self, text: str) -> None:
        self._size = len(text)
        self._lines = _cut(text) if self._size <= MOST_BYTES else []

    def _at(self, line: int, character: int) -> tuple[int, int]:
        """A line and where in it: the last or the first place for one that there isn't."""
        if line < 0:
            return 0, 0
        if line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return line, index_of(self._lines[line].rstrip("\r\n"), character, self.encoding)


class Buffers:
    """All open documents. Changes and questions may come from threads of their own."""

    def __init__(self, encoding: PositionEncoding = PositionEncoding.UTF16) -> None:
        self.encoding = encoding
        self._guard = threading.Lock()
        self._open: dict[str, Buffer] = {}
        self._by_file: dict[str | None, Buffer] = {}

    def opened(self, uri: str, text: str, version: int = 0, language: str = "") -> None:
        """The editor shows a document; what it has of it counts from now on."""
        buffer = Buffer(uri, text, version, language, self.encoding)
        with self._guard:
            self._open[uri] = buffer
            self._note_files()

    def changed(self, uri: str, changes: Iterable[BufferChange], version: int | None = None) -> None:
        """The editor's user has typed; changes of a document that isn't open are nobody's."""
        with self._guard:
            buffer = self._open.get(uri)
            if buffer is None:
                return
            buffer.apply(changes, version)

    def closed(self, uri: str) -> None:
        """The editor shows a document no longer: what was not saved of it is gone."""
        with self._guard:
            self._open.pop(uri, None)
            self._note_files()

    def _note_files(self) -> None:
        """Of several documents of a file the first counts."""
        self._by_file = {each.real: each for each in reversed(self._open.values())}

    def get(self, uri: str) -> Buffer | None:
        """An open document."""
        return self._open.get(uri)

    def at(self, real: str) -> Buffer | None:
        """The open document of a file, by whatever links the editor came to it."""
        return self._by_file.get(real)

    def texts(self) -> dict[str, bytes]:
        """What files hold in the editor, by their paths."""
        with self._guard:
            return {each.path: each.data for each in self._open.values() if each.path is not None}

    def __iter__(self) -> Iterator[Buffer]:
        with self._guard:
            return iter(tuple(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)


def path_of(uri: str) -> str | None:
    """The path of a file's URI; None for any other."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path, errors="surrogateescape")
    return os.path.normpath(path) if path.startswith("/") and "\0" not in path else None


def _real(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def _is_marked(path: str) -> bool:
    try:
        # A pipe of that name would keep everybody waiting.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    except (OSError, ValueError):
        return False


@cache
def _large() -> bytes:
    return bytes(MOST_BYTES + 1)


def _cut(text: str) -> list[str]:
    """Lines with their ends; the last one has none, and may be empty."""
    ends = [0, *(found.end() for found in _ENDS.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def _sound(text: str) -> str:
    """A text without halves of characters, which no file can hold: what stands in for one is as wide in UTF-16."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)
