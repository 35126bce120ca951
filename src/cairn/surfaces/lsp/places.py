"""EditorPlaces of answers as an editor's ranges: each is held against the text that the editor sees.

Answers are made over what the editor shows, so a name stands where they say. Where it doesn't all the same, since a
file changed meanwhile or calls the thing by another name, the place is left out: pointing beside it would be wrong.
"""

import os
from collections.abc import Mapping
from typing import Any

from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.positions import BYTE_ORDER_MARK, Position, Positions
from cairn.surfaces.lsp.session import DocumentFile, EditorSession

_NEAR = 20
"""How far from its line a name is looked for, first below: a signature may begin with decorators."""


class EditorPlaces:
    """The texts of one answer's files, each read once."""

    def __init__(self, session: EditorSession, root: str) -> None:
        self._session = session
        self._root = root
        self._data: dict[str, bytes | None] = {}
        self._known: dict[str, Positions] = {}

    def data(self, path: str) -> bytes | None:
        """A file as the editor sees it; None where it can't be read."""
        if path not in self._data:
            self._data[path] = self._session.text(os.path.join(self._root, path))
        return self._data[path]

    def positions(self, path: str) -> Positions | None:
        """A file's text, whose places are asked for; None where there is none to be read."""
        data = self.data(path)
        if data is not None and path not in self._known:
            self._known[path] = self._session.positions(os.path.join(self._root, path), data)
        return self._known.get(path)

    def _name(self, path: str, line: int, name: str, column: int | None = None) -> types.Range | None:
        """Where a name stands on a line. Mostly an editor's lines are ours, and then no other has to be looked at."""
        data = self.data(path)
        if data is None or line < 1:
            return None
        is_plain = b"\r" not in data and not data.startswith(BYTE_ORDER_MARK)
        if (text := self._known.get(path)) is None and is_plain:
            start = _start_of(data, line, name.encode())
            if start is None:
                return None
            end = data.find(b"\n", start)
            found = Positions(data[start : end if end >= 0 else None], self._session.encoding).name(1, name, column)
            ahead = line - 1
        else:
            text = text or self.positions(path)
            found, ahead = None if text is None else text.name(line, name, column), 0
        if found is None:
            return None
        (start, begin), (end, behind) = found
        return types.Range(types.Position(start + ahead, begin), types.Position(end + ahead, behind))

    def range_of(
        self, path: str, line: int, name: str, column: int | None = None, near: int = _NEAR
    ) -> types.Range | None:
        """Where a name stands, on its line or near it; None where it doesn't.

        Of a qualified name it is the last part that stands there, but for a constructor, which bears its class's name.
        """
        words = _words(name)
        found = self._name(path, line, words[0], column) if column is not None else None
        for step in range(near + 1):
            for word in words if not step else words[:1]:
                found = found or self._name(path, line + step, word)
                found = found or (self._name(path, line - step, word) if step else None)
        return found

    def calls(self, path: str, line: int, name: str) -> list[types.Range]:
        """Where a line calls what has this name."""
        text = self.positions(path)
        return [] if text is None else [_range(*each) for each in text.calls(line, _words(name))]

    def lines(self, path: str, first: int, last: int) -> types.Range | None:
        """Whole lines, without the end of the last one."""
        text = self.positions(path)
        return None if text is None else _range(*text.lines(first, last))

    def location(
        self, path: str, line: int, name: str, column: int | None = None, near: int = 0
    ) -> types.Location | None:
        """Where a name stands, with its file. The same name on another line would be something else."""
        found = self.range_of(path, line, name, column, near)
        return None if found is None else types.Location(self._session.uri(self._root, path), found)

    def definition(self, row: Mapping[str, Any]) -> types.Location | None:
        """Where the name of a definition stands."""
        return self.location(row["path"], row["line"], row["name"], row.get("column"))


def place_text(session: EditorSession, spot: DocumentFile, position: types.Position) -> str | None:
    """FILE:LINE:COLUMN of what an editor points at: the name there, or the one that ends there."""
    text = EditorPlaces(session, spot.root).positions(spot.path)
    if text is None:
        return None
    line, column = text.place(position.line, position.character)
    data, at = text.data, text.offset(position.line, position.character)
    if at and not _is_of_a_name(data[at : at + 1]) and _is_of_a_name(data[at - 1 : at]):
        column -= 1
    return f"{spot.path}:{line}:{column}"


def _start_of(data: bytes, line: int, name: bytes) -> int | None:
    """Where a line begins that holds a name; None where it doesn't. To look for the name is quicker than to count."""
    seen, counted, at = 1, 0, data.find(name) if name else -1
    while at >= 0:
        seen, counted = seen + data.count(b"\n", counted, at), at
        if seen >= line:
            return data.rfind(b"\n", 0, at) + 1 if seen == line else None
        at = data.find(name, data.find(b"\n", at) + 1 or len(data))
    return None


def _words(name: str) -> list[str]:
    """What of a qualified name stands in a text: its last part; the one before for a constructor."""
    return [*reversed(name.split("."))][:2]


def _is_of_a_name(byte: bytes) -> bool:
    return byte.isalnum() or byte in (b"_", b"$") or byte >= b"\x80"


def _range(start: Position, end: Position) -> types.Range:
    return types.Range(types.Position(*start), types.Position(*end))
