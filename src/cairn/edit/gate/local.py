"""Names that are bound within one function or block: the scope proves what is meant, without an index."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cairn.base.values import replace
from cairn.edit.gate.corners import Corner, corners, lasting
from cairn.edit.gate.enclosed import Enclosure, enclosure_at
from cairn.edit.gate.ownname import decorators
from cairn.edit.source.file import SourceFile
from cairn.edit.source.texts import FileText
from cairn.edit.source.values import (
    AS_VALUE,
    NEEDS_DECISION,
    OK_SYNTACTIC,
    PROVEN_ONLY,
    REFUSED,
    SYNTACTIC,
    Construct,
    Doubt,
    EditChoice,
    EditDraft,
    Mention,
    RenameTarget,
    Witness,
)
from cairn.edit.source.words import CODE, COMMENT, STRING, Word, words_in
from cairn.edit.source.written import above, written_decorators
from cairn.languages.registry import record_of
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.scopes import Scope
from cairn.syntax.uses import scoped_language
from cairn.workspace.reads import content_hash

_BY_NAME = frozenset({"eval", "exec", "locals"})
"""Functions that can look up a variable by its name as a string."""
_CLASS = "class_definition"
_SPLATS = frozenset({"list_splat_pattern", "dictionary_splat_pattern"})
_LISTS = frozenset({"parameters", "lambda_parameters"})


def local_draft(
    source: SourceFile,
    at: tuple[int, int],
    name: str,
    new: str,
    worded: Callable[[], bool] = lambda: True,
) -> EditDraft | None:
    """The draft for a local name at a place; None if it is not proven to be local.

    If it is refused, its witness holds the doubts that would remain even if an index knew every place.
    """
    path, language, data = source.path, source.language, source.data
    proven = record_of(language).naming.proves_locals and scoped_language(language)
    found = source.found(name) if proven else None
    here = next((one for one in found.occurrences if (one.line, one.column) == at), None) if found else None
    if (known := enclosure_at(source, at, name)) is not None:
        return _enclosed_draft(source, known, at, name, new)
    scope = _scope(found, here) if found is not None and here is not None else None
    if found is None or scope is None:
        return None
    own = [one for one in found.occurrences if _scope(found, one) is scope]
    if all(one.binds is None for one in own):
        return None  # A parameter that is a member too is bound by the member.
    text = FileText(data)
    inside = _Inside(source, scope.start, scope.end)
    short = {(word.line, word.column) for word in inside.words(name) if word.shorthand}
    spots = [
        text.spot(path, one.line, one.column, name, SYNTACTIC, AS_VALUE if (one.line, one.column) in short else "")
        for one in own
    ]
    mentions = [
        Mention(path, word.line, word.column, "medium", word.kind, text.shown(word.line))
        for word in inside.words(name)
        if word.kind in (COMMENT, STRING)
    ]
    said = {(one.line, one.column) for one in found.occurrences}
    unread = [word for word in inside.code(name) if (word.line, word.column) not in said]
    corner = Corner(source, name, new, found, scope, own, worded)
    is_named = any(one.keyword for one in found.occurrences)
    lasts = _lasts(inside, corner)
    taken = tuple(_taken(inside, new))
    target = RenameTarget(name, "local", f"{path} {scope.kind} {scope.start}-{scope.end}", "", path, *at)
    draft = EditDraft(OK_SYNTACTIC, target, new, tuple(spots), {path: content_hash(data)}, (), tuple(mentions))
    if taken:
        return replace(draft, status=REFUSED, reasons=taken)
    if _may_be_named(source, own, is_named):
        return None
    reasons = (*_faults(inside, own, unread, scope, name), *corners(corner), *lasts)
    if not reasons:
        return draft
    doubts = tuple(Doubt("asked_by_name", f"{why}.", "who asks for it", "read the scope") for why in reasons)
    return replace(
        draft,
        status=NEEDS_DECISION,
        reasons=reasons,
        witness=Witness(1, False, reasons, (), doubts, may_force=True),
        candidates=(EditChoice(PROVEN_ONLY, "the places that the scope proves", "medium", draft.spots),),
        signature=content_hash(json.dumps([target.symbol, new, reasons]).encode()),
    )


def read_in_scope(source: SourceFile, at: tuple[int, int], name: str, new: str) -> Iterator[Construct]:
    """What may read the parameter that is declared at a place by its name, in the scope that it belongs to."""
    found = source.found(name)
    here = next((one for one in found.occurrences if (one.line, one.column) == at), None) if found else None
    scope = _scope(found, here) if found is not None and here is not None else None
    if found is None or scope is None:
        return
    own = [one for one in found.occurrences if _scope(found, one) is scope]
    shown = source.text.shown(at[0])
    text = source.data[scope.start : scope.end].decode("utf-8", "replace")
    for why in _lasts(_Inside(source, scope.start, scope.end), Corner(source, name, new, found, scope, own)):
        yield Construct(source.path, at[0], "asked_by_name", shown, why, content_hash(f"{why}\0{text}".encode()))


def _lasts(inside: "_Inside", corner: Corner) -> tuple[str, ...]:
    """Reasons that no index removes."""
    return tuple(dict.fromkeys((*_asked(inside, corner), *lasting(corner))))


def _enclosed_draft(source: SourceFile, known: Enclosure, at: tuple[int, int], name: str, new: str) -> EditDraft:
    """The draft for a name that one construct encloses."""
    path, text = source.path, source.text
    spots = tuple(text.spot(path, one.line, one.column, name, SYNTACTIC) for one in known.places(source, name))
    target = RenameTarget(name, known.kind, f"{path} {known.kind} {known.start}-{known.end}", "", path, *at)
    draft = EditDraft(OK_SYNTACTIC, target, new, spots, {path: content_hash(source.data)})
    taken = tuple(f"{path}:{one.line} uses {new} already" for one in known.taken(source, new))
    return replace(draft, status=REFUSED, reasons=taken[:1]) if taken else draft


class _Inside:
    """The words of one scope."""

    def __init__(self, source: SourceFile, start: int, end: int) -> None:
        self.source = source
        self.start, self._end = start, end
        self._text = source.text

    def words(self, name: str) -> list[Word]:
        found = words_in(self.source, name)
        return [word for word in found if self.start <= self._text.offset(word.line, word.column) < self._end]

    def code(self, name: str) -> list[Word]:
        return [word for word in self.words(name) if word.kind == CODE]


def _taken(inside: _Inside, new: str) -> Iterator[str]:
    if taken := inside.code(new):
        yield f"{inside.source.path}:{taken[0].line} uses {new} already"


def _may_be_named(source: SourceFile, own: Sequence[Occurrence], is_named: bool) -> bool:
    """Whether it is a parameter that callers may name; `is_named`: it is a keyword of some call in the file."""
    declared = [source.node(one.start, one.end) for one in own if one.parameter]
    named = record_of(source.language).naming.named_arguments
    return named and bool(declared) and (is_named or not all(map(is_unnamed, declared)))


def _faults(
    inside: _Inside, own: Sequence[Occurrence], unread: Sequence[Word], scope: Scope, name: str
) -> Iterator[str]:
    source = inside.source
    path = source.path
    if _is_broken(inside, scope, name):
        yield f"{path}:{source.text.place(scope.start)[0]} could not be parsed whole"
    for one in own:
        node = source.node(one.start, one.end)
        if one.binds is not None and any(_shows(outer, inside.start) for outer in above(node)):
            yield f"{name} is declared for others than its scope"
        for decorator in decorators(node, source.language):
            yield f"{name} is decorated with {decorator}, which may make it known by its name"
    for word in unread[:1]:
        yield f"{path}:{word.line} holds {name} where no scope tells what it means"
    if any(source.data[one.start : one.end] != name.encode() for one in own):
        yield f"{name} is written in several ways"


def _is_broken(inside: _Inside, scope: Scope, name: str) -> bool:
    """Whether what could not be parsed may be of a scope: it lies in it or around it, or the name is free elsewhere."""
    source = inside.source
    node = source.node(scope.start, scope.end)
    if source.root is None or node is None or not source.root.has_error:
        return False
    found = source.found(name)
    bound = {(one.line, one.column) for one in found.occurrences if found.meaning(one)} if found is not None else set()
    free = (each for each in words_in(source, name) if each.kind == CODE and (each.line, each.column) not in bound)
    return node.has_error or any(each.type == "ERROR" for each in above(node)) or any(True for _ in free)


def _asked(inside: _Inside, corner: Corner) -> Iterator[str]:
    """Places that may look up the name as a string."""
    if is_special(corner.name):
        yield f"{corner.name} has a meaning to those who look into the scope"
    for asking in sorted(_BY_NAME):
        if any(word.use is None or word.use.receiver in ("", "builtins") for word in inside.code(asking)):
            yield f"{asking} stands in the same scope and may ask for {corner.name} by its name"


def _shows(outer: Any, start: int) -> bool:
    """Whether a block's names are visible from outside: in declarations, and if a namespace exports them."""
    return outer.type == "ambient_declaration" or bool(outer.type == "export_statement" and outer.start_byte >= start)


