"""Which names an import statement gives to a file.

A binding is what is asked for and the name it has here. Statements are short and their notations
few, so their own words are enough; a statement that isn't understood binds nothing, and what it
would have bound stays unresolved.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

EVERYTHING = "*"


class Binding(NamedTuple):
    """`name` is asked for ("" is the module itself, "*" all that it offers) and is called `local` here."""

    name: str
    local: str


Rule = Callable[[str, str, str], Iterable[Binding]]
"""(statement, source, what stands on the line before the statement) -> what one source of the statement binds."""


def everything(_statement: str, _source: str, _before: str) -> Iterable[Binding]:
    """An import that binds all names of what it names."""
    return [Binding(EVERYTHING, EVERYTHING)]


def last_part(statement: str, source: str, _before: str) -> Iterable[Binding]:
    """Java and its kin: a path whose last part is the name; a star asks for all."""
    text = statement.strip().rstrip(";").strip()
    if text.endswith((".*", "._")):
        return [Binding(EVERYTHING, EVERYTHING)]
    match = re.search(r"\s(?:as|=>)\s*(\w+)$", text)
    last = re.split(r"[.\\/]", source)[-1]
    return [Binding("", match[1] if match else last)]


def renamed(part: str, sign: str = r"\bas\b") -> Binding:
    """`name`, or `name as local`."""
    if (name := part.strip()).isidentifier():
        return Binding(name, name)
    pieces = [piece.strip() for piece in re.split(sign, part, maxsplit=1)]
    return Binding(pieces[0], pieces[-1] or pieces[0])
