"""Ask a question: find the codebase, bring it up to date, ask, and describe the answer. The same for every door."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base.errors import (
    BusyError,
    CairnError,
    CancelledError,
    CorruptStoreError,
    IncompatibleError,
    NotIndexedError,
    RequiresReindexError,
    StorageError,
    UsageError,
)
from cairn.base.incidents import incidents
from cairn.base.notes import Note
from cairn.base.shortage import cause_of
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass, replace
from cairn.codebase.wording import PYTHON, Spelling
from cairn.config.user import cairn_home
from cairn.questions.narrowing import git_top
from cairn.questions.parameters import Spell, Values, by_name, checked
from cairn.questions.question import Asked, Brought, Document, Host, Question

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase

_PATIENCE_S = 1.0


@dataclass(frozen=True, slots=True)
class Where:
    """Which codebase is asked, or which of them."""

    path: str = "."
    roots: tuple[str, ...] = ()
    all: bool = False
    shared_store: str | None = None

    @property
    def is_several(self) -> bool:
        """Whether the answer is one of several codebases: what was asked decides that, not what is there."""
        return self.all or len(self.roots) > 1

    @property
    def one(self) -> str:
        """A path of the only codebase."""
        return self.roots[0] if self.roots else self.path


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, with what the sync before it had to say."""

    question: Question
    values: Values
    answer: Any
    notes: tuple[Note, ...]

    @property
    def is_several(self) -> bool:
        """Whether several codebases were asked, each of which the answer tells of."""
        return bool(self.answer.codebases)

    @property
    def root(self) -> str:
        """The codebase that paths of the answer begin at; empty where they begin at the top."""
        answer = self.answer
        return "" if self.is_several or answer.snapshot is None else str(answer.root or answer.snapshot.canonical_root)

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """What to know of the sync and of the answer."""
        return (*self.notes, *(note for note in self.answer.notes if note not in self.notes))

    def document(self, spelling: Spelling | None = None) -> Document:
        """The whole answer as JSON: what it rests on, then what it says; sentences are in the words of a surface."""
        from cairn.questions.envelope import envelope

        several = self.question.document_several if self.is_several else None
        body = (several or self.question.document)(self.answer, self.values)
        return envelope(self.answer, self.all_notes, body, spelling or replace(PYTHON, is_compared=True))


def values_of(question: Question, given: Mapping[str, Any], spell: Spell = by_name, *, sized: bool = True) -> Values:
    """What was given, checked by the declaration; UsageError for values that don't go together."""
    values = checked(question.parameters, given, spell, sized=sized)
    if question.require is not None:
        question.require(values, lambda name: spell(question.parameter(name)))
    return values


def ask(
    question: Question, values: Values, host: Host, where: Where, *, sync: bool = True, offline: bool = False
) -> Answered:
    """The answer to a question whose values were checked."""
    try:
        with incidents() as heard:
            answered = _ask(question, values, host, where, sync=sync, offline=offline)
        return replace(answered, notes=(*heard, *answered.notes)) if heard else answered
    except FileNotFoundError as error:
        if is_in_a_store(str(error.filename or ""), where.shared_store):
            raise store_gone() from error
        raise


def store_gone() -> CairnError:
    """Why a file of a store is not there: Cairn's home can't be made, or another process was at work."""
    home = cairn_home()
    try:
        os.makedirs(home, 0o700, exist_ok=True)
    except OSError as error:
        return StorageError(
            f"Cairn's home {home} can't be made: {error.strerror}.",
            hint="Set CAIRN_HOME to a folder that you may write to, or unset it.",
        )
    return BusyError("The store was removed or replaced by another process meanwhile.")


def is_in_a_store(path: str, shared_store: str | None = None) -> bool:
    """Whether a path is one of Cairn's own, and not one of the tree."""
    places = (cairn_home(), *((os.path.abspath(shared_store),) if shared_store else ()))
    return any(path == place or path.startswith(place + os.sep) for place in places)


def _ask(question: Question, values: Values, host: Host, where: Where, *, sync: bool, offline: bool) -> Answered:
    if where.is_several:
        return _ask_several(question, values, host, where, sync=sync)
    if question.subject == "home":
        return Answered(question, values, question.answer(None, values), ())
    with host.opened(where.one, where.shared_store) as codebase:
        if question.gated and not question.creates:
            require_readable(codebase, host)
        bring = sync and question.syncs and values.get("remote") is None
        if (revision := values.get("at")) is not None:
            from cairn.codebase.atcommit import git_of

            git_of(codebase).commit_of(revision)
            # A commit rests on nothing that a sync would bring.
            bring = bring and not codebase.is_indexed()
        synced, notes = brought(codebase, host, create=question.creates) if bring else (False, [])
        answer = question.answer(Asked(codebase, host, synced, offline, progress=host.progress), values)
    return Answered(question, values, answer, tuple(notes))


def _ask_several(question: Question, values: Values, host: Host, where: Where, *, sync: bool) -> Answered:
    from cairn.codebase.several import Codebases, known_roots

    if question.ask_several is None:
        raise UsageError("This question is one for a single codebase.", hint="Name one.")
    if where.shared_store is not None:
        raise UsageError(
            "A shared store holds one codebase, so it can't be asked together with others.",
            hint="Leave the shared store (or CAIRN_SHARED_STORE) out, or ask that codebase alone.",
        )
    roots, notes = known_roots() if where.all else (where.roots, [])
    with Codebases([host.at(root) for root in roots], host.opened) as codebases:
        if sync:
            codebases.sync(partial(_bring_one, host=host, create=question.creates))
        answer = question.answer(codebases, values)
    return Answered(question, values, answer, tuple(notes))


