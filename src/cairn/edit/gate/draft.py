"""The draft of a rename, from a place and a new name: proven, open, or impossible."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from cairn.base.text import plural
from cairn.base.values import replace
from cairn.edit.gate.account import IN_CODE, IN_TEXT, Account, account
from cairn.edit.gate.alias import alias_at
from cairn.edit.gate.case import Case, Found, WrittenName
from cairn.edit.gate.filename import following, wanted
from cairn.edit.gate.go import named_in_go
from cairn.edit.gate.keys import Keys
from cairn.edit.gate.listed import shown_names
from cairn.edit.gate.local import local_draft, read_in_scope
from cairn.edit.gate.newname import conflicts, naming_fault
from cairn.edit.gate.outside import MADE, outside_of, written_by_others
from cairn.edit.gate.readers import Readers
from cairn.edit.gate.structural import named_otherwise
from cairn.edit.gate.table import table_of
from cairn.edit.gate.taken import TAKEN, places_taken
from cairn.edit.gate.thing import PARAMETER, Thing, thing_at, undeclared_at
from cairn.edit.gate.unnamed import unnamed_at
from cairn.edit.gate.verdict import GateResult, check_mutation_gate
from cairn.edit.gate.worded import is_worded
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles, UnindexedFiles, name_at
from cairn.edit.source.values import (
    ALL_TOO,
    CODE_TOO,
    DOCS_TOO,
    LIKELY_TOO,
    MODULE,
    OK,
    OK_SYNTACTIC,
    PROVEN_ONLY,
    REFUSED,
    SEMANTIC,
    SYNTACTIC,
    WRITTEN,
    Construct,
    Doubt,
    EditChoice,
    EditDraft,
    EditRequest,
    Mention,
    OpenPlace,
    RenameTarget,
    Spot,
)
from cairn.edit.source.words import TEXT
from cairn.graph.meaning import LIKELY
from cairn.graph.resolve import Resolver
from cairn.graph.world import World
from cairn.semantic.contexts.families import family_of
from cairn.semantic.contexts.values import Context
from cairn.semantic.meanings import Meanings
from cairn.semantic.state import DIRTY, PENDING_CHECK, STALE, FileState
from cairn.semantic.states import FactRecords
from cairn.store import SemanticFlag, SnapshotView
from cairn.workspace.exchange import NOT_THERE

_SHOWN_NAME = 60
AS_TEXT = "name_as_text"
_TITLES = {
    PROVEN_ONLY: "only the places that are proven",
    LIKELY_TOO: "these, and the likely ones",
    CODE_TOO: "these, and all open places in code",
    ALL_TOO: "these, and the name in texts",
    DOCS_TOO: "the name in comments and, between backticks, in documents",
}


class SemanticStates(Protocol):
    """Which contexts answer for the files of a snapshot, and how fresh and certain their facts are."""

    def owner(self, path: str, language: str) -> Context | None:
        """The probed context that answers for a file."""

    def states(self, context: str, paths: Collection[str]) -> Mapping[str, FileState]:
        """The state of some files in a context."""

    def flags(self, context: str, path: str) -> Sequence[SemanticFlag]:
        """What was recorded as ambiguous in a file."""


_ASKED = {TAKEN: "may that be what {name} is called then", MADE: "shall it be changed all the same"}
"""What is asked about some kinds of constructs."""
EditInputs = tuple[SnapshotView, SemanticStates, UnindexedFiles]
"""What a draft is made from: the tree as it is now, its facts, and the files that are not in the snapshot."""
Settled = Callable[[Collection[str]], Collection[str]]
"""Tells which of some constructs the user has answered for."""


def questions(constructs: Sequence[Construct], asked: str, needed: str = "what is read there") -> Iterator[Doubt]:
    """One question for the constructs of a kind, with the first of them."""
    kinds: dict[tuple[str, str], list[Construct]] = {}
    for each in constructs:
        kinds.setdefault((each.kind, each.why), []).append(each)
    for (kind, why), places in kinds.items():
        first = places[0]
        more = f" (and {plural(len(places) - 1, 'place')} more)" if len(places) > 1 else ""
        said = f"{first.path}:{first.line}{more} {why}: {asked}? {first.shown}"
        yield Doubt(kind, said, needed, "read the places; the answer is kept until they change")


def unfit(known: SemanticStates, sources: SourceFiles, opened: Iterable[OpenPlace]) -> dict[str, FileState]:
    """The files of open places whose facts are not of what they are now: a refresh may tell what they mean."""
    found: dict[str, FileState] = {}
    for path in dict.fromkeys(each.path for each in opened):
        source = sources.of(path)
        context = known.owner(path, source.language)
        state = known.states(context.id, [path]).get(path) if context is not None else None
        if state is not None and state.freshness in (DIRTY, STALE, PENDING_CHECK):
            found[path] = state
    return found


def _candidates(found: Account, sources: SourceFiles, name: str, kinds: int) -> Iterator[EditChoice]:
    """The choices, each with all places that it changes; if two change the same, only the narrower one."""
    risk = "low" if kinds == 0 else "medium" if kinds == 1 else "high"
    spots = found.spots
    yield EditChoice(PROVEN_ONLY, _TITLES[PROVEN_ONLY], risk, spots)
    for choice, group in ((LIKELY_TOO, LIKELY), (CODE_TOO, IN_CODE), (ALL_TOO, IN_TEXT)):
        more = [each for each in found.opened if each.choice == group]
        if more:
            provenance = WRITTEN if choice == ALL_TOO else SYNTACTIC
            spots = (
                *spots,
                *(
                    sources.of(each.path).text.spot(each.path, each.line, each.column, name, provenance, each.form)
                    for each in more
                ),
            )
            yield EditChoice(choice, _TITLES[choice], "high" if choice == ALL_TOO else risk, spots)


def _documented(found: Account, sources: SourceFiles, thing: Thing) -> Iterator[EditChoice]:
    """The name in comments, docstrings and documents, which people wrote for people."""
    name, changed = thing.name, {spot.path for spot in found.spots}
    spots = tuple(
        sources.of(each.path).text.spot(each.path, each.line, each.column, name, WRITTEN)
        for each in found.mentions
        if _is_documentation(each, thing, changed)
    )
    if spots:
        yield EditChoice(DOCS_TOO, _TITLES[DOCS_TOO], "low", spots)


def _is_documentation(each: Mention, thing: Thing, changed: Collection[str]) -> bool:
    """Whether a mention is of the thing: in its own function if it is a parameter, else marked, or where it is used."""
    if thing.reach == PARAMETER:
        around = (owner.symbol for owner in thing.owners if owner.path == each.path)
        return each.where != TEXT and any(item.start_line <= each.line <= item.end_line for item in around)
    return each.tier == "high" or (each.path in changed and each.where != TEXT and each.tier == "medium")


def asking(whole: EditDraft, gate: GateResult, candidates: Iterable[EditChoice], said: Sequence[object]) -> EditDraft:
    """A draft that doesn't pass, with what can be chosen; `said` tells its situation from others."""
    return replace(
        whole,
        status=gate.status,
        witness=gate.witness,
        reasons=gate.witness.failed[:5] if gate.witness is not None else (),
        candidates=tuple(candidates),
        signature=hashlib.sha256(json.dumps(said).encode()).hexdigest(),
    )


