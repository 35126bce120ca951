"""The uses of names in one file: comments and strings left out."""

from cairn.base.values import dataclass
from cairn.languages.registry import record_of
from cairn.syntax.occurrences import FileOccurrences, Occurrence


@dataclass(frozen=True, slots=True)
class Use:
    """One place of a name in code."""

    line: int
    """From 1."""
    column: int
    """Bytes from the start of the line."""
    name: str
    role: str
    """definition, import, call, write, type or read."""
    receiver: str
    """What stands before the dot, arrow or `::`; empty for a bare name."""
    within: str
    """The qualified name of the innermost function, method or class around it; empty at the top."""
    local: bool
    """A bare name that is bound inside a function or block, and means nothing outside of it."""
    keyword: bool = False
    """The name of a keyword argument or of a key: no use of a variable of that name."""
    bound: str = ""
    """Where a local name is bound: one text for one scope of the file. Empty for a parameter where it is declared."""
    shorthand: bool = False
    """Whether one word is a key and a variable (`{ name }`), as far as a snapshot tells."""


def scoped_language(language: str) -> bool:
    """Whether there are scope rules for a language: without them nothing is said to be local."""
    return record_of(language).scoping is not None


def uses_in(found: FileOccurrences) -> list[Use]:
    """Occurrences as uses, in order."""
    return [_use(found, one, within) for one, within in zip(found.occurrences, found.withins, strict=True)]


def _use(found: FileOccurrences, one: Occurrence, within: str) -> Use:
    meant = found.meaning(one)
    local = meant is not None and meant[1].local
    if one.parameter:
        return Use(one.line, one.column, one.name, one.role, one.receiver, within, local, one.keyword)
    bound = meant[0].place if meant is not None and local else ""
    return Use(one.line, one.column, one.name, one.role, one.receiver, within, local, one.keyword, bound)
