"""Setting and removing one table of a TOML text, with everything else left as it is.

A new table goes to the end, where it can't change what stands before it. The result is parsed and
compared with what was intended: any difference is refused.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cairn.base.values import dataclass
from cairn.surfaces.agents.edits import EditError

_ODD_FORM = "its table is written in a form that can't be edited safely"


@dataclass(frozen=True, slots=True)
class _Statement:
    """One header or assignment, over as many lines as it has; blank lines and comments are each one too."""

    first: int
    last: int
    header: tuple[str, ...] = ()
    key: str = ""


def parse(text: str) -> dict[str, Any]:
    """The document of a TOML text; EditError if it is invalid."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise EditError(f"it is not valid TOML: {error}") from error


def put(text: str, keys: Sequence[str], values: Mapping[str, Any], newline: str = "\n") -> str:
    """The text with these values in a table; other values of the table stay."""
    before = parse(text)
    there = _value_at(before, keys)
    if there is None:
        lead = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        after = text + lead + newline.join([f"[{_dotted(keys)}]", *_assignments(values)]) + newline
        there = {}
    else:
        after = _replaced(text, tuple(keys), values, newline)
    _require(after, _with(before, keys, {**there, **values}))
    return after


def take(text: str, keys: Sequence[str]) -> str:
    """The text without a table and those beneath it."""
    before = parse(text)
    if _value_at(before, keys) is None:
        return text
    lines = text.splitlines(keepends=True)
    gone: set[int] = set()
    pending: set[int] = set()
    inside = False
    for each in _statements(lines):
        if each.header:
            inside = each.header[: len(keys)] == tuple(keys)
        if not inside:
            pending = set()
            continue
        pending.update(range(each.first, each.last + 1))
        if each.header or each.key:
            # Comments between two of its lines are the table's; those behind the last belong to what follows.
            gone |= pending
            pending = set()
    if not gone:
        raise EditError(_ODD_FORM)
    first, behind = min(gone), max(gone) + 1
    if first and not lines[first - 1].strip() and not "".join(lines[behind : behind + 1]).strip():
        gone.add(first - 1)
    after = "".join(line for number, line in enumerate(lines) if number not in gone)
    _require(after, _without(before, keys))
    return after


def _replaced(text: str, keys: tuple[str, ...], values: Mapping[str, Any], newline: str) -> str:
    lines = text.splitlines(keepends=True)
    here: tuple[str, ...] = ()
    header_at, spans = -1, list[_Statement]()
    for each in _statements(lines):
        if each.header:
            here = each.header
            header_at = each.last if here == keys else header_at
        elif here == keys and each.key in values:
            spans.append(each)
    if header_at < 0:
        raise EditError(_ODD_FORM)
    if not lines[header_at].endswith("\n"):
        lines[header_at] += newline
    for each in reversed(spans):
        del lines[each.first : each.last + 1]
    # All of them stand behind the header, so its place is still right.
    lines[header_at + 1 : header_at + 1] = [line + newline for line in _assignments(values)]
    return "".join(lines)


def _statements(lines: Sequence[str]) -> Iterator[_Statement]:
    """A statement ends where what was read since its first line parses for the first time."""
    first = 0
    while first < len(lines):
        last = first
        while (found := _parsed("".join(lines[first : last + 1]))) is None:
            last += 1
            if last == len(lines):
                raise EditError(_ODD_FORM)
        if lines[first].lstrip().startswith("["):
            yield _Statement(first, last, header=_path(found))
        else:
            yield _Statement(first, last, key=next(iter(found), ""))
        first = last + 1


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def _path(found: Any) -> tuple[str, ...]:
    """The path of a header, from what it parses to by itself; an array of tables has one more step."""
    path: tuple[str, ...] = ()
    while found:
        if isinstance(found, list):
            return (*path, "[]")
        key = next(iter(found))
        path, found = (*path, key), found[key]
    return path


def _assignments(values: Mapping[str, Any]) -> list[str]:
    # A JSON string or list of strings is a TOML one too; DEL must be escaped there, which JSON doesn't do.
    return [
        f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f") for key, value in values.items()
    ]


def _dotted(keys: Sequence[str]) -> str:
    return ".".join(keys)


def _value_at(document: Any, keys: Sequence[str]) -> dict[str, Any] | None:
    for key in keys:
        if key not in document:
            return None
        document = document[key]
        if not isinstance(document, dict):
            raise EditError(f"its {key} is not a table")
    found: dict[str, Any] = document
    return found


def _with(document: dict[str, Any], keys: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    if not keys:
        return dict(values)
    return {**document, keys[0]: _with(document.get(keys[0], {}), keys[1:], values)}


def _without(document: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """Without the table, and without parents that only its header had named."""
    rest = {key: value for key, value in document.items() if key != keys[0]}
    if len(keys) == 1:
        return rest
    inner = _without(document[keys[0]], keys[1:])
    return {**rest, keys[0]: inner} if inner else rest


def _require(text: str, meant: dict[str, Any]) -> None:
    parsed = _parsed(text)
    if parsed is None or _filled(parsed) != _filled(meant):
        raise EditError(_ODD_FORM)


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    """A parent may stand there as an empty table of its own: it means nothing."""
    return {key: value for key, value in document.items() if value != {}}
