"""All that Cairn knows of one language, as one value."""

from cairn.base.values import dataclass
from cairn.languages.grammar import Grammar


@dataclass(frozen=True, slots=True)
class Language:
    """One language; what it doesn't say of itself is as in most languages."""

    name: str
    grammar: Grammar | None = None
    """How it is parsed; None where its files are only divided into lines."""