def draft(
    view: SnapshotView,
    known: SemanticStates,
    path: str,
    line: int,
    column: int,
    new: str,
    unindexed: UnindexedFiles | None = None,
    settled: Settled = lambda _keys: (),
) -> EditDraft:
    """What the rename of the name at a place would do; line and column, in bytes, count from 1.

    `unindexed` are the files of the tree that are not in the snapshot; `settled` tells which constructs the user has
    answered for already.
    """
    sources = SourceFiles(view)
    source = sources.of(path)
    name, at = name_at(source, line, column)
    target = RenameTarget(name, "", "", "", path, line, at)
    if name in table_of(source.language).nameless:
        return EditDraft(REFUSED, target, new, reasons=(f"{name} is no name of anything",))
    if fault := naming_fault(new, name, source.language):
        said = f"{new[:_SHOWN_NAME] or 'an empty text'} can't be the name: {fault}"
        return EditDraft(REFUSED, target, new, reasons=(said,))
    local = local_draft(source, (line, at), name, new, worded=lambda: is_worded(sources, name))
    if local is not None and local.status != REFUSED:
        return local
    resolver = resolver_of(view)
    for thing in _things(resolver, sources, source, (line, at), name):
        found = account(thing, sources.holding(name))
        judged: list[Spot | OpenPlace] = [*found.spots, *found.opened]
        if (path, line, at) in {(each.path, each.line, each.column) for each in judged}:
            break  # Otherwise what bears the name is not what stands there.
    else:
        return local or _nothing(resolver, source, target, new)
    case = Case(resolver, sources, thing, new)
    read = [each for rule in _RULES for each in rule(case)]
    found = _with_written(found, thing, sources, [each for each in read if isinstance(each, WrittenName)])
    constructs = [each for each in read if isinstance(each, Construct)]
    constructs += places_taken(case, constructs)
    constructs += written_by_others(case, {each.path for each in found.spots})
    answered = frozenset(settled({each.settles for each in constructs}))
    asked = tuple(dict.fromkeys(each for each in constructs if each.settles not in answered))
    lasting = unindexed.doubts(name, family_of(source.language)) if unindexed is not None else ()
    target = replace(target, kind=thing.kind, symbol=thing.symbol)
    return _judged(sources, known, thing, found, target, new, asked, tuple(lasting), resolver)


