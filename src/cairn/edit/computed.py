"""Names that a program composes: `getattr(self, f"visit_{kind}")` may ask for any name with that beginning."""

import re
from collections.abc import Callable, Iterable, Iterator

from cairn.edit.account import SourceFile
from cairn.edit.texts import FileText
from cairn.edit.values import Doubt
from cairn.semantic.contexts.families import Family, family_of

_SHORTEST = 3
_BOUNDARY = re.compile(r"(?<=[^_])(?=_)|(?<=_)(?=[^_])|(?<=[a-z0-9])(?=[A-Z])")
_BEFORE = rb"(?<=[\"'`])%s(?:\{|\$\{|%%[sd]|[\"'`]\s*[+%%])"
_MANGLED = rb"\b_[A-Za-z0-9]\w*?%s\b"
"""What Python makes of `__name` in a class: `_Class__name`."""
_BEHIND = rb"(?:\}|%%s|[+]\s*[\"'`])%s(?=[\"'`])"


def computed_doubts(
    name: str, family: Family | None, holding: Callable[[str], Iterable[SourceFile]]
) -> Iterator[Doubt]:
    """Places that compose a name from a part of this one. `holding` gives the files that may hold a text."""
    for part, form in _parts(name):
        written = re.compile(form % re.escape(part.encode()))
        for source in holding(part):
            found = written.search(source.data) if family_of(source.language) is family else None
            if found is not None:
                line, _ = FileText(source.data).place(found.start())
                yield Doubt(
                    "computed_name",
                    f"{source.path}:{line} makes a name out of {part} ({FileText(source.data).shown(line)}): "
                    f"may that be {name}?",
                    "the names that are made there",
                    "read the place",
                )
                return


def _parts(name: str) -> Iterator[tuple[str, bytes]]:
    """The beginnings and ends of a name that a program is likely to compose names with."""
    if name.startswith("__"):
        yield name, _MANGLED
    for match in _BOUNDARY.finditer(name):
        start, end = name[: match.start()], name[match.start() :]
        if len(start) >= _SHORTEST and start.strip("_"):
            yield start, _BEFORE
        if len(end) >= _SHORTEST and end.strip("_"):
            yield end, _BEHIND