def _scope(found: FileOccurrences, one: Occurrence) -> Scope | None:
    meant = found.meaning(one)
    return meant[0] if meant is not None and meant[1].local else None


def is_special(name: str) -> bool:
    """Whether a name is one of Python's special ones, such as `__init__`."""
    return name.startswith("__") and name.endswith("__")


def is_unnamed(node: Any) -> bool:
    """Whether no caller can name a parameter: `self` or `cls`, `*rest`, or one before `/`."""
    while node is not None and (node.parent is None or node.parent.type not in _LISTS):
        if node.type in _SPLATS:
            return True
        node = node.parent
    if node is None or node.type in _SPLATS:
        return node is not None
    others = node.parent.named_children
    behind = others[others.index(node) :]
    if any(other.type == "positional_separator" for other in behind):
        return True
    return len(behind) == len(others) and _is_asked(node.parent.parent)


def _is_asked(function: Any) -> bool:
    """Whether a function is a method that gets its object or class as the first argument."""
    above = function.parent
    if above is not None and above.type == "decorated_definition":
        if any(each.endswith("staticmethod") for each in written_decorators(function)):
            return False
        above = above.parent
    return _is_body(above)


def _is_body(node: Any) -> bool:
    return node is not None and node.type == "block" and node.parent is not None and node.parent.type == _CLASS
