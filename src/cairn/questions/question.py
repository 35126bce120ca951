"""What a question is: a frozen declaration from which every door is derived."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, Protocol

from cairn.base.errors import ExitCode, UsageError
from cairn.base.notes import Note
from cairn.base.tally import tell_answer
from cairn.base.values import dataclass, field, replace
from cairn.questions.fields import answered_by, joined, schema_of
from cairn.questions.narrowing import WITHIN, why_empty, within_meant
from cairn.questions.parameters import Parameter, Schema, Values
from cairn.questions.tuning import Tuning

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.several import Codebases
    from cairn.indexing.progress import Progress
    from cairn.questions.plain_text import Plain

Document = dict[str, Any]
Body = Mapping[str, object]
"""The fields of one question, as the TypedDict that its document function returns declares them."""
Brought = tuple[bool, list[Note]]
"""Whether a codebase was brought up to date, and what to say of it."""
Subject = Literal["codebase", "several", "file", "changes", "home"]
"""What is asked: one codebase by a path in it, several by their roots, that of a file, that of some changed files, or
everything beneath Cairn's home."""


class Standpoint(Protocol):
    """Where whoever asks stands."""

    def at(self, path: str) -> str:
        """A path as it is meant from there."""
        ...

    def read_mode(self, *, asked_for: bool) -> str:
        """How stores are read here, in words."""
        ...


class Host(Standpoint, Protocol):
    """Where a question is asked: the process of the user, or a daemon that keeps codebases open."""

    def opened(self, path: str, shared_store: str | None = None) -> "AbstractContextManager[Codebase]":
        """The codebase of a path, for one question."""
        ...

    def brought(self, codebase: "Codebase", sync: "Callable[[Codebase], Brought]") -> Brought:
        """Run a sync of a codebase, or take part in one that others run."""
        ...

    def progress(self) -> "AbstractContextManager[Progress | None]":
        """Who hears how far a sync is."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One codebase that was brought up to date, and who asks."""

    codebase: "Codebase"
    host: Standpoint
    synced: bool = False
    offline: bool = False
    """Whether the user wants no daemon to be asked."""
    within: tuple[str, ...] = ()
    """Folders and files beneath the root that the answer keeps to, from the root on."""
    snapshot_id: str | None = None
    """The snapshot of an earlier page, which answers in place of the active one."""
    progress: "Callable[[], AbstractContextManager[Progress | None]]" = nullcontext
    """Who hears how far the index of a commit is that has none yet."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question: what it takes, how it is asked, and what the answer holds."""

    name: str
    summary: str
    """What the answer shows, as a phrase: "where something is defined"."""
    parameters: tuple[Parameter, ...]
    ask: Callable[[Any, Values], Any]
    """The answer of one codebase, given as Asked; a question about the home is given None."""
    document: Callable[[Any, Values], Body]
    """The body of an answer: its own fields, which the TypedDict that it returns declares."""
    example: str = ""
    subject: Subject = "codebase"
    ask_several: "Callable[[Codebases, Values], Any] | None" = None
    document_several: Callable[[Any, Values], Body] | None = None
    found: Callable[[Any], object] | None = None
    """What an answer of a search or a lookup has found: where that is nothing, a command ends with the code for it."""
    creates: bool = False
    """Whether an index is made where there is none; the others answer what is indexed already."""
    gated: bool = True
    """Whether the codebase has to pass its gates: a report tells why it doesn't."""
    syncs: bool = True
    """Whether what is indexed is brought up to date first."""
    require: Callable[[Values, "Callable[[str], str]"], None] | None = None
    """Refuses values that don't go together, before any work is done; it is given how a door spells names."""
    single: Callable[[Values], str] | None = None
    """The parameter because of which only one codebase can be asked; empty where there is none."""
    commands: Mapping[str, tuple[str, Values]] | None = None
    """Commands that ask it, each with its phrase and the values that it stands for; None: one of its own name."""
    tool: str = ""
    """The name of the tool that agents ask it by; empty where they have none."""
    tool_text: str = ""
    """When an agent should ask it, and what it gets."""
    plain: "Callable[[Document, Values], Plain] | None" = None
    """The body as one compact text, made from the document: for models, and for whoever reads a pipe."""
    tuning: Tuning = field(default_factory=Tuning)
    """How the tool's arguments differ from the parameters."""
    pictures: bool = False
    """Whether the answer can be drawn as a graph."""
    listings: Mapping[str, str] = field(default_factory=dict)
    """Bare lines for another program that the command line can give in place of the answer, each with its help."""
    formats: Mapping[str, Callable[[Document], str]] = field(default_factory=dict)
    """Reports that other tools take in, each written from the document."""

    @property
    def schema(self) -> Schema:
        """What the whole document holds: what every answer says of itself, and its body."""
        from cairn.questions.head import Envelope

        return joined(schema_of(Envelope), schema_of(answered_by(self.document)))

    def bounded(self, note: Note, values: Values) -> Note:
        """A note whose lift goes as far as the parameter does; without one where it goes no further."""
        if note.lift is None:
            return note
        return note.within(self.parameter(note.lift.parameter).bounded(values).most)

    def answer(self, asked: "Asked | Codebases | None", values: Values) -> Any:
        """The answer of one codebase or of several, in which notes know how far a parameter goes."""
        revision, remote = values.get("at"), values.get("remote")
        if revision is None and remote is None:
            return self._answer(asked, values)
        if not isinstance(asked, Asked):
            raise UsageError("A commit, or a remote's snapshot, is one of a single codebase.", hint="Name one.")
        if remote is not None:
            from cairn.codebase.remotely import at_remote

            with at_remote(asked.codebase, remote) as codebase:
                return self._answer(replace(asked, codebase=codebase, synced=False), values)
        assert revision is not None
        from cairn.codebase.atcommit import at_commit

        with at_commit(asked.codebase, revision, asked.progress) as codebase:
            found = self._answer(replace(asked, codebase=codebase), values)
            return replace(
                found, freshness={"synced": False, "checked": "commit", "moved": False, "commit": codebase.commit}
            )

    def _answer(self, asked: "Asked | Codebases | None", values: Values) -> Any:
        ask: Any = self.ask if asked is None or isinstance(asked, Asked) else self.ask_several
        if isinstance(asked, Asked):
            meant = within_meant(values, asked.codebase, asked.host)
            asked = replace(asked, within=(*asked.within, *meant)) if meant else asked
        found = ask(asked, values)
        if self.gated:  # a report about the index costs nobody a file
            tell_answer(self.name, found)
        own: dict[str, Any] = {"within": asked.within if isinstance(asked, Asked) else ()}
        notes = found.notes
        if self.found is not None and not self.found(found):
            own["exit_code"] = ExitCode.NOTHING
        if (
            isinstance(asked, Asked)
            and asked.within
            and not values.get("at")
            and (not found.cited or "exit_code" in own)
        ):
            notes = (*notes, *why_empty(asked.codebase, asked.within))
        return replace(found, notes=tuple(self.bounded(note, values) for note in notes), **own)

    def only_one(self, values: Values) -> str:
        """The parameter because of which only one codebase can be asked; empty where there is none."""
        if own := next((name for name in (WITHIN, "at", "remote") if values.get(name)), ""):
            return own
        return "" if self.single is None else self.single(values)

    def parameter(self, name: str) -> Parameter:
        """One of its parameters."""
        return next(each for each in self.parameters if each.name == name)
