"""The draft of a rename, from a place and a new name: proven, open, or impossible."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol

from cairn.base.values import replace
from cairn.edit.account import ALL_TOO, CODE_TOO, Account, account
from cairn.edit.callers import narrowed
from cairn.edit.doubts import alike_doubts, doubts_about
from cairn.edit.gate import check_mutation_gate
from cairn.edit.group import Group, groups_at
from cairn.edit.local import local_draft
from cairn.edit.ownname import OwnNameRead, asked_in
from cairn.edit.public import exported_doubts
from cairn.edit.reading import Program
from cairn.edit.reflection import reflected_doubts
from cairn.edit.sourcefile import SourceFile
from cairn.edit.sources import SourceFiles, UnindexedFiles, name_at
from cairn.edit.texts import FileText
from cairn.edit.values import (
    BLOCKED,
    NEEDS_DECISION,
    OK,
    REFUSED,
    SYNTACTIC,
    WRITTEN,
    Doubt,
    OpenPlace,
    RenameChoice,
    RenameDraft,
    RenameTarget,
    Spot,
    Witness,
)
from cairn.edit.words import CODE, Word, words_in
from cairn.languages.registry import record_of
from cairn.semantic.contexts.families import Family, family_of
from cairn.semantic.contexts.values import Context
from cairn.semantic.flags import CONDITIONAL_DEFINITION, MONKEY_PATCH, MULTIPLE_DEFINITIONS
from cairn.semantic.indexers import indexer_for
from cairn.semantic.scope import scope_of
from cairn.semantic.state import FileState
from cairn.store import SemanticFacts, SemanticFlag, SnapshotView
from cairn.syntax.grammar import load

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_WITH_DOLLAR = re.compile(r"[^\W\d]\w*|[\w$]*\$[\w$]*")
MAX_NAME = 200


def naming_fault(new: str, old: str, language: str) -> str:
    """Why a name is not allowed; empty if it is."""
    if new == old:
        return "it is called so already"
    if len(new) > MAX_NAME:
        return f"it has more than {MAX_NAME} characters"
    naming = record_of(language).naming
    form = _WITH_DOLLAR if naming.dollar else _IDENTIFIER
    if form.fullmatch(new) is None or new[:1].isdigit():
        return "it is no identifier"
    if new in keywords(language) or new in naming.values:
        return f"it is a keyword of {language}"
    if new in naming.reserved:
        return f"{language} gives it a meaning"
    if language == "python" and unicodedata.normalize("NFKC", new) != new:
        return f"Python reads it as {unicodedata.normalize('NFKC', new)}"
    if language == "python" and new.startswith("__"):
        return "Python gives names that begin with two underscores a meaning"
    if (
        language == "python"
        and new.startswith("_")
        and new.endswith("_")
        and not (old.startswith("_") and old.endswith("_"))
    ):
        return "names between underscores have a meaning to enumerations"
    if new.lower().startswith("test") and not old.lower().startswith("test"):
        return "test runners look for names that begin so"
    if naming.capital_tells and old[:1].isupper() != new[:1].isupper():
        return "the first letter tells components from elements of a page"
    return ""


@cache
def keywords(language: str) -> frozenset[str]:
    """The words that a grammar writes out itself."""
    loaded = load(language)
    if loaded is None:
        return frozenset()
    spoken = loaded.parser.language
    kinds = (spoken.node_kind_for_id(number) for number in range(spoken.node_kind_count))
    words = (kind for number, kind in enumerate(kinds) if kind and not spoken.node_kind_is_named(number))
    return frozenset(word for word in words if _IDENTIFIER.fullmatch(word))


_MODULE, _OBJECT = "/", ":"


def _is_written(group: Group) -> bool:
    """Whether a module is defined by code, as a namespace is, rather than by a file."""
    size = len(group.name.encode())
    return any(each.end_column - each.column == size for _, each in group.definitions)


def conflicts(
    group: Group, new: str, language: str, edited: frozenset[str], holding_new: Callable[[], Iterable[SourceFile]]
) -> Iterator[str]:
    """Reasons against the new name; none if it is free. `holding_new` are the files that may hold the new name."""
    if group.symbol.endswith((_MODULE, _OBJECT)) and not group.home:
        if not _is_written(group):
            yield f"{group.name} is a module: rename its file instead"
            return
        if group.symbol.endswith(_OBJECT):
            yield f"{group.name} is a key of one object: rename it in the type of the object"
            return
    for symbol in group.outside:
        yield f"it overrides {symbol.rpartition(' ')[2]}, which is not in this tree"
    family = family_of(language)
    for source in holding_new():
        spoken = family_of(source.language)
        if spoken is None or spoken is not family:
            continue
        if group.home and source.path != group.home:
            continue
        for word in words_in(source, new):
            if word.kind != CODE:
                continue
            # A local name in another file doesn't matter; any other may shadow the new one or be shadowed by it.
            elsewhere = word.use is not None and word.use.local and not group.home
            if (source.path in edited or not elsewhere) and not _is_of_an_object(group, word):
                yield f"{source.path}:{word.line} uses {new} already"
                break


def _is_of_an_object(group: Group, word: Word) -> bool:
    """Whether a word reads a member of an object while no member is renamed; an assignment may be the module's."""
    use = word.use
    return not group.member and use is not None and bool(use.receiver) and use.role in ("read", "call")


