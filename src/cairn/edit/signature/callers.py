"""The calls of a function whose signature is changed, and who else may call it without being seen."""

import sys
from collections.abc import Iterator, Sequence

from cairn.base.values import dataclass, replace
from cairn.edit.gate.asvalue import class_values, has_other_makers, made_unnamed
from cairn.edit.signature.given import WrittenCall, call_of
from cairn.edit.signature.heads import PYTHON, SignatureHead, head_of, own_arguments
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import Construct
from cairn.graph.makers import types_made
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.references import Reference, find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition, key_of
from cairn.syntax.uses import Use

_NAMING = frozenset(
    "import_specifier export_specifier import_clause namespace_import aliased_import dotted_name import_from_statement "
    "import_statement export_statement".split()
)
"""What only passes the name on: who uses it there is a use of its own."""

_HANDED = "is used as a value, and may be called by whoever gets it"
_CLASS = "cls"


@dataclass(frozen=True, slots=True)
class Caller:
    """A place that calls one of the functions."""

    use: Reference
    source: SourceFile
    call: WrittenCall
    own: int
    """How many arguments it writes for what the function is asked of; `UNSURE` where nothing tells."""

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.use.path}:{self.use.line}"


@dataclass(frozen=True, slots=True)
class Callers:
    """Everybody who uses some functions."""

    calls: tuple[Caller, ...]
    handed: tuple[Construct, ...]
    """Places that use one as a value: whoever gets it may call it."""
    keyed: tuple[SignatureHead, ...]
    """Functions of that name in objects that are written out: such an object may be asked for it too."""
    paths: tuple[str, ...]
    """The files that use them."""


def callers_of(resolver: Resolver, sources: SourceFiles, heads: Sequence[SignatureHead]) -> Callers:
    """The calls of some functions that are one to whoever calls them, and what hands them on."""
    by_key = {key_of(head.item): head for head in heads}
    calls, handed, keyed, paths = [], [], [], []
    items = [head.item for head in heads]
    others = has_other_makers(resolver, items)
    for use in find_uses(resolver, items, max_files=sys.maxsize).items:
        if use.role == "import":
            continue
        source = sources.of(use.path)
        paths.append(use.path)
        if use.role == "definition":
            row = heads[0].item.symbol._replace(name=use.name, name_line=use.line)
            head = head_of(source, Definition(use.path, row))
            keyed += [head] if head is not None else []
            continue
        node = source.at(use.line, use.column)
        if node is None or node.parent is None or node.parent.type in _NAMING:
            continue
        call = call_of(node, source.data)
        if call is None:
            handed.append(_construct(source, use, "handed_on", _HANDED))
            continue
        head = by_key.get(key_of(use.target), heads[0]) if use.target is not None else heads[0]
        unsure = others and use.name == _CLASS and use.tier == PROVEN
        said = replace(use, tier=LIKELY) if unsure else use
        calls.append(Caller(said, source, call, own_arguments(resolver, head, use, call)))
    for value in class_values(resolver, sources, items):
        paths.append(value.use.path)
        call = call_of(value.node, value.source.data) if value.use.role == "call" else None
        if call is not None:
            calls.append(Caller(value.use, value.source, call, 0))
        else:
            handed.append(_construct(value.source, value.use, "handed_on", _HANDED))
    if heads[0].source.language == PYTHON:
        made = types_made(resolver.world, items, resolver.evaluator.derived).values()
        for source, asked in made_unnamed(resolver, sources, [each.type for each in made]):
            handed.append(_construct(source, asked, "handed_on", "makes a value of the type of another"))
    return Callers(tuple(calls), tuple(handed), tuple(keyed), tuple(dict.fromkeys(paths)))


def unwritten(callers: Sequence[Caller], why: str) -> Iterator[Construct]:
    """Calls that give arguments which are not written there."""
    for each in callers:
        yield _construct(each.source, each.use, "arguments_passed", why)


def _construct(source: SourceFile, use: Reference | Use, kind: str, why: str) -> Construct:
    shown = source.text.shown(use.line)
    return Construct(source.path, use.line, kind, shown, f"{use.name} {why}", f"{kind} {source.path} {shown}")
