"""What several codebases say to one question, each by its name."""

from collections.abc import Mapping
from itertools import islice

from cairn.base.values import dataclass, field
from cairn.codebase.bodies import Answer, Uses
from cairn.graph.references import Reference
from cairn.graph.symbols import Definition


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
class SeveralDefinitions:
    """Definitions from all codebases that answered."""

    items: tuple[DefinitionIn, ...]
    total: int = 0
    otherwise: Mapping[str, int] = field(default_factory=dict)
    """Other spellings of the name that are defined too, and how often."""


@dataclass(frozen=True, slots=True)
class SeveralUses:
    """Uses from all codebases that answered, each codebase's as it told them."""

    answers: Mapping[str, Answer[Uses]]
    """By root, in order."""
    limit: int | None = None

    @property
    def items(self) -> tuple[tuple[str, Answer[Uses], Reference], ...]:
        """The uses that are shown, each with its root and that codebase's answer."""
        every = ((root, answer, use) for root, answer in self.answers.items() for use in answer.value.items)
        return tuple(islice(every, self.limit))

    @property
    def total(self) -> int:
        """How many uses there are in all."""
        return sum(answer.value.total for answer in self.answers.values())
