"""Answers: one envelope that says what it rests on, and the body of each question."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cairn.base.errors import ExitCode
from cairn.base.notes import Note
from cairn.base.ulid import new_ulid
from cairn.base.values import dataclass, field
from cairn.codebase.wording import Noted
from cairn.store.versions import writable

if TYPE_CHECKING:
    from cairn.base.errors import CairnError
    from cairn.graph.outline import Branch, Exact
    from cairn.graph.references import Reference, References
    from cairn.graph.symbols import Definition
    from cairn.search import Fitted, Unit
    from cairn.store import Manifest

ANSWER_VERSION = writable("search_json")
"""The version of every answer as JSON."""
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class AskedCodebase:
    """One of several codebases: the snapshot that answered, or the error because of which none did."""

    root: str
    manifest: "Manifest | None" = None
    changed: frozenset[str] = frozenset()
    """Cited files whose content is no longer what the snapshot holds."""
    freshness: Mapping[str, object] = field(default_factory=dict)
    error: "CairnError | None" = None
    limits_hit: tuple[str, ...] = ()
    """What cut its own part; that of a search is cut together with the others'."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def snapshot_id(self) -> str | None:
        """The snapshot that answered; None where none did."""
        return None if self.manifest is None else self.manifest.snapshot_id

    @classmethod
    def of(cls, root: str, answer: "Answer[Any]") -> "AskedCodebase":
        """One whose part is an answer of its own."""
        return cls(root, answer.manifest, answer.changed, answer.freshness, None, answer.limits_hit, answer.timings_ms)


@dataclass(frozen=True, slots=True)
class Answer(Noted, Generic[T_co]):
    """A body, and what one should know about it: of one codebase a snapshot that it is from, of several `codebases`.

    A report says what is also where no snapshot can answer.
    """

    value: T_co
    snapshot: "Manifest | None" = None
    root: str | None = None
    """The codebase that was asked, where that isn't said by the snapshot."""
    request_id: str = field(default_factory=new_ulid)
    cited: tuple[str, ...] = ()
    """Files that are named here."""
    changed: frozenset[str] = frozenset()
    """Those of them whose content is no longer what the snapshot holds."""
    gone: int = 0
    notes: tuple[Note, ...] = ()
    limits_hit: tuple[str, ...] = ()
    freshness: Mapping[str, object] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    codebases: tuple[AskedCodebase, ...] = ()
    within: tuple[str, ...] = ()
    """Folders and files that it keeps to, from the root on; none where it is about all of them."""
    exit_code: ExitCode = ExitCode.OK
    """What a command that asked ends with."""

    @property
    def manifest(self) -> "Manifest":
        """The snapshot of the only codebase that was asked."""
        if self.snapshot is None:
            raise AttributeError("several codebases answered, each from its own snapshot: see `codebases`")
        return self.snapshot

    @property
    def snapshot_id(self) -> str:
        """The snapshot that answered."""
        return self.manifest.snapshot_id

    @property
    def items(self) -> tuple[Any, ...]:
        """What the answer lists, where it lists something."""
        found = getattr(self.value, "items", ())
        return tuple(found) if isinstance(found, Sequence) else ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Any:
        return self.items[place]


@dataclass(frozen=True, slots=True)
class Found(Generic[T_co]):
    """What a search found, in order."""

    items: tuple[T_co, ...]
    query_fingerprint: str
    units: "tuple[Unit, ...]" = ()
    """With a budget: each result in all its forms."""
    fitted: "Fitted | None" = None
    """With a budget: the forms in which results are shown, through every door alike."""
    sources: tuple[AskedCodebase, ...] = ()
    """Of several codebases: that of each result."""
    engine: str = ""
    """Of lines: `text`, `linear` for the engine whose time grows with the text alone, `python`, or `linear, python`."""
    terms: Mapping[str, float] = field(default_factory=dict)
    """The words that were searched by, and what each is worth: the worthiest first."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """Definitions that bear a name, the likeliest first."""

    name: str
    definitions: "tuple[Definition, ...]"
    ids: tuple[str, ...]
    total: int
    otherwise: Mapping[str, int] = field(default_factory=dict)
    """Other spellings of the name that are defined too, and how often."""
    codes: tuple[str, ...] = ()
    """The lines of each, where they were asked for."""

    @property
    def items(self) -> "tuple[Definition, ...]":
        """The definitions."""
        return self.definitions

    @property
    def semantic(self) -> int:
        """How many of those that are shown a compiler's index has."""
        return sum(item.symbol.layer == "semantic" for item in self.definitions)


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A file that an answer speaks of, as the snapshot has it."""

    path: str
    file_hash: str


@dataclass(frozen=True, slots=True)
class CodeFindings(Generic[T_co]):
    """What a question about code found, with the files that it speaks of."""

    value: T_co
    paths: frozenset[str]
    limits_hit: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


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

    @classmethod
    def of(cls, found: "References", shown: "tuple[Reference, ...]", *, is_complete: bool) -> "Uses":
        """As much as is shown of what was found."""
        counted = (found.tiers, len(found.items), found.unresolved, found.elsewhere, found.layers)
        return cls(found.definitions, shown, *counted, is_complete)


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
