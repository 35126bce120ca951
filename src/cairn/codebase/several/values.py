"""What several codebases say to one question, each by its name."""

from collections.abc import Mapping

from cairn.base.errors import CairnError
from cairn.base.values import dataclass, field
from cairn.codebase.bodies import Told, Uses
from cairn.graph import Definition
from cairn.search import SearchHit, Unit
from cairn.store import Manifest


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the codebases: the snapshot that answered, or the error because of which none did."""

    root: str
    manifest: Manifest | None = None
    changed: frozenset[str] = frozenset()
    """Cited files whose content is no longer what the snapshot holds."""
    freshness: Mapping[str, object] = field(default_factory=dict)
    error: CairnError | None = None


@dataclass(frozen=True, slots=True)
class SeveralAnswer:
    """One order over the places of all codebases that answered."""

    request_id: str
    query_fingerprint: str
    codebases: tuple[Asked, ...]
    results: tuple[SearchHit, ...]
    sources: tuple[Asked, ...]
    """The codebase of each result."""
    units: tuple[Unit, ...] = ()
    warnings: tuple[str, ...] = ()
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


@dataclass(frozen=True, slots=True)
class SeveralDefinitions:
    """Definitions from all codebases that answered."""

    items: tuple[DefinitionIn, ...]
    errors: Mapping[str, CairnError]
    """Why a root did not answer."""
    warnings: tuple[str, ...] = ()
    limits_hit: tuple[str, ...] = ()
    snapshots: Mapping[str, str] = field(default_factory=dict)
    """The snapshot that each root answered from, whether or not it has such a definition."""


@dataclass(frozen=True, slots=True)
class SeveralUses:
    """Uses from all codebases that answered, each codebase's as it told them."""

    told: Mapping[str, Told[Uses]]
    """By root, in order."""
    errors: Mapping[str, CairnError]
    """Why a root did not answer."""
    warnings: tuple[str, ...] = ()
