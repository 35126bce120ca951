"""Reading a JSON text, with comments and trailing commas, into nodes that know where they stand."""

import json
import re
from typing import Any

from cairn.base.values import dataclass
from cairn.surfaces.agents.edits import EditError

_MAX_DEPTH = 100
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)")


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A key of an object with its value, and where both are in the text."""

    key: str
    start: int
    """Where the key's quote stands."""
    node: "JsonNode"
    comma: int | None
    """Where the comma behind it stands."""


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value, and where it is in the text."""

    value: Any
    start: int
    end: int
    members: tuple[JsonMember, ...] | None = None
    """The members of an object; None for anything else."""
    tail: int = 0
    """In an object: behind the last thing before the closing brace, be it a comment."""

    def member(self, key: str) -> JsonMember | None:
        """The member with a key; if several have it, the last one counts."""
        return next((each for each in reversed(self.members or ()) if each.key == key), None)


def read(text: str) -> JsonNode:
    """The node of the whole text; its value is None for a text with nothing in it."""
    return _Reader(text).document()


def space_at(text: str, start: int) -> str:
    """The white space from a position on."""
    found = _SPACE.match(text, start)
    return found.group() if found else ""


class _Reader:
    """A recursive descent over JSON with comments and trailing commas."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._mark = 0
        """Behind the last comment or token."""

    def document(self) -> JsonNode:
        self._skip()
        if self._at == len(self._text):
            return JsonNode(None, self._at, self._at)
        node = self._value(0)
        self._skip()
        if self._at != len(self._text):
            raise self._wrong("something stands behind its end")
        return node

    def _value(self, depth: int) -> JsonNode:
        if depth > _MAX_DEPTH:
            raise self._wrong(f"it is nested more than {_MAX_DEPTH} deep")
        start = self._at
        opened = self._text[start : start + 1]
        if opened == "{":
            return self._object(depth)
        if opened == "[":
            return self._array(depth)
        found = (_STRING if opened == '"' else _SCALAR).match(self._text, start)
        if found is None:
            raise self._wrong("a value was expected")
        try:
            value = json.loads(found.group())
        except ValueError as error:
            raise self._wrong("a value is malformed") from error
        self._step(found.end())
        return JsonNode(value, start, found.end())

    def _object(self, depth: int) -> JsonNode:
        start = self._at
        self._step(start + 1)
        members: list[JsonMember] = []
        values: dict[str, Any] = {}
        while True:
            self._skip()
            if self._next("}"):
                tail = self._mark
                self._step(self._at + 1)
                return JsonNode(values, start, self._at, tuple(members), tail)
            if members and members[-1].comma is None:
                raise self._wrong("a comma or a closing brace was expected")
            key_at = self._at
            found = _STRING.match(self._text, key_at)
            if found is None:
                raise self._wrong("a key in double quotes was expected")
            try:
                key: str = json.loads(found.group())
            except ValueError as error:
                raise self._wrong("a key is malformed") from error
            self._step(found.end())
            self._skip()
            if not self._next(":"):
                raise self._wrong("a colon was expected")
            self._step(self._at + 1)
            self._skip()
            node = self._value(depth + 1)
            comma = self._comma()
            # The last of several with one key counts, in its place.
            values.pop(key, None)
            values[key] = node.value
            members.append(JsonMember(key, key_at, node, comma))

    def _array(self, depth: int) -> JsonNode:
        start = self._at
        self._step(start + 1)
        values: list[Any] = []
        more = True
        while True:
            self._skip()
            if self._next("]"):
                self._step(self._at + 1)
                return JsonNode(values, start, self._at)
            if not more:
                raise self._wrong("a comma or a closing bracket was expected")
            values.append(self._value(depth + 1).value)
            more = self._comma() is not None

    def _comma(self) -> int | None:
        self._skip()
        if not self._next(","):
            return None
        comma = self._at
        self._step(comma + 1)
        return comma

    def _next(self, character: str) -> bool:
        return self._text.startswith(character, self._at)

    def _step(self, position: int) -> None:
        self._at = self._mark = position

    def _skip(self) -> None:
        while True:
            self._at += len(space_at(self._text, self._at))
            if self._next("//"):
                end = min(each for each in (*self._line_ends(), len(self._text)) if each >= 0)
                self._step(end)
            elif self._next("/*"):
                end = self._text.find("*/", self._at + 2)
                if end < 0:
                    raise self._wrong("a comment is not closed")
                self._step(end + 2)
            else:
                return

    def _line_ends(self) -> tuple[int, int]:
        return self._text.find("\n", self._at), self._text.find("\r", self._at)

    def _wrong(self, what: str) -> EditError:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - self._text.rfind("\n", 0, self._at)
        return EditError(f"it is not valid JSON: {what} (line {line}, column {column})")
