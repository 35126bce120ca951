"""The draft of a changed signature: one parameter more or less, or some in another order, in a function with all that
stand in its place, and in every call that gives an argument to what is gone."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass, replace
from cairn.edit.gate.case import Case
from cairn.edit.gate.draft import EditInputs, Settled, asking, questions, resolver_of
from cairn.edit.gate.outside import outside_of
from cairn.edit.gate.table import table_of
from cairn.edit.gate.thing import MEMBER, PARAMETER, Thing
from cairn.edit.gate.verdict import check_mutation_gate
from cairn.edit.signature.adding import added
from cairn.edit.signature.heads import PYTHON, SignatureHead, heads_at
from cairn.edit.signature.newparameter import new_parameter
from cairn.edit.signature.outcome import SignatureGround, SignatureOutcome, outermost
from cairn.edit.signature.removing import removed
from cairn.edit.signature.reordering import reordered
from cairn.edit.source.files import SourceFiles, UnindexedFiles, name_at
from cairn.edit.source.values import (
    NEEDS_DECISION,
    OK,
    OK_SYNTACTIC,
    REFUSED,
    SEMANTIC,
    Construct,
    EditDraft,
    EditRequest,
    RenameTarget,
)
from cairn.graph.customs import family
from cairn.graph.makers import MAKERS
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, key_of
from cairn.semantic.contexts.families import family_of

_FAMILIES = (PYTHON, "javascript")


@dataclass(frozen=True, slots=True)
class SignatureChange:
    """What is asked for; exactly one of `add`, `remove` and `reorder` says something."""

    add: str = ""
    """`name: type = default`."""
    at: int | None = None
    """Which argument of a call the new parameter is, from 1; None for the last one."""
    keyword_only: bool = False
    remove: str = ""
    reorder: tuple[str, ...] = ()

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> "SignatureChange":
        """The change that the arguments of a request say; UsageError for more or less than one."""
        found = cls(
            str(arguments.get("add") or ""),
            arguments.get("at"),
            bool(arguments.get("keyword_only")),
            str(arguments.get("remove") or ""),
            tuple(name.strip() for name in str(arguments.get("reorder") or "").split(",") if name.strip()),
        )
        hint = "For example: add `retries: int = 3`, remove `retries`, or reorder `first,second`."
        if sum(map(bool, (found.add, found.remove, found.reorder))) != 1:
            raise UsageError("Say one change: what to add, to remove or to reorder.", hint=hint)
        if not found.add and (found.at is not None or found.keyword_only):
            raise UsageError("A place, or keyword-only, goes with what is added.", hint=hint)
        if found.at is not None and found.keyword_only:
            raise UsageError("What is keyword-only has no place among the arguments.", hint="Leave one of both out.")
        return found

    def title(self, name: str) -> str:
        """What it does, in words."""
        if self.add:
            return f"add {self.add} to {name}"
        return f"remove {self.remove} from {name}" if self.remove else f"reorder {', '.join(self.reorder)} of {name}"


def signature_draft(inputs: EditInputs, request: EditRequest, settled: Settled) -> EditDraft:
    """What a change of the signature of the function at a place would do."""
    view, _, unindexed = inputs
    change = SignatureChange.of(request.arguments)
    sources = SourceFiles(view)
    source = sources.of(request.path)
    name, column = name_at(source, request.line, request.column)
    target = RenameTarget(name, "", "", "", request.path, request.line, column)
    title = change.title(name)
    if family(source.language) not in _FAMILIES:
        said = f"signatures are changed in Python, JavaScript and TypeScript, not in {source.language or 'text'}"
        return EditDraft(REFUSED, target, "", reasons=(said,), title=title)
    python = source.language == PYTHON
    new = new_parameter(change.add, source.language) if change.add else None
    if change.keyword_only and not python:
        raise UsageError("Only Python has keyword-only parameters.", hint="Leave it out.")
    resolver = resolver_of(view)
    heads, unread = heads_at(resolver, sources, request.path, request.line, column + 1, name)
    if not heads:
        reason = _no_function(resolver, f"{request.path}:{request.line}", name, unread)
        return EditDraft(REFUSED, target, "", reasons=(reason,), title=title)
    symbol = heads[0].item.symbol
    target = replace(target, kind=symbol.kind, symbol=f"{heads[0].item.path} {symbol.qualified_name}")
    ground = SignatureGround(resolver, sources, name, tuple(heads), python)
    if any(head.is_accessor for head in heads):
        found = SignatureOutcome(reasons=[f"{name} is asked for like a field: nobody gives it arguments"])
    elif new is not None:
        position = _position(heads[0], change.at)
        found = added(ground, new, position, only_named=change.keyword_only)
    elif change.remove:
        found = removed(ground, change.remove)
    else:
        found = reordered(ground, change.reorder)
    found.constructs += (_unread(item) for item in unread)
    found.constructs += _from_outside(ground, change)
    return _judged(ground, found, target, title, unindexed, settled)


def _position(head: SignatureHead, at: int | None) -> int | None:
    most = head.signature.positions - head.implied + 1
    if at is not None and not 1 <= at <= most:
        raise UsageError(f"There is no place {at} for an argument.", hint=f"Name one from 1 to {most}.")
    return None if at is None else at - 1


def _no_function(resolver: Resolver, place: str, name: str, found: Sequence[Definition]) -> str:
    """Why there is no signature at a place, and where one is."""
    if not found:
        return f"nothing in the tree defines {name} as it is used at {place}"
    item = found[0]
    if item.symbol.kind in TYPES:
        makers = [each for maker in sorted(MAKERS) for each in resolver.member(item, maker).targets]
        said = f": name its constructor, {makers[0].path}:{makers[0].symbol.name_line}" if makers else ""
        return f"{name} is a {item.symbol.kind}, no function{said}"
    return f"{name} is a {item.symbol.kind}: {item.path}:{item.symbol.name_line} writes no parameters"


def _unread(item: Definition) -> Construct:
    line = item.symbol.name_line
    why = f"stands in the place of {item.symbol.name}, and its parameters can't be read"
    return Construct(
        item.path, line, "unread_definition", item.symbol.signature, why, f"{item.path} {item.symbol.signature}"
    )


def _from_outside(ground: SignatureGround, change: SignatureChange) -> Iterator[Construct]:
    """Who is not in the tree and knows the parameters: decorators, runners, and bases of the types."""
    items = tuple(head.item for head in ground.heads)
    language = ground.heads[0].source.language
    symbol = items[0].symbol
    called = Thing(change.remove or ground.name, "parameter", PARAMETER, items[:1], items, {}, language)
    wanted = ("decorated", "filled") if change.remove else ("decorated",)
    yield from (each for each in outside_of(Case(ground.resolver, ground.sources, called)) if each.kind in wanted)
    if not change.remove or symbol.name in MAKERS:
        return
    is_member, table = ground.resolver.is_member(items[0]), table_of(language)
    if any(fnmatchcase(symbol.name, each) for each in (*table.special, *(table.special_members if is_member else ()))):
        why = f"is called by the language or its tools, which look for names like {symbol.name}"
        yield Construct(
            items[0].path, symbol.name_line, "special_name", symbol.name, why, f"special {symbol.name} parameters"
        )
    if is_member:
        owners = {key_of(owner): owner for item in items for owner in ground.resolver.members.owners(item)}
        member = Thing(symbol.name, symbol.kind, MEMBER, items, tuple(owners.values()), {}, language)
        bases = outside_of(Case(ground.resolver, ground.sources, member, symbol.name))
        yield from (each for each in bases if each.kind == "unknown_base")


def _judged(
    ground: SignatureGround,
    found: SignatureOutcome,
    target: RenameTarget,
    title: str,
    unindexed: UnindexedFiles,
    settled: Settled,
) -> EditDraft:
    answered = frozenset(settled({each.settles for each in found.constructs}))
    asked = tuple(dict.fromkeys(each for each in found.constructs if each.settles not in answered))
    opened = tuple(place for place, _ in found.opened)
    paths = {head.item.path for head in ground.heads} | {spot.path for spot in found.spots} | set(found.paths)
    paths |= {each.path for each in opened} | {each.path for each in asked}
    proven = any(spot.provenance == SEMANTIC for spot in found.spots)
    if found.reasons:
        return EditDraft(REFUSED, target, "", reasons=tuple(dict.fromkeys(found.reasons)), title=title)
    whole = EditDraft(
        OK if proven else OK_SYNTACTIC,
        target,
        "",
        outermost(found.spots),
        ground.sources.hashes(paths),
        opened,
        tuple(found.mentions),
        constructs=asked,
        title=title,
    )
    lasting = unindexed.doubts(ground.name, family_of(ground.heads[0].source.language))
    doubts = (*lasting, *questions(asked, f"does {ground.name} stay right for it", "what happens there"))
    gate = check_mutation_gate({}, opened=opened, doubts=doubts)
    if gate.status != NEEDS_DECISION:
        return whole
    kinds = {each.why for each in opened} | {doubt.code for doubt in doubts}
    said = [target.symbol, target.kind, sorted(paths), sorted(kinds), title]
    return asking(whole, gate, found.choices(len(kinds)), said)
