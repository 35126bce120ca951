"""A rename as values: what is changed, what is known not to be meant, and what nobody can tell."""

from collections.abc import Mapping

from cairn.base.values import dataclass, field
from cairn.semantic.scope import NOTHING, RefreshScope

OK, OK_SYNTACTIC, BLOCKED, NEEDS_DECISION, REFUSED = "ok", "ok_syntactic", "blocked", "needs_decision", "refused"
APPLICABLE = (OK, OK_SYNTACTIC)
SEMANTIC, SYNTACTIC, WRITTEN = "semantic", "syntactic", "text"
"""Where a fact comes from: a compiler's index, the syntax of one file, the bytes alone."""
AS_VALUE, AS_KEY = "as_value", "as_key"
"""`{ name }` becomes `{ name: new }` or `{ new: name }`."""
ANCHOR = 10
"""Characters that are looked at on each side of a place before it is changed."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place that is changed, with what it and its neighbourhood hold."""

    path: str
    line: int
    """From 1."""
    column: int
    """Bytes from the start of the line."""
    text: str
    before: str
    after: str
    provenance: str
    form: str = ""
    """How the new name is written: by itself, or, for what is a property and its value in one, as one of the two."""


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """A place that may be meant: neither proven to be, nor proven not to be."""

    path: str
    line: int
    column: int
    why: str
    shown: str
    """The line that it stands in."""
    choice: str = ""
    """Which choice takes it along: `code` or `all`; empty for what is no place to change."""


@dataclass(frozen=True, slots=True)
class Mention:
    """The name in prose: never changed, told so that people can."""

    path: str
    line: int
    column: int
    tier: str
    where: str
    shown: str


@dataclass(frozen=True, slots=True)
class RenameTarget:
    """What is to be renamed."""

    name: str
    kind: str
    symbol: str
    """As the index calls it; for a local name its file and scope."""
    context: str
    path: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that keeps the edit from being proven: a question, what would answer it, and how to find that out."""

    code: str
    question: str
    needed: str
    verify: str


@dataclass(frozen=True, slots=True)
class Witness:
    """Why an edit does not go through, within bounds: enough to resolve it without asking again."""

    files_seen: int
    truncated: bool
    failed: tuple[str, ...]
    """Invariants that don't hold."""
    facts: tuple[Mapping[str, object], ...]
    checklist: tuple[Doubt, ...]
    refresh: RefreshScope = NOTHING
    """What to refresh before trying again."""
    may_force: bool = False
    """Whether a choice of the user lets it through."""


@dataclass(frozen=True, slots=True)
class RenameChoice:
    """One way to go on, to be chosen by the user."""

    choice: str
    title: str
    risk: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class RenameDraft:
    """What a rename would do, by what is known now."""

    status: str
    target: RenameTarget
    new_name: str
    spots: tuple[Spot, ...] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    """Content of every file that the draft rests on: those that are changed, and those that were looked at."""
    opened: tuple[OpenPlace, ...] = ()
    mentions: tuple[Mention, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why it is refused or blocked."""
    witness: Witness | None = None
    candidates: tuple[RenameChoice, ...] = ()
    signature: str = ""
    """What the doubt is about: the same doubt again has the same one."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that would be changed, in the order of their first place."""
        return tuple(dict.fromkeys(spot.path for spot in self.spots))
