"""Answers about the structure of code, as values that say what they rest on."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cairn.base.notes import Note
from cairn.base.values import dataclass, field
from cairn.codebase.wording import Noted

if TYPE_CHECKING:
    from cairn.graph.outline import Branch, Exact
    from cairn.graph.references import Reference
    from cairn.graph.symbols import Definition
    from cairn.store import Manifest

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class CodeAnswer(Noted, Generic[T_co]):
    """A value from one snapshot, and what one should know about it."""

    value: T_co
    manifest: "Manifest"
    request_id: str
    cited: tuple[str, ...] = ()
    """Files that are named here."""
    changed: frozenset[str] = frozenset()
    """Those of them whose content is no longer what the snapshot holds."""
    gone: int = 0
    notes: tuple[Note, ...] = ()
    limits_hit: tuple[str, ...] = ()
    freshness: dict[str, object] = field(default_factory=dict)
    timings_ms: dict[str, float] = field(default_factory=dict)

    @property
    def snapshot_id(self) -> str:
        """The snapshot that answered."""
        return self.manifest.snapshot_id

    @property
    def items(self) -> tuple[Any, ...]:
        """What the answer lists, where it lists something."""
        return tuple(getattr(self.value, "items", ()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Any:
        return self.items[place]


@dataclass(frozen=True, slots=True)
class Symbols:
    """Definitions that bear a name, the likeliest first."""

    name: str
    definitions: "tuple[Definition, ...]"
    ids: tuple[str, ...]
    total: int
    otherwise: Mapping[str, int] = field(default_factory=dict)
    """Other spellings of the name that are defined too, and how often."""

    @property
    def items(self) -> "tuple[Definition, ...]":
        """The definitions."""
        return self.definitions

    @property
    def semantic(self) -> int:
        """How many of those that are shown a compiler's index has."""
        return sum(item.symbol.layer == "semantic" for item in self.definitions)


@dataclass(frozen=True, slots=True)
class Uses:
    """Uses of a definition, as many as were asked for, and how many of each tier there are in all."""

    definitions: "tuple[Definition, ...]"
    items: "tuple[Reference, ...]"
    tiers: Mapping[str, int]
    total: int
    unresolved: int
    """Uses of which nothing but the name is known."""
    elsewhere: int
    """Uses of the name that are surely something else."""
    layers: Mapping[str, int] = field(default_factory=dict)
    """How many of them a compiler's index tells, and how many syntax alone."""
    complete: bool = True
    """Whether all files that may hold the name were looked at: otherwise every number here is the least."""


@dataclass(frozen=True, slots=True)
class FileOutline:
    """What a file defines, as a tree; with a budget, how much of it was left out."""

    path: str
    language: str
    branches: "tuple[Branch, ...]"
    left_out: int = 0
    full_tokens: int = 0
    exact: "Exact | None" = None

    @property
    def items(self) -> "tuple[Branch, ...]":
        """What the file defines, from the top down."""
        from cairn.graph.outline import walk

        return tuple(branch for _, branch in walk(self.branches if self.exact is None else self.exact.branches))
