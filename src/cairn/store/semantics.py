"""What a semantic segment holds: the facts of one context, as an indexer gave them, and what they were made from.

Lines count from 1, columns are bytes from the start of their line, and a range's end is the first place behind it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from cairn.base.values import dataclass

SEMANTIC = "semantic"
DEFINITION, IMPORT, WRITE = 1, 2, 4
"""Bits of an occurrence's roles, as SCIP has them."""
IMPLEMENTATION, REFERENCE, TYPE_DEFINITION = "implementation", "reference", "type_definition"
"""Kinds of relationships: what a symbol overrides or implements, is also found by, or has for a type."""


@dataclass(frozen=True, slots=True)
class SemanticMeta:
    """Where the facts of a segment come from."""

    context: str
    job_id: str
    tool: str = ""
    tool_version: str = ""
    config_hash: str = ""
    """Of the context's manifests: facts under other settings are not mixed with these."""
    head: str | None = None


class SemanticFile(NamedTuple):
    """A file whose facts a segment holds."""

    path: str
    content_hash: str
    """Of the content that the facts are about: they are served while the file has it."""
    job_id: str
    """The job that gave them; an older one than the segment's where only a part was refreshed."""


class SemanticSymbol(NamedTuple):
    """A symbol as a compiler's index knows it."""

    number: int
    symbol: str
    """As the indexer calls it; `local N` is one only within its file."""
    name: str
    kind: str
    home: str = ""
    """The file of a local symbol."""
    signature: str = ""


class SemanticOccurrence(NamedTuple):
    """One place of one symbol."""

    line: int
    column: int
    end_line: int
    end_column: int
    symbol: int
    roles: int

    @property
    def defines(self) -> bool:
        """Whether the symbol is defined here."""
        return bool(self.roles & DEFINITION)

    @property
    def imports(self) -> bool:
        """Whether the symbol is imported here."""
        return bool(self.roles & IMPORT)


class SemanticFlag(NamedTuple):
    """A place where a name may mean several things."""

    line: int
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was recorded of a file beside its occurrences."""

    content_hash: str
    dependencies: Mapping[str, str]
    """Files that it depends on, each with what it showed to others then; empty where that is unknown."""
    flags: tuple[SemanticFlag, ...] = ()