_SHORTEST = 3
_BOUNDARY = re.compile(r"(?<=[^_])(?=_)|(?<=_)(?=[^_])|(?<=[a-z0-9])(?=[A-Z])")
_BEFORE = rb"(?<=[\"'`])%s(?:\{|\$\{|%%[sd]|[\"'`]\s*[+%%])"
_MANGLED = rb"\b_[A-Za-z0-9]\w*?%s\b"
"""What Python makes of `__name` in a class: `_Class__name`."""
_BEHIND = rb"(?:\}|%%s|[+]\s*[\"'`])%s(?=[\"'`])"


def computed_doubts(
    name: str, family: Family | None, holding: Callable[[str], Iterable[SourceFile]]
) -> Iterator[Doubt]:
    """Places that compose a name from a part of this one. `holding` gives the files that may hold a text."""
    for part, form in _parts(name):
        written = re.compile(form % re.escape(part.encode()))
        for source in holding(part):
            found = written.search(source.data) if family_of(source.language) is family else None
            if found is not None:
                line, _ = FileText(source.data).place(found.start())
                yield Doubt(
                    "computed_name",
                    f"{source.path}:{line} makes a name out of {part} ({FileText(source.data).shown(line)}): "
                    f"may that be {name}?",
                    "the names that are made there",
                    "read the place",
                )
                return


def _parts(name: str) -> Iterator[tuple[str, bytes]]:
    """The beginnings and ends of a name that a program is likely to compose names with."""
    if name.startswith("__"):
        yield name, _MANGLED
    for match in _BOUNDARY.finditer(name):
        start, end = name[: match.start()], name[match.start() :]
        if len(start) >= _SHORTEST and start.strip("_"):
            yield start, _BEFORE
        if len(end) >= _SHORTEST and end.strip("_"):
            yield end, _BEHIND


_BEARING = frozenset({MONKEY_PATCH, CONDITIONAL_DEFINITION, MULTIPLE_DEFINITIONS})
"""Flags that give a name several meanings; unresolved places are counted one by one instead."""
_TITLES = {
    "proven": "only the places that are proven",
    CODE_TOO: "these, and the open places in code",
    ALL_TOO: "these, and the name in strings and in files that are no code",
}


class SemanticStates(Protocol):
    """Which contexts answer for the files of a snapshot, and how fresh and certain their facts are."""

    def owner(self, path: str, language: str) -> Context | None:
        """The probed context that answers for a file."""

    def states(self, context: str, paths: Collection[str]) -> Mapping[str, FileState]:
        """The state of some files in a context."""

    def flags(self, context: str, path: str) -> Sequence[SemanticFlag]:
        """What was recorded as ambiguous in a file."""


def draft(
    view: SnapshotView,
    known: SemanticStates,
    path: str,
    line: int,
    column: int,
    new: str,
    unindexed: UnindexedFiles | None = None,
) -> RenameDraft:
    """What the rename of the name at a place would do; line and column, in bytes, count from 1.

    `unindexed` are the files of the tree that are not in the snapshot.
    """
    sources = SourceFiles(view)
    source = sources.of(path)
    name, at = name_at(source, line, column)
    target = RenameTarget(name, "", "", "", path, line, at)
    if fault := naming_fault(new, name, source.language):
        return RenameDraft(REFUSED, target, new, reasons=(f"{new} can't be the name: {fault}",))

    def asked_elsewhere() -> Iterator[OwnNameRead]:
        others = (each for each in sources.holding("name__") if each.language == "python" and each.path != path)
        return (asked for other in others for asked in asked_in(other))

    local = local_draft(source, (line, at), name, new, asked_elsewhere)
    context = known.owner(path, source.language)
    facts = view.semantic(context.id) if context is not None else None
    served = facts is not None and facts.serves(path)
    if local is not None and (local.status != REFUSED or not served):
        return local
    if context is None or facts is None or not served:
        return _without_facts(target, new, context)
    groups = groups_at(facts, path, (line, at), name, sources.of)
    if len(groups) != 1:
        return _no_group(target, new, context, groups)

    def is_accounted(called: Group) -> bool:
        return not account(called, context, facts, sources.holding(called.name), known.owner).opened

    group = narrowed(groups[0], facts, sources.of, is_accounted)
    target = replace(target, context=context.id)
    lasting = local.witness.checklist if local is not None and local.witness is not None else ()
    if unindexed is not None and not group.home:
        lasting = (*lasting, *unindexed.doubts(name, family_of(source.language)))
    return _of_group(sources, known, context, facts, group, target, new, source.language, lasting)


