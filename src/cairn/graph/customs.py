"""What the customs of its language let a name mean, and what kinds of names there are."""

from functools import cache

from cairn.languages.customs import Customs
from cairn.languages.registry import record_of

FIELDS = frozenset({"constant", "field", "property", "variable"})
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl")


@cache
def customs_of(language: str) -> Customs:
    """The customs of a language, by its name."""
    return record_of(language).customs


@cache
def family(language: str) -> str:
    """Languages that call each other's names."""
    return record_of(language).family


@cache
def calls_apart(language: str) -> bool:
    """Whether a variable hides no method of its name: what is called is never a variable."""
    scoping = record_of(language).scoping
    return scoping is not None and scoping.called_apart


def is_header(path: str) -> bool:
    """Whether a file is a header of C or C++."""
    return path.endswith(_HEADERS)
