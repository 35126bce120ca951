"""A settings file changed by one key, with everything else in it as it was: comments, order, blank lines.

The file is changed as lines and the result is parsed: where it doesn't say what was meant, as with a key in an inline
table, nothing is changed and whoever asked is told to edit the file by hand.
"""

import json
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import RefusedError
from cairn.base.steps import Advice, NextStep

Document = dict[str, Any]


def with_value(text: str, section: str, name: str, value: Any) -> str:
    """The text of a file in which a key has a value."""
    before = document_of(text)
    lines = text.splitlines(keepends=True)
    written = f"{name} = {toml(value)}"
    span = _span(lines, section, name)
    if span is not None:
        first, last = span
        comment = _comment("".join(lines[first:last])) if last == first + 1 else ""
        lines[first:last] = [f"{written}{comment}\n"]
    else:
        head = _head(lines, section)
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        if head is None:
            lines += [*(["\n"] if lines and lines[-1].strip() else []), f"[{section}]\n", f"{written}\n"]
        else:
            lines.insert(_end(lines, head), f"{written}\n")
    before.setdefault(section, {})[name] = value
    return _confirmed("".join(lines), before, f"{section}.{name}")


def without_value(text: str, section: str, name: str) -> str:
    """The text of a file in which a key has no value; as it is where it had none."""
    before = document_of(text)
    if name not in before.get(section, {}):
        return text
    lines = text.splitlines(keepends=True)
    span = _span(lines, section, name)
    if span is not None:
        del lines[span[0] : span[1]]
    del before[section][name]
    return _confirmed("".join(lines), before, f"{section}.{name}")


def document_of(text: str) -> Document:
    """What a file says; ValueError for what is no TOML."""
    import tomllib

    return tomllib.loads(text)


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str):
        # Both write a text alike but for one character, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _confirmed(text: str, expected: Document, key: str) -> str:
    try:
        if _filled(document_of(text)) == _filled(expected):
            return text
    except ValueError:
        pass
    raise RefusedError(
        f"{key} is written in a way that can't be changed from here.",
        hint=Advice(NextStep("edit_settings"), " by hand."),
    )


def _filled(document: Document) -> Document:
    """A section without keys says nothing."""
    return {name: table for name, table in document.items() if table != {}}


def _head(lines: Sequence[str], section: str) -> int | None:
    """The line that begins a section."""
    return next((at for at, line in enumerate(lines) if _begins(line) == section), None)


def _begins(line: str) -> str | None:
    """The name of the section that a line begins; None if it begins none."""
    word = line.strip()
    if not word.startswith("[") or word.startswith("[["):
        return None
    name, closed, rest = word[1:].partition("]")
    return name.strip().strip("\"'") if closed and (not rest.strip() or rest.strip().startswith("#")) else None


def _end(lines: Sequence[str], head: int) -> int:
    """Where a key is added to a section: after its last line that says something."""
    last = head
    for at in range(head + 1, len(lines)):
        if _begins(lines[at]) is not None:
            break
        if lines[at].strip():
            last = at
    return last + 1


def _span(lines: Sequence[str], section: str, name: str) -> tuple[int, int] | None:
    """The lines of a key with its value."""
    head = _head(lines, section)
    if head is None:
        return None
    for first in range(head + 1, len(lines)):
        if _begins(lines[first]) is not None:
            return None
        key, assigned, _ = lines[first].partition("=")
        if not assigned or key.strip().strip("\"'") != name:
            continue
        for last in range(first + 1, len(lines) + 1):
            try:
                document_of("".join(lines[first:last]))
            except ValueError:
                continue
            return first, last
    return None


def _comment(line: str) -> str:
    """The comment behind a value, with the blanks before it."""
    line = line.rstrip("\r\n")
    for at, character in enumerate(line):
        if character == "#":
            try:
                document_of(line[:at])
            except ValueError:
                continue
            value = line[:at].rstrip()
            return line[len(value) :]
    return ""