def _things(
    resolver: Resolver, sources: SourceFiles, source: SourceFile, at: tuple[int, int], name: str
) -> Iterator[Thing]:
    """What the name at a place may be of, the surest first."""
    for found in (thing_at, undeclared_at):  # What is declared elsewhere may only have the name of what is not.
        thing = found(resolver, source.path, at[0], at[1] + 1, name)
        yield from [thing] if thing is not None else []
    alias = alias_at(sources, source, at, name)
    yield from [alias] if alias is not None else []
    unnamed = unnamed_at(resolver, sources, source, at, name)
    yield from [unnamed] if unnamed is not None else []


def subject_at(view: SnapshotView, path: str, line: int, column: int) -> tuple[RenameTarget, str]:
    """What a rename at a place would be of, before there is a new name, and why there can be none; empty if it can."""
    sources = SourceFiles(view)
    source = sources.of(path)
    name, at = name_at(source, line, column)
    target = RenameTarget(name, "", "", "", path, line, at)
    if name in table_of(source.language).nameless:
        return target, f"{name} is no name of anything"
    if local_draft(source, (line, at), name, f"{name}_") is not None:
        return target, ""
    resolver = resolver_of(view)
    if next(_things(resolver, sources, source, (line, at), name), None) is not None:
        return target, ""
    return target, _nothing(resolver, source, target, "").reasons[0]


def rename_draft(inputs: EditInputs, request: EditRequest, settled: Settled) -> EditDraft:
    """What a requested rename would do."""
    view, known, unindexed = inputs
    place = (request.path, request.line, request.column)
    return draft(view, known, *place, str(request.arguments["new_name"]), unindexed, settled)


def _read_in_scope(case: Case) -> Iterator[Construct]:
    """What may read a parameter by its name where it is declared."""
    for (path, *at), use in case.thing.uses.items() if case.thing.reach == PARAMETER else ():
        if use.role == "definition":
            yield from read_in_scope(case.sources.of(path), (at[0], at[1]), case.thing.name, case.new)


_RULES: tuple[Callable[[Case], Found], ...] = (
    lambda case: Readers(case).found(),
    lambda case: Keys(case).found(),
    named_in_go,
    named_otherwise,
    wanted,
    _read_in_scope,
    shown_names,
    outside_of,
)
"""What finds the names that are read while a program runs, and who may read them."""


