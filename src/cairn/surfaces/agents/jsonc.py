"""Setting and removing one member of a JSON text, with comments and commas left where they are.

Parsing and dumping would lose comments, order and layout. So the text is read into nodes that know their
positions, and only the characters of the member itself are inserted or removed. The result is parsed again
and compared with what was intended; any difference is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cairn.surfaces.agents.edits import EditError
from cairn.surfaces.agents.jsonread import JsonMember, JsonNode, read, space_at

_DEFAULT_UNIT = "  "


def parse(text: str) -> Any:
    """The value of a JSON text with comments and trailing commas; None for a text with nothing in it."""
    return read(text).value


def put(text: str, keys: Sequence[str], value: Any, newline: str = "\n") -> str:
    """The text with the member at a path of keys set to a value; objects on the way are made."""
    root = read(text)
    if root.members is None:
        if text.strip():
            raise EditError("its top level is not an object")
        return _shown(_nested(keys, value), _DEFAULT_UNIT).replace("\n", newline) + newline
    node, rest = _descend(root, keys)
    found = node.member(rest[0])
    if found is not None:
        layout = _Layout(text, root, newline)
        after = text[: found.node.start] + layout.shown(value, found.start) + text[found.node.end :]
    else:
        after = _inserted(text, root, node, rest[0], _nested(rest[1:], value), newline)
    _require(after, _with(root.value, keys, value))
    return after


def append(text: str, keys: Sequence[str], item: Any, newline: str = "\n") -> str:
    """The text with an item more in the list at a path of keys; a list that isn't there is made."""
    node = _at(text, keys) if text.strip() else None
    if node is None:
        return put(text, keys, [item], newline)
    if not isinstance(node.value, list):
        raise EditError(f"its {'.'.join(keys)} is not a list")
    inside = text[node.start + 1 : node.end - 1]
    if not inside.strip():
        return put(text, keys, [item], newline)
    layout = _Layout(text, read(text), newline)
    last = node.start + 1 + len(inside.rstrip())
    gap = space_at(text, node.start + 1)
    # In a line of its own where the first one is.
    indent = gap.rpartition("\n")[2] if "\n" in gap else None
    shown = layout.in_line(item, False) if indent is None else layout.pretty(item, indent)
    comma = "" if text[last - 1] == "," else ","
    after = text[:last] + comma + (gap if indent is not None else " ") + shown + text[last:]
    root = read(text).value
    _require(after, _with(root, keys, [*node.value, item]))
    return after


def take(text: str, keys: Sequence[str], *, empty_parents: bool = False) -> str:
    """The text without the member at a path of keys; with `empty_parents` also what it leaves empty."""
    root = read(text)
    node, rest = _descend(root, keys)
    if node.members is None or len(rest) > 1 or node.member(rest[0]) is None:
        return text
    # A key that stands there twice must not come back with its first value.
    after = text
    while (current := _at(after, keys[:-1])) is not None and (member := current.member(rest[0])) is not None:
        after = _cut(after, current, member)
    _require(after, _without(root.value, keys))
    parents = keys[:-1]
    if empty_parents and parents and (above := _at(after, parents)) is not None and above.members == ():
        if above.tail == above.start + 1:  # a comment in it is the user's
            return take(after, parents, empty_parents=True)
    return after


def _at(text: str, keys: Sequence[str]) -> JsonNode | None:
    node = read(text)
    for key in keys:
        found = node.member(key)
        if found is None:
            return None
        node = found.node
    return node


def _descend(root: JsonNode, keys: Sequence[str]) -> tuple[JsonNode, Sequence[str]]:
    """The deepest object on the way that there is, and the keys from there on."""
    node = root
    for number, key in enumerate(keys[:-1]):
        found = node.member(key)
        if found is None:
            return node, keys[number:]
        node = found.node
        if node.members is None:
            raise EditError(f"its {json.dumps(key)} is not an object")
    return node, keys[-1:]


