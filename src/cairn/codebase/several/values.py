"""What several codebases say to one question, each by its name."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from cairn.base.errors import CairnError
from cairn.base.notes import Note
from cairn.base.values import dataclass, field
from cairn.codebase.bodies import CodeAnswer, Uses
from cairn.codebase.wording import Noted
from cairn.graph import Definition, Reference
from cairn.search import SearchHit, Unit
from cairn.store import Manifest


@dataclass(frozen=True, slots=True)
class AskedCodebase:
    """One of the codebases: the snapshot that answered, or the error because of which none did."""

    root: str
    manifest: Manifest | None = None
    changed: frozenset[str] = frozenset()
    """Cited files whose content is no longer what the snapshot holds."""
    freshness: Mapping[str, object] = field(default_factory=dict)
    error: CairnError | None = None
    limits_hit: tuple[str, ...] = ()
    """What cut its own part; that of a search is cut together with the others'."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, root: str, answer: CodeAnswer[Any]) -> "AskedCodebase":
        """One whose part is an answer of its own."""
        manifest, changed, freshness = answer.manifest, answer.changed, answer.freshness
        return cls(root, manifest, changed, freshness, None, answer.limits_hit, answer.timings_ms)


@dataclass(frozen=True, slots=True)
class SeveralAnswer(Noted):
    """One order over the places of all codebases that answered."""

    request_id: str
    query_fingerprint: str
    codebases: tuple[AskedCodebase, ...]
    results: tuple[SearchHit, ...]
    sources: tuple[AskedCodebase, ...]
    """The codebase of each result."""
    units: tuple[Unit, ...] = ()
    notes: tuple[Note, ...] = ()
    limits_hit: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DefinitionIn:
    """A definition, with the codebase and the snapshot that it was read from."""

    root: str
    snapshot_id: str
    path: str
    definition: Definition
    changed_since: bool
    id: str = ""


@dataclass(frozen=True, slots=True)
class SeveralDefinitions(Noted):
    """Definitions from all codebases that answered."""

    request_id: str
    items: tuple[DefinitionIn, ...]
    codebases: tuple[AskedCodebase, ...]
    notes: tuple[Note, ...] = ()
    limits_hit: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    total: int = 0
    otherwise: Mapping[str, int] = field(default_factory=dict)
    """Other spellings of the name that are defined too, and how often."""


@dataclass(frozen=True, slots=True)
class SeveralUses(Noted):
    """Uses from all codebases that answered, each codebase's as it told them."""

    request_id: str
    answers: Mapping[str, CodeAnswer[Uses]]
    """By root, in order."""
    codebases: tuple[AskedCodebase, ...]
    notes: tuple[Note, ...] = ()
    limits_hit: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    limit: int | None = None

    @property
    def items(self) -> tuple[tuple[str, CodeAnswer[Uses], Reference], ...]:
        """The uses that are shown, each with its root and that codebase's answer."""
        every = ((root, answer, use) for root, answer in self.answers.items() for use in answer.value.items)
        return tuple(islice(every, self.limit))

    @property
    def total(self) -> int:
        """How many uses there are in all."""
        return sum(answer.value.total for answer in self.answers.values())