def resolver_of(view: SnapshotView) -> Resolver:
    """What tells the meaning of names in a snapshot, by its facts where it has some."""
    world = World(view)
    return Resolver(world, Meanings(world, FactRecords()) if view.semantics else None)


def _nothing(resolver: Resolver, source: SourceFile, target: RenameTarget, new: str) -> EditDraft:
    name, at = target.name, (target.line, target.column)
    here = (use for use in source.uses(name, quoted=False) if (use.line, use.column) == at)
    for path in (path for use in here for path in resolver.meaning_of(source.path, use).modules):
        reason = f"{name} is the module {path}: it is called as its file, and a rename changes no file's name"
        return EditDraft(REFUSED, replace(target, kind=MODULE, symbol=path), new, reasons=(reason,))
    reason = f"nothing in the tree defines {name} as it is used at {target.path}:{target.line}"
    return EditDraft(REFUSED, target, new, reasons=(reason,))


def _with_written(found: Account, thing: Thing, sources: SourceFiles, names: Sequence[WrittenName]) -> Account:
    """The account with the names that constructs are given as texts."""
    gone = {(each.path, each.line, each.column) for each in names}
    spots = list(found.spots)
    opened = [each for each in found.opened if (each.path, each.line, each.column) not in gone]
    for each in dict.fromkeys(names):
        text = sources.of(each.path).text
        if each.other:
            continue
        if each.meant:
            spots.append(text.spot(each.path, each.line, each.column, thing.name, SYNTACTIC, each.form))
        else:
            shown = text.shown(each.line)
            opened.append(OpenPlace(each.path, each.line, each.column, AS_TEXT, shown, IN_TEXT, each.form))
    spots = list({(each.path, each.line, each.column): each for each in spots}.values())
    mentions = tuple(each for each in found.mentions if (each.path, each.line, each.column) not in gone)
    return replace(found, spots=tuple(spots), opened=tuple(opened), mentions=mentions)


def _judged(
    sources: SourceFiles,
    known: SemanticStates,
    thing: Thing,
    found: Account,
    target: RenameTarget,
    new: str,
    constructs: tuple[Construct, ...],
    lasting: tuple[Doubt, ...],
    resolver: Resolver,
) -> EditDraft:
    edited: dict[str, set[tuple[int, int]]] = {}
    taken: list[Spot | OpenPlace] = [*found.spots, *(each for each in found.opened if each.choice)]
    for each in taken:
        edited.setdefault(each.path, set()).add((each.line, each.column))
    file = following(resolver, sources, thing, new)
    documented = (*_documented(found, sources, thing), *([file] if file is not None else ()))
    written = {spot.path for each in documented for spot in each.spots}
    hashes = sources.hashes({*edited, *written, *found.code_files, *(each.path for each in constructs)})
    hashes |= {path: NOT_THERE for each in documented for path in each.moves.values()}
    proven = any(spot.provenance == SEMANTIC for spot in found.spots)
    whole = EditDraft(
        OK if proven else OK_SYNTACTIC,
        target,
        new,
        found.spots,
        hashes,
        found.opened,
        found.mentions,
        constructs=constructs,
    )
    reasons = tuple(conflicts(resolver, thing, new, edited, lambda: sources.holding(new)))
    if reasons:
        return replace(whole, status=REFUSED, reasons=reasons)
    others = [each for each in constructs if each.kind not in _ASKED]
    doubts = [*lasting, *questions(others, f"may that be {thing.name}")]
    for kind, asked in _ASKED.items():
        doubts += questions([each for each in constructs if each.kind == kind], asked.format(name=thing.name))
    gate = check_mutation_gate(unfit(known, sources, found.opened), opened=found.opened, doubts=doubts)
    if gate.status == OK:
        return replace(whole, candidates=documented)
    kinds = {each.why for each in found.opened} | {doubt.code for doubt in doubts}
    said = [target.symbol, target.kind, sorted(edited), sorted(kinds), target.context, new]
    return asking(whole, gate, (*_candidates(found, sources, thing.name, len(kinds)), *documented), said)