def _bring_one(codebase: "Codebase", *, host: Host, create: bool) -> Brought:
    if not create:
        require_readable(codebase, host)
    return brought(codebase, host, create=create)


def require_readable(codebase: "Codebase", host: Host) -> None:
    """The gates; where there is no index, the command that mends it names the codebase if the user stands elsewhere."""
    root = codebase.root.path
    try:
        codebase.require_readable()
    except NotIndexedError as error:
        if f"{os.path.realpath(host.at('.'))}/".startswith(f"{root.rstrip('/')}/"):
            raise
        hint = Advice("Name a path of a codebase that is indexed, or ", NextStep("index_folder", root), " first.")
        raise NotIndexedError(error.message, hint=hint) from error


def brought(codebase: "Codebase", host: Host, *, create: bool) -> Brought:
    """Bring the index up to date if that can be had soon; what is indexed already answers in any case."""
    return host.brought(codebase, partial(_sync, host=host, create=create))


def _sync(codebase: "Codebase", *, host: Host, create: bool) -> Brought:
    from cairn.indexing.options import SyncOptions
    from cairn.indexing.progress import SyncStep

    indexed = codebase.pin()
    options = SyncOptions(wait_s=_PATIENCE_S, spares=True) if indexed else SyncOptions()
    try:
        with host.progress() as progress:
            if not indexed and progress is not None:
                progress(SyncStep("looking", new_root=codebase.root_path))
            codebase.index(options, progress, create=create)
    except (UsageError, CancelledError, CorruptStoreError, IncompatibleError, RequiresReindexError):
        raise
    except BusyError as error:
        if not indexed:
            raise
        return False, [Note("not_synced", {"message": error.message})]
    except (CairnError, OSError) as error:
        if not indexed:
            raise
        cause = cause_of(error)
        return False, [Note("sync_failed", {"message": cause.message, "hint": cause.hint})]
    return True, list(codebase.notes)


def folder_of(file: str, host: Host) -> str:
    """Where the codebase of a file is: git's or a tracked one around it, else the folder that it lies in.

    Where codebases lie in each other, it is the one that the user stands in.
    """
    from cairn.lifecycle.registry import Registry
    from cairn.lifecycle.roots import effective_root

    if not file:
        raise UsageError("No file is named.", hint="Name a file of the codebase, like src/a.py.")
    require_no_folder(file, host.at(file))
    named = os.path.realpath(os.path.dirname(os.path.abspath(host.at(file))))
    folder = named
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    if git_top(folder):
        return folder
    roots = Registry(cairn_home()).roots()
    here = effective_root(os.path.realpath(host.at(".")), roots)
    if here is not None and effective_root(named, (here,)) is not None:
        return here
    known = effective_root(named, roots)
    if known is None and here is not None:
        raise UsageError(
            f"{file} lies outside of the codebase {here}.",
            hint="Name a file beneath it, or index the folder of that file first.",
        )
    return known or folder


def require_no_folder(name: str, place: str) -> None:
    """UsageError, with the name as it was given, where a folder stands in the place of a file."""
    if os.path.isdir(place):
        raise _is_folder(name)


def _is_folder(name: str) -> UsageError:
    return UsageError(f"{name} is a folder.", hint="Name a file in it.")


def file_meant(name: str, asked: Asked) -> str:
    """A file as the user names it; UsageError for a folder."""
    real = place_meant(name, asked)
    names = asked.codebase.naming
    inside = os.path.join(names.root, real)
    if f"{inside}/".startswith(f"{names.root.rstrip('/')}/") and names.is_folder(inside):
        raise _is_folder(name)
    return real


def place_meant(name: str, asked: Asked) -> str:
    """A path as the user names it: from where they stand if it is there, else from the root if it is there."""
    names = asked.codebase.naming
    here = names.beneath(os.path.abspath(asked.host.at(name)))
    if not names.exists(here) and names.exists(os.path.join(names.root, name)):
        return name
    return here


def files_meant(names: Sequence[str], asked: Asked) -> list[str]:
    """Several files, each as the user names it."""
    return [file_meant(name, asked) for name in names]


def files_beneath(names: Sequence[str], asked: Asked, meant: Callable[[str, Asked], str]) -> list[str]:
    """Several files or other things, each as `meant` takes it; of a folder, all files of the snapshot beneath it."""
    root = asked.codebase.root.path
    found: dict[str, None] = {}
    for name in names:
        folder = os.path.join(root, place_meant(name, asked))
        if not os.path.isdir(folder):
            found[meant(name, asked)] = None
            continue
        inside = os.path.relpath(os.path.realpath(folder), root)
        if inside.split("/")[0] == "..":
            raise UsageError(f"{name} lies outside of the codebase {root}.", hint="Name a folder beneath it.")
        with asked.codebase.view() as view:
            own = [path for path, _ in view.rows.languages() if inside == "." or path.startswith(f"{inside}/")]
        if not own:
            raise UsageError(f"Nothing of {name} is in the index.", hint="Name a folder with files that are.")
        found.update((os.path.join(root, path), None) for path in own)
    return list(found)


def place_or_name_meant(text: str, asked: Asked) -> str:
    """A file or a place as the user names it; a name where nothing of it is there."""
    from cairn.graph.targets import place_of

    if place_of(text) is not None:
        return target_meant(text, asked)
    there = "/" in text or os.path.lexists(asked.host.at(text))
    return file_meant(text, asked) if there else text


def target_meant(text: str, asked: Asked) -> str:
    """A place that was named from where the user stands, from the root on; a name as it is."""
    from cairn.graph.targets import place_of

    place = place_of(text)
    if place is None:
        return text
    column = "" if place.column is None else f":{place.column}"
    return f"{file_meant(place.path, asked)}:{place.line}{column}"