def _of_group(
    sources: SourceFiles,
    known: SemanticStates,
    context: Context,
    facts: SemanticFacts,
    group: Group,
    target: RenameTarget,
    new: str,
    language: str,
    lasting: tuple[Doubt, ...],
) -> RenameDraft:
    """The rename of what the index knows. `lasting`: doubts that it can't take away."""
    holding = {each.path: each for each in sources.holding(group.name)}
    found = account(group, context, facts, holding.values(), known.owner)
    target = replace(target, kind=group.kind, symbol=group.symbol)
    edited = frozenset(spot.path for spot in found.spots) | frozenset(each.path for each in found.opened if each.choice)
    hashes = sources.hashes({*edited, *found.code_files})
    whole = RenameDraft(OK, target, new, found.spots, hashes, found.opened, found.mentions)
    reasons = tuple(conflicts(group, new, language, edited, lambda: sources.holding(new)))
    if reasons:
        return replace(whole, status=REFUSED, reasons=reasons)
    doubts = tuple(dict.fromkeys((*lasting, *_doubts(sources, facts, group, found, language, new))))
    flags = {path: _bearing(known.flags(context.id, path), group.name) for path in found.code_files}
    states = known.states(context.id, [path for path in found.code_files if _owns(known, context, holding[path])])
    gate = check_mutation_gate(states, opened=found.opened, flags=flags, doubts=doubts, seen=len(holding))
    if gate.status == NEEDS_DECISION:
        kinds = {each.why for each in found.opened} | {doubt.code for doubt in doubts}
        kinds |= {flag.kind for each in flags.values() for flag in each}
        whole = replace(
            whole,
            candidates=tuple(_candidates(found, holding, group.name, len(kinds))),
            signature=_signature(target, new, edited, kinds),
        )
    return replace(whole, status=gate.status, witness=gate.witness, reasons=_reasons(gate.witness))


def _doubts(
    sources: SourceFiles, facts: SemanticFacts, group: Group, found: Account, language: str, new: str
) -> Iterator[Doubt]:
    yield from doubts_about(group, facts, sources.of, found.spots, new)
    yield from exported_doubts(group, found.spots, sources)
    yield from alike_doubts(group, found.alike, facts, sources.of)
    yield from reflected_doubts(group, Program(facts, sources.of, sources.holding))
    if not (group.home or group.parameter):
        yield from computed_doubts(group.name, family_of(language), sources.holding)


def _reasons(witness: Witness | None) -> tuple[str, ...]:
    return witness.failed[:5] if witness is not None else ()


def _owns(known: SemanticStates, context: Context, source: SourceFile) -> bool:
    owner = known.owner(source.path, source.language)
    return owner is not None and owner.id == context.id


def _bearing(flags: Iterable[SemanticFlag], name: str) -> tuple[SemanticFlag, ...]:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    return tuple(flag for flag in flags if flag.kind in _BEARING and word.search(flag.what))


def _candidates(found: Account, sources: Mapping[str, SourceFile], name: str, kinds: int) -> Iterator[RenameChoice]:
    """The choices, each with all places that it changes; if two change the same, only the narrower one."""
    risk = "low" if kinds == 0 else "medium" if kinds == 1 else "high"
    spots = found.spots
    yield RenameChoice("proven", _TITLES["proven"], risk, spots)
    for choice in (CODE_TOO, ALL_TOO):
        more = [each for each in found.opened if each.choice == choice]
        if more:
            provenance = SYNTACTIC if choice == CODE_TOO else WRITTEN
            spots = (*spots, *(_spot(sources[each.path], each, name, provenance) for each in more))
            yield RenameChoice(choice, _TITLES[choice], "high" if choice == ALL_TOO else risk, spots)


def _spot(source: SourceFile, each: OpenPlace, name: str, provenance: str) -> Spot:
    return FileText(source.data).spot(each.path, each.line, each.column, name, provenance)


def _signature(target: RenameTarget, new: str, paths: Iterable[str], kinds: Iterable[str]) -> str:
    said = [target.symbol, target.kind, sorted(paths), sorted(kinds), target.context, new]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _without_facts(target: RenameTarget, new: str, context: Context | None) -> RenameDraft:
    if context is None or indexer_for(context.family) is None:
        reason = f"{target.name} is not local to one scope, and no indexer covers {target.path}"
        return RenameDraft(REFUSED, target, new, reasons=(reason,))
    reason = f"there are no semantic facts of {target.path} as it is"
    checklist = (Doubt("no_facts", f"What does {target.name} mean?", "semantic facts", "cairn refresh --wait"),)
    witness = Witness(1, False, (reason,), (), checklist, scope_of(files=[target.path]))
    return RenameDraft(BLOCKED, target, new, reasons=(reason,), witness=witness)


def _no_group(target: RenameTarget, new: str, context: Context, groups: Sequence[Group]) -> RenameDraft:
    target = replace(target, context=context.id)
    if groups:
        said = ", ".join(group.symbol.rpartition(" ")[2] for group in groups)
        reason = f"{target.path}:{target.line} names several things at once ({said}): name a place of one of them"
        return RenameDraft(REFUSED, target, new, reasons=(reason,))
    reason = f"the index says nothing of {target.name} at {target.path}:{target.line}"
    return RenameDraft(REFUSED, target, new, reasons=(reason,))
