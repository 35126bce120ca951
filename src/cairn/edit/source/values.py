"""The values of an edit: what is asked for, places that are changed, places that stay open, and doubts."""

from collections.abc import Mapping
from typing import Any

from cairn.base.values import dataclass, field
from cairn.semantic.scope import NOTHING, RefreshScope
from cairn.workspace.exchange import NOT_THERE

RENAME, MOVE, SIGNATURE = "rename", "move", "signature"
"""The kinds of edits."""
OK, OK_SYNTACTIC, BLOCKED, NEEDS_DECISION, REFUSED = "ok", "ok_syntactic", "blocked", "needs_decision", "refused"
APPLICABLE = (OK, OK_SYNTACTIC)
SEMANTIC, SYNTACTIC, WRITTEN = "semantic", "syntactic", "text"
"""Where a fact comes from: a compiler's index, the syntax of one file, the bytes alone."""
PROVEN_ONLY, LIKELY_TOO, CODE_TOO, ALL_TOO, DOCS_TOO = "proven", "likely", "code", "all", "docs"
"""What a user can choose to change: each is the one before it and more, and `docs` goes with any of them."""
LADDER = (PROVEN_ONLY, LIKELY_TOO, CODE_TOO, ALL_TOO)
CHOICES = (*LADDER, DOCS_TOO)
FILE_TOO = "file"
"""Where it is offered: the file that is called after the thing gets its new name. It goes with any of the others."""
MODULE = "module"
"""The kind of what is nothing in a file, but the file itself."""
RISKS = ("low", "medium", "high")
AS_VALUE, AS_KEY, AS_EXPORTED = "as_value", "as_key", "as_exported"
"""`{ name }` becomes `{ name: new }` or `{ new: name }`, and `export { name }` `export { new as name }`."""
ANCHOR = 10
"""Characters that are looked at on each side of a place before it is changed."""


@dataclass(frozen=True, slots=True)
class EditRequest:
    """What somebody asks for: an edit of a kind, of what stands at a place."""

    kind: str
    path: str
    line: int
    """From 1."""
    column: int
    """In bytes, from 1."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What the kind takes beside the place, as JSON has it: `new_name` of a rename."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place to change, with its text and its surroundings; an insertion has no text."""

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
    """How the new name is written: by itself or, in a shorthand property, as the key or the value."""
    new: str | None = None
    """The text after the edit; None where it is the new name."""


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
    """The choice that includes it: `code` or `all`; empty if it can't be changed."""
    form: str = ""
    """How the new name is written there, as of a spot."""


@dataclass(frozen=True, slots=True)
class Mention:
    """The name in prose: never changed, but reported so that people can change it."""

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
    """A reason why the edit is not proven: a question, what would answer it, and how to find out."""

    code: str
    question: str
    needed: str
    verify: str


@dataclass(frozen=True, slots=True)
class Witness:
    """Why an edit is not let through, of bounded size: enough to resolve it without another request."""

    files_seen: int
    truncated: bool
    failed: tuple[str, ...]
    """Invariants that don't hold."""
    facts: tuple[Mapping[str, object], ...]
    checklist: tuple[Doubt, ...]
    refresh: RefreshScope = NOTHING
    """What to refresh before trying again."""
    may_force: bool = False
    """Whether the user may decide to let it through."""


@dataclass(frozen=True, slots=True)
class Construct:
    """A place that reads names while the program runs, or something outside of the tree, and can reach the thing."""

    path: str
    line: int
    kind: str
    shown: str
    """The line that it stands in."""
    why: str
    settles: str
    """What an answer about it is remembered by: it holds until this changes."""


@dataclass(frozen=True, slots=True)
class EditChoice:
    """One way to go on that the user can choose."""

    choice: str
    title: str
    risk: str
    spots: tuple[Spot, ...]
    moves: Mapping[str, str] = field(default_factory=dict)
    """Files that get another path."""


@dataclass(frozen=True, slots=True)
class EditDraft:
    """What an edit would do, as far as is known now."""

    status: str
    target: RenameTarget
    new_name: str
    spots: tuple[Spot, ...] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    """The hash of every file that the draft relies on: those to change, those that were examined, and NOT_THERE for
    those that are made."""
    opened: tuple[OpenPlace, ...] = ()
    mentions: tuple[Mention, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why it is refused or blocked."""
    witness: Witness | None = None
    candidates: tuple[EditChoice, ...] = ()
    constructs: tuple["Construct", ...] = ()
    """What reads names while the program runs and can reach the thing."""
    signature: str = ""
    """Identifies the doubts: equal doubts have equal signatures."""
    title: str = ""
    """What it does, in words; a rename's names say that."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that would be changed, in the order of their first place."""
        return tuple(dict.fromkeys(spot.path for spot in self.spots))

    @property
    def made(self) -> tuple[str, ...]:
        """The files that it would make."""
        return tuple(path for path, known in self.hashes.items() if known == NOT_THERE)