def _inserted(text: str, root: JsonNode, node: JsonNode, key: str, value: Any, newline: str) -> str:
    layout = _Layout(text, root, newline)
    members = node.members or ()
    one_line = "\n" not in text[node.start : node.end]
    if members and one_line:
        last = members[-1]
        tight = text[node.start + 1] not in " \t"
        shown = json.dumps(key) + (":" if tight else ": ") + layout.in_line(value, tight)
        gap = "" if tight else " "
        if last.comma is not None:
            return text[: last.comma + 1] + gap + shown + "," + text[last.comma + 1 :]
        return text[: last.node.end] + "," + gap + shown + text[last.node.end :]
    if members:
        indent = layout.indent_at(members[0].start) or layout.indent_of_line(node.end - 1) + layout.unit
    else:
        indent = layout.indent_of_line(node.start) + layout.unit
    shown = f"{newline}{indent}{json.dumps(key)}: {layout.pretty(value, indent)}"
    tail = node.tail
    if not members and one_line:
        closing = newline + layout.indent_of_line(node.start)
        return text[:tail] + shown + closing + text[node.end - 1 :]
    if members and members[-1].comma is None:
        end = members[-1].node.end
        return text[:end] + "," + text[end:tail] + shown + _closing(text, tail, node, layout)
    # Who ends the last member with a comma wants it behind ours too.
    return text[:tail] + shown + ("," if members else "") + _closing(text, tail, node, layout)


def _closing(text: str, tail: int, node: JsonNode, layout: "_Layout") -> str:
    """What follows the last member: the rest as it was, with the brace on a line of its own."""
    rest = text[tail : node.end - 1]
    return text[tail:] if "\n" in rest else layout.newline + layout.indent_of_line(node.start) + text[node.end - 1 :]


def _cut(text: str, node: JsonNode, member: JsonMember) -> str:
    members = node.members or ()
    index = members.index(member)
    start, end = member.start, member.node.end if member.comma is None else member.comma + 1
    line = text.rfind("\n", 0, start) + 1
    alone = not text[end : text.find("\n", end) + 1 or len(text)].strip()
    if line > node.start and not text[line:start].strip() and alone:
        start = line - (2 if text[: line - 1].endswith("\r") else 1)
    elif member.comma is not None:
        gap = space_at(text, end)
        end += len(gap) if "\n" not in gap else 0
    before, after = text[:start], text[end:]
    if member.comma is None and index > 0 and (comma := members[index - 1].comma) is not None:
        before = before[:comma] + before[comma + 1 :]
        if start == member.start:
            before = before.rstrip(" \t")
    if len(members) == 1 and not (before[node.start + 1 :] + after[: node.end - 1 - end]).strip():
        return before[: node.start + 1] + after[node.end - 1 - end :]
    return before + after


class _Layout:
    """How a text is laid out: its unit of indentation and its line ends."""

    def __init__(self, text: str, root: JsonNode, newline: str) -> None:
        self._text = text
        self.newline = newline
        first = self.indent_at(root.members[0].start) if root.members else None
        self.unit: Final = first or _DEFAULT_UNIT

    def indent_at(self, position: int) -> str | None:
        """The white space before a position that begins its line; None when it doesn't."""
        line = self._text.rfind("\n", 0, position) + 1
        before = self._text[line:position]
        return before if line and not before.strip(" \t") else None

    def indent_of_line(self, position: int) -> str:
        line = self._text.rfind("\n", 0, position) + 1
        found = re.compile(r"[ \t]*").match(self._text, line)
        return found.group() if found else ""

    def pretty(self, value: Any, indent: str) -> str:
        return _shown(value, self.unit).replace("\n", self.newline + indent)

    def in_line(self, value: Any, tight: bool) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else (", ", ": "))

    def shown(self, value: Any, start: int) -> str:
        """A value in the place of another: over several lines where its key begins a line."""
        indent = self.indent_at(start)
        return self.in_line(value, False) if indent is None else self.pretty(value, indent)


def _shown(value: Any, unit: str) -> str:
    """Objects over several lines, all else in one, as people write settings."""
    if not isinstance(value, Mapping) or not value:
        return json.dumps(value, ensure_ascii=False)
    lines = [f"{json.dumps(key, ensure_ascii=False)}: {_shown(each, unit)}" for key, each in value.items()]
    return "{\n" + ",\n".join(unit + line.replace("\n", "\n" + unit) for line in lines) + "\n}"


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _with(value: Any, keys: Sequence[str], new: Any) -> Any:
    if not keys:
        return new
    inner = value.get(keys[0]) if isinstance(value, Mapping) else None
    return {**(value or {}), keys[0]: _with(inner, keys[1:], new)}


def _without(value: Any, keys: Sequence[str]) -> Any:
    if len(keys) == 1:
        return {key: each for key, each in value.items() if key != keys[0]}
    return {**value, keys[0]: _without(value[keys[0]], keys[1:])}


def _require(text: str, meant: Any) -> None:
    if parse(text) != meant:
        raise EditError("it is laid out in a way that can't be edited safely")
